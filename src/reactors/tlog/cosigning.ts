/**
 * Asks the configured witnesses to cosign the newest checkpoint, and announces when too few of them do.
 *
 * - There is one round at a time; a checkpoint that is signed meanwhile is submitted in the next round.
 * - A failing witness is retried after growing pauses, each time with the newest checkpoint.
 */
import { Refused } from '../../commands/refusal.ts';
import { logWitnesses, WITNESSES_STREAM_ID, type WitnessAddress } from '../../commands/tlog/witnesses.ts';
import { isPaused, type Timers } from '../../lib/timers.ts';
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
import type { CheckpointStore, StoredCheckpoint } from '../../ports/checkpoint-store.ts';
import type { Clock } from '../../ports/clock.ts';
import type { HttpPost, PostReply } from '../../ports/http-post.ts';
import type { EventLog } from '../../storage/event-log.ts';
import type { CommandHandler } from '../../streams/command-handler.ts';
import { unlessNewer } from '../../streams/log-refusals.ts';
import type { Checkpoints } from './checkpoints.ts';

export interface CosigningParts {
  readonly log: Pick<EventLog, 'consistencyProof'>;
  readonly checkpoints: Pick<Checkpoints, 'newest' | 'onSigned'>;
  readonly store: CheckpointStore;
  readonly commandHandler: Pick<CommandHandler, 'load'>;
  readonly post: HttpPost;
  readonly clock: Clock;
  readonly after: Timers['after'];
  readonly announce: (line: string) => void;
  /** Whether this daemon runs the rounds that no reply needs. */
  readonly isOnDuty: () => boolean;
  /** How many witnesses must cosign; undefined: more than half of the configured ones. */
  readonly quorum: number | undefined;
}

export interface WitnessStatus extends WitnessAddress {
  /** Size of the newest checkpoint that the witness cosigned, 0 for none. */
  readonly size: number;
  /** Why the last request failed, null when it succeeded. */
  readonly error: string | null;
}

export interface Quorum {
  /** Witnesses that must cosign; 0 without witnesses. */
  readonly needed: number;
  /** Witnesses that cosigned the checkpoint of the last round. */
  readonly cosigned: number;
  /** Whether the last round ended with fewer cosignatures than needed. */
  readonly isMissing: boolean;
}

const PAUSE_MS_MIN = 5_000;
const PAUSE_MS_MAX = 300_000;
/** A reply waits this long for the witnesses. */
const REPLY_WAIT_MS = 2_000;

interface Failure {
  readonly error: string;
  readonly pauseMs: number;
  /** Not asked before this time, Unix milliseconds. */
  readonly until: number;
}

export class Cosigning {
  readonly #parts: CosigningParts;
  readonly #failures = new Map<string, Failure>();
  #round: Promise<void> | null = null;
  #isStopped = false;
  #cancelRetry: (() => void) | null = null;
  #next: Promise<void> | null = null;
  #last: { readonly cosigned: number } | null = null;
  #wasMissing = false;

  constructor(parts: CosigningParts) {
    this.#parts = parts;
    parts.checkpoints.onSigned(() => {
      if (parts.isOnDuty()) void this.#ask();
    });
  }

  /** Submits the newest checkpoint, unless it has all cosignatures. Never rejects. */
  async start(): Promise<void> {
    if (this.#parts.isOnDuty()) await this.#ask();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelRetry?.();
  }

  /**
   * The newest checkpoint, with the cosignatures that came within `REPLY_WAIT_MS`. If these are too few and an
   * older checkpoint of at least `size` events has enough, the older one. Throws `Refused` when the log cannot sign.
   */
  async published(size = Number.POSITIVE_INFINITY): Promise<StoredCheckpoint> {
    const { store } = this.#parts;
    const newest = await this.#parts.checkpoints.newest();
    const needed = this.#needed();
    if (this.#cosigners(newest) >= needed) return newest;
    await this.#within(REPLY_WAIT_MS, this.#ask());
    const cosigned = store.ofSize(newest.origin, newest.size) ?? newest;
    if (this.#cosigners(cosigned) >= needed) return cosigned;
    const witnesses = this.#witnesses().map(({ vkey }) => vkey);
    const older = store.newestCosigned(newest.origin, { witnesses, needed });
    return older !== undefined && older.size >= size ? older : cosigned;
  }

  quorum(): Quorum {
    const needed = this.#needed();
    const cosigned = this.#last?.cosigned ?? 0;
    return { needed, cosigned, isMissing: this.#last !== null && cosigned < needed };
  }

  status(origin: string): readonly WitnessStatus[] {
    return this.#witnesses().map(({ url, vkey }) => ({
      url,
      vkey,
      size: this.#parts.store.sizeCosignedBy(origin, vkey),
      error: this.#failures.get(vkey)?.error ?? null,
    }));
  }

  /** Called after the witnesses were changed: asks all of them at once. */
  async changed(): Promise<void> {
    this.#failures.clear();
    await this.#ask();
  }

  #witnesses(): readonly WitnessAddress[] {
    return this.#parts.commandHandler.load(logWitnesses, WITNESSES_STREAM_ID).witnesses;
  }

  /** 0 while this program is too old for an event of the witnesses: then no checkpoint is published either. */
  #count(): number {
    return unlessNewer(
      () => this.#witnesses().length,
      () => 0,
    );
  }

  #needed(): number {
    const count = this.#count();
    return Math.min(count, this.#parts.quorum ?? Math.floor(count / 2) + 1);
  }

  /** Resolves after a round with the present newest checkpoint or a newer one. */
  #ask(): Promise<void> {
    if (this.#isStopped || this.#count() === 0) return Promise.resolve();
    if (this.#round === null) return this.#start();
    this.#next ??= this.#round.then(() => this.#start());
    return this.#next;
  }

  /** Number of configured witnesses that cosigned the checkpoint. */
  #cosigners({ witnesses }: StoredCheckpoint): number {
    return this.#witnesses().filter(({ vkey }) => witnesses.includes(vkey)).length;
  }

  #start(): Promise<void> {
    this.#next = null;
    const round: Promise<void> = this.#runRound().finally(() => {
      if (this.#round === round) this.#round = null;
    });
    this.#round = round;
    return round;
  }

  async #runRound(): Promise<void> {
    try {
      const { checkpoints, store } = this.#parts;
      const newest = await checkpoints.newest();
      await Promise.all(this.#witnesses().map((witness) => this.#askOne(witness, newest)));
      if (this.#isStopped) return;
      this.#last = { cosigned: this.#cosigners(store.ofSize(newest.origin, newest.size) ?? newest) };
      this.#announceQuorum();
      this.#retryLater();
    } catch (error) {
      this.#last = null;
      // `Checkpoints` announces why the log cannot sign.
      if (!(error instanceof Refused)) this.#parts.announce(`No witness was asked: ${(error as Error).message}`);
    }
  }

  async #askOne(witness: WitnessAddress, newest: StoredCheckpoint): Promise<void> {
    const { clock, store } = this.#parts;
    const { vkey } = witness;
    const failure = this.#failures.get(vkey);
    if (newest.witnesses.includes(vkey)) return;
    if (failure !== undefined && isPaused(failure.until, { now: clock.now(), msMax: PAUSE_MS_MAX })) return;
    try {
      const old = store.sizeCosignedBy(newest.origin, vkey);
      const line = await askWitness({ witness, checkpoint: newest, old }, this.#parts);
      if (this.#isStopped) return;
      store.addCosignature({ origin: newest.origin, size: newest.size, witness: vkey, line });
      this.#failures.delete(vkey);
    } catch (error) {
      const pauseMs = Math.min(PAUSE_MS_MAX, (failure?.pauseMs ?? PAUSE_MS_MIN / 2) * 2);
      this.#failures.set(vkey, { error: (error as Error).message, pauseMs, until: clock.now() + pauseMs });
    }
  }

  #announceQuorum(): void {
    const { needed, cosigned, isMissing } = this.quorum();
    if (isMissing && !this.#wasMissing) {
      this.#parts.announce(`Only ${cosigned} of ${needed} witnesses cosigned the log; see: daybook log witness list`);
    }
    this.#wasMissing = isMissing;
  }

  #retryLater(): void {
    this.#cancelRetry?.();
    this.#cancelRetry = null;
    const retryTimes = this.#witnesses().flatMap(({ vkey }) => this.#failures.get(vkey)?.until ?? []);
    if (retryTimes.length === 0) return;
    const wait = Math.min(PAUSE_MS_MAX, Math.max(1, Math.min(...retryTimes) - this.#parts.clock.now()));
    this.#cancelRetry = this.#parts.after(wait, () => void this.#ask());
  }

  async #within(milliseconds: number, work: Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#parts.after(milliseconds, resolve);
    await Promise.race([work, promise]);
    cancel();
  }
}

interface CosignRequest {
  readonly witness: WitnessAddress;
  readonly checkpoint: StoredCheckpoint;
  /** Size of the newest checkpoint that the witness is known to have cosigned. */
  readonly old: number;
}

type Parts = Pick<CosigningParts, 'log' | 'post'>;

/**
 * The signature line of the witness (c2sp.org/tlog-witness). The request is repeated once, with the size that the
 * witness reports. The message of a rejection is a sentence for the owner.
 */
async function askWitness(request: CosignRequest, parts: Parts): Promise<string> {
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
