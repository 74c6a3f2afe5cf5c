/** One request to a witness (c2sp.org/tlog-witness), repeated once with the size that the witness reports. */
import type { WitnessAddress } from '../../commands/tlog/witnesses.ts';
import { formatAddCheckpoint } from '../../lib/tlog/add-checkpoint.ts';
import { parseSize } from '../../lib/tlog/checkpoint.ts';
import { checkCosignature } from '../../lib/tlog/cosignature.ts';
import {
  COSIGNATURE,
  formatSignature,
  parseNote,
  parseSignatures,
  parseVerifierKey,
  verifyNote,
} from '../../lib/tlog/signed-note.ts';
import type { StoredCheckpoint } from '../../ports/checkpoint-store.ts';
import type { HttpPost, PostReply } from '../../ports/http-post.ts';
import type { EventLog } from '../../storage/event-log.ts';

export interface CosignRequest {
  readonly witness: WitnessAddress;
  readonly checkpoint: StoredCheckpoint;
  /** Size of the newest checkpoint that the witness is known to have cosigned. */
  readonly old: number;
}

interface Parts {
  readonly log: Pick<EventLog, 'consistencyProof'>;
  readonly post: HttpPost;
}

/** The signature line of the witness. The message of a rejection is a sentence for the owner. */
export async function askWitness(request: CosignRequest, parts: Parts): Promise<string> {
  const first = await send(request, parts);
  if (first.status !== 409) return cosignatureIn(first, request);
  const known = parseSize(first.body.toString('latin1').replace(/\n$/, ''));
  const { size } = request.checkpoint;
  if (known > size) {
    throw new Error(`It has seen ${known} events of this log, which has ${size}: the log was rolled back.`);
  }
  return cosignatureIn(await send({ ...request, old: known }, parts), request);
}

function send({ witness, checkpoint, old }: CosignRequest, { log, post }: Parts): Promise<PostReply> {
  const proof = log.consistencyProof(old, checkpoint.size).path.map((hash) => Buffer.from(hash, 'hex'));
  const body = formatAddCheckpoint({ old, proof, checkpoint: checkpoint.note });
  return post({ url: `${witness.url}/add-checkpoint`, type: 'text/plain; charset=utf-8', body: Buffer.from(body) });
}

/** The signature of the witness only; other signatures in the reply are ignored. */
function cosignatureIn({ status, body }: PostReply, { witness, checkpoint }: CosignRequest): string {
  if (status === 422) throw new Error('It says that the log does not continue what it cosigned before: a fork.');
  if (status !== 200) throw new Error(`It answers ${status}${MEANING[status] ?? ''}.`);
  const key = parseVerifierKey(witness.vkey, [COSIGNATURE]);
  const { text } = parseNote(checkpoint.note);
  const signatures = parseSignatures(body.toString('utf8'));
  const own = signatures.find(({ name, id }) => name === key.name && id === key.id);
  if (own === undefined) throw new Error('Its answer does not bear its own cosignature.');
  verifyNote({ text, signatures: [own] }, [key], checkCosignature);
  return formatSignature(own);
}

const MEANING: Readonly<Record<number, string>> = {
  403: ': it does not accept the signature of this log',
  404: ': it does not know this log',
  409: ' again: it knows another size than it says',
  429: ': it is asked too often',
};
