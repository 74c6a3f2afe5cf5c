/**
 * This Daybook as a witness of other logs (c2sp.org/tlog-witness): it cosigns a checkpoint that continues the newest
 * one that it cosigned before, and records proof of a fork.
 *
 * - A cosigned checkpoint is durable before the answer. For each log, checking and writing are one exclusive step.
 */
import { Refused, refused } from '../../commands/refusal.ts';
import { TRUSTED_LOGS_STREAM_ID, trustedLogs } from '../../commands/tlog/trusted-logs.ts';
import { KeyedMutex } from '../../lib/keyed-mutex.ts';
import { type AddCheckpoint, parseAddCheckpoint } from '../../lib/tlog/add-checkpoint.ts';
import { type Checkpoint, parseCheckpoint } from '../../lib/tlog/checkpoint.ts';
import { checkCosignature, cosign } from '../../lib/tlog/cosignature.ts';
import {
  COSIGNATURE,
  checkText,
  formatNote,
  formatSignature,
  type Note,
  NoteError,
  type NoteSignature,
  parseNote,
  parseVerifierKey,
  verifyNote,
} from '../../lib/tlog/signed-note.ts';
import type { Clock } from '../../ports/clock.ts';
import { LogKeyTrouble } from '../../ports/log-keys.ts';
import { type WitnessStates, WitnessStateTrouble } from '../../ports/witness-states.ts';
import { EMPTY_TREE_HASH, equalHashes, verifyConsistency } from '../../storage/merkle.ts';
import type { CommandHandler, Origin } from '../../streams/command-handler.ts';
import type { LogKeys, OpenKeys } from './log-keys.ts';

export interface WitnessParts {
  readonly keys: LogKeys;
  readonly states: WitnessStates;
  readonly clock: Clock;
  readonly commandHandler: Pick<CommandHandler, 'load' | 'dispatch'>;
  readonly announce: (line: string) => void;
}

/** `conflict`: the newest checkpoint that the witness knows has another size than the caller states. */
export type Witnessed =
  | { readonly kind: 'cosigned'; readonly lines: string }
  | { readonly kind: 'conflict'; readonly size: number };

/** The newest checkpoint of a log that this witness cosigned, and the newest one that the log offered. */
export interface WitnessedLog {
  readonly size: number;
  readonly note: string;
  /** Size of the newest checkpoint that the log offered, null when it offered none since the start of the daemon. */
  readonly offered: number | null;
}

const SYSTEM: Origin = { actor: 'system', correlation: null };

interface Offer {
  readonly request: AddCheckpoint;
  readonly note: Note;
  readonly checkpoint: Checkpoint;
}

export class Witness {
  readonly #parts: WitnessParts;
  readonly #mutex = new KeyedMutex();
  readonly #offered = new Map<string, number>();

  constructor(parts: WitnessParts) {
    this.#parts = parts;
  }

  /** Carries out a request to cosign. Throws `Refused`. */
  async add(body: string): Promise<Witnessed> {
    const offer = offerIn(body);
    const { origin, size } = offer.checkpoint;
    this.#requireSignature(offer);
    if (offer.request.old > size) throw refused('invalid', 'The old size is larger than the size of the checkpoint.');
    this.#offered.set(origin, size);
    try {
      return await this.#mutex.run(origin, async () => this.#cosign(await this.#parts.keys.open(), offer));
    } catch (error) {
      if (error instanceof Refused) throw error;
      if (!(error instanceof WitnessStateTrouble || error instanceof LogKeyTrouble)) throw error;
      // The text may name a path; the caller is a stranger.
      this.#parts.announce(`A checkpoint was not cosigned: ${error.message}`);
      throw refused('unavailable', 'The witness cannot cosign at the moment.');
    }
  }

  /** The state of a log; null when none of its checkpoints was ever cosigned. Throws `WitnessStateTrouble`. */
  async known(origin: string): Promise<WitnessedLog | null> {
    const note = await this.#parts.states.read(origin);
    if (note === null) return null;
    return { size: checkpointIn(note).size, note, offered: this.#offered.get(origin) ?? null };
  }

  /** Throws `Refused` unless a trusted key of the log signed the checkpoint. */
  #requireSignature({ note, checkpoint: { origin } }: Offer): void {
    const { trusted } = this.#parts.commandHandler.load(trustedLogs, TRUSTED_LOGS_STREAM_ID);
    const keys = trusted.map((vkey) => parseVerifierKey(vkey)).filter(({ name }) => name === origin);
    if (keys.length === 0) throw refused('not_found', 'This witness does not know the log.');
    try {
      if (verifyNote(note, keys, checkText).length > 0) return;
    } catch (error) {
      if (!(error instanceof NoteError)) throw error;
      throw refused('forbidden', error.message);
    }
    throw refused('forbidden', 'No trusted key of the log signed the checkpoint.');
  }

  async #cosign(keys: OpenKeys, offer: Offer): Promise<Witnessed> {
    const { request, note, checkpoint } = offer;
    const stored = await this.#parts.states.read(checkpoint.origin);
    const known = stored === null ? null : ownCheckpoint(keys, stored);
    const fault = inconsistency(known, checkpoint, request);
    const isOtherTree = known?.size === checkpoint.size && !equalHashes(known.root, checkpoint.root);
    if (stored !== null && (isOtherTree || (fault !== null && known?.size === request.old))) {
      await this.#recordFork(stored, offer);
    }
    const size = known?.size ?? 0;
    if (request.old !== size) return { kind: 'conflict', size };
    if (fault !== null) throw refused('unsupported', fault);
    const seconds = Math.max(1, Math.floor(this.#parts.clock.now() / 1_000));
    const cosignature = cosign(keys.witness, { name: keys.witnessName, seconds }, note.text);
    const signatures = [...note.signatures.filter(({ name }) => name === checkpoint.origin), cosignature];
    await this.#parts.states.write(checkpoint.origin, formatNote({ text: note.text, signatures }), stored);
    return { kind: 'cosigned', lines: formatSignature(cosignature) };
  }

  async #recordFork(known: string, { request: { checkpoint: other }, checkpoint: { origin, size } }: Offer) {
    const { commandHandler, announce } = this.#parts;
    const command = { type: 'RecordFork', origin, size, known, other } as const;
    const options = { origin: SYSTEM };
    const { events } = await commandHandler.dispatch(trustedLogs, TRUSTED_LOGS_STREAM_ID, command, options);
    if (events.length > 0) announce(`The log ${origin} signed two histories; see: daybook log witness list`);
  }
}

/** Why the checkpoint does not continue the known one, null when it does. `old` is the size that the caller states. */
function inconsistency(known: Checkpoint | null, { size, root }: Checkpoint, { old, proof }: AddCheckpoint) {
  if (size === 0 && !equalHashes(root, EMPTY_TREE_HASH)) return 'The root hash of an empty tree is another one.';
  if (known === null || known.size === 0) return proof.length === 0 ? null : 'From size 0 a proof is empty.';
  const claim = { from: old, to: size, fromRoot: known.root, toRoot: root, path: proof };
  return verifyConsistency(claim) ? null : 'The checkpoint is not consistent with the one that was cosigned before.';
}

/** Checks the witness's own cosignature, so that a changed file cannot make it sign two histories. */
function ownCheckpoint({ witness: { publicKey } }: OpenKeys, stored: string): Checkpoint {
  const checkpoint = checkpointIn(stored);
  const { text, signatures } = parseNote(stored);
  const isOwn = ({ name, id, signature }: NoteSignature): boolean =>
    checkCosignature({ name, id, type: COSIGNATURE, publicKey }, text, signature);
  if (signatures.some(isOwn)) return checkpoint;
  throw new WitnessStateTrouble('What was cosigned before does not bear the cosignature of this witness.');
}

function checkpointIn(note: string): Checkpoint {
  try {
    return parseCheckpoint(parseNote(note).text);
  } catch (error) {
    throw new WitnessStateTrouble(`What was cosigned before is damaged: ${(error as Error).message}`);
  }
}

/** Throws `Refused`. */
function offerIn(body: string): Offer {
  try {
    const request = parseAddCheckpoint(body);
    const note = parseNote(request.checkpoint);
    return { request, note, checkpoint: parseCheckpoint(note.text) };
  } catch (error) {
    if (error instanceof NoteError) throw refused('invalid', error.message);
    throw error;
  }
}
