/**
 * Records the updates of a room in the log, in batches.
 *
 * - A batch is appended when its oldest update has waited 200 ms or when it has 64 KiB; one append at a time.
 * - While the log takes no writes, the updates are buffered and the recorder retries every second.
 * - When the records since the last whole state are larger than that state, the next batch is the whole state. So
 *   reading a text costs the same however often it changes, and the log grows by at most twice the size of the updates.
 */
import type { RoomTextEvent } from '../../events/room.ts';
import type { Replica } from '../../ports/replica.ts';

export const BATCH_MS_MAX = 200;
export const BATCH_BYTES_MAX = 65_536;
const COMPACT_BYTES_MIN = 262_144;
/** The overhead of a record in addition to its update. */
const RECORD_BYTES = 256;
const RETRY_MS = 1_000;
/** Limit of buffered updates; beyond it the whole state replaces them. */
const WAITING_BYTES_MAX = 4_194_304;

/** Bytes of the last whole state in the log, and of the records after it. */
export interface Weight {
  readonly state: number;
  readonly since: number;
}

export interface RecorderParts {
  readonly append: (event: RoomTextEvent) => Promise<unknown>;
  /** Called when an append fails; once until an append succeeds again. */
  readonly onTrouble: (error: Error) => void;
  /**
   * Whether other daemons write the text, too. Then no whole state is recorded, because readers begin at one, and it
   * may lack what another daemon appended just before.
   */
  readonly isShared?: boolean;
}

export function recordWeight(update: Uint8Array): number {
  return update.length + RECORD_BYTES;
}

export class TextRecorder {
  readonly #parts: RecorderParts;
  readonly #replica: Pick<Replica, 'merge' | 'state'>;
  #weight: Weight;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #inFlight: readonly Uint8Array[] = [];
  #recording: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #isTroubled = false;
  #isClosed = false;
  readonly #onSaved: (() => void)[] = [];

  constructor(
    parts: RecorderParts,
    { replica, weight }: { readonly replica: Pick<Replica, 'merge' | 'state'>; readonly weight: Weight },
  ) {
    this.#parts = parts;
    this.#replica = replica;
    this.#weight = weight;
  }

  add(update: Uint8Array): void {
    this.#waiting.push(update);
    this.#waitingBytes += recordWeight(update);
    if (this.#waitingBytes > WAITING_BYTES_MAX) this.#compactWaiting();
    if (this.#recording !== null || this.#isTroubled) return;
    if (this.#waitingBytes >= BATCH_BYTES_MAX) this.#begin();
    else this.#beginIn(BATCH_MS_MAX);
  }

  /** The updates that are not yet in the log, oldest first. */
  unsaved(): readonly Uint8Array[] {
    return [...this.#inFlight, ...this.#waiting];
  }

  /** Resolves when every update is in the log, or when the recorder is closed. */
  async saved(): Promise<void> {
    if (this.#recording === null && this.#waiting.length === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onSaved.push(resolve);
    if (!this.#isTroubled) this.#begin();
    return promise;
  }

  /** Makes a last attempt to append. Resolves with whether every update is in the log. */
  async close(): Promise<boolean> {
    await this.#recording;
    this.#begin();
    this.#isClosed = true;
    await this.#recording;
    if (this.#timer !== null) clearTimeout(this.#timer);
    return this.#waiting.length === 0;
  }

  #beginIn(ms: number): void {
    this.#timer ??= setTimeout(() => this.#begin(), ms).unref();
  }

  #begin(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#recording !== null || this.#waiting.length === 0) return;
    this.#inFlight = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#recording = this.#record().finally(() => {
      this.#recording = null;
      this.#continue();
    });
  }

  async #record(): Promise<void> {
    try {
      const event = this.#nextEvent();
      if (event !== null) await this.#parts.append(event);
      if (event !== null) this.#weight = weightAfter(event, this.#weight);
      this.#inFlight = [];
      this.#isTroubled = false;
    } catch (error) {
      this.#waiting = [...this.#inFlight, ...this.#waiting];
      this.#waitingBytes += this.#inFlight.reduce((sum, update) => sum + recordWeight(update), 0);
      this.#inFlight = [];
      if (!this.#isTroubled) this.#parts.onTrouble(error as Error);
      this.#isTroubled = true;
    }
  }

  /** null when neither the updates nor the whole state would be readable. */
  #nextEvent(): RoomTextEvent | null {
    const { isShared = false } = this.#parts;
    const isStateDue = !isShared && this.#weight.since > Math.max(COMPACT_BYTES_MIN, this.#weight.state);
    const update = this.#replica.merge(this.#inFlight);
    const state = isStateDue || update === null ? this.#replica.state() : null;
    if (state !== null && isShared) return { type: 'RoomTextChanged', data: { update: base64(state) } };
    if (state !== null) return { type: 'RoomTextCompacted', data: { state: base64(state) } };
    return update === null ? null : { type: 'RoomTextChanged', data: { update: base64(update) } };
  }

  #compactWaiting(): void {
    const state = this.#replica.state();
    if (state !== null) [this.#waiting, this.#waitingBytes] = [[state], 0];
  }

  #continue(): void {
    if (this.#isClosed || this.#waiting.length === 0) {
      for (const resolve of this.#onSaved.splice(0)) resolve();
    } else if (this.#isTroubled) this.#beginIn(RETRY_MS);
    else if (this.#onSaved.length > 0 || this.#waitingBytes >= BATCH_BYTES_MAX) this.#begin();
    else this.#beginIn(BATCH_MS_MAX);
  }
}

function weightAfter(event: RoomTextEvent, { state, since }: Weight): Weight {
  if (event.type === 'RoomTextCompacted') return { state: sizeOf(event.data.state), since: 0 };
  return { state, since: since + RECORD_BYTES + sizeOf(event.data.update) };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

function sizeOf(encoded: string): number {
  return Buffer.byteLength(encoded, 'base64');
}
