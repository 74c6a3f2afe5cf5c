/**
 * Brings what is written in a room into the log, in batches.
 *
 * - A batch goes when its oldest piece has waited 200 ms or when it has 64 KiB; one append at a time.
 * - While the log takes no writes everything waits here, and is tried again every second.
 * - When the records since the last whole state outweigh that state, the next batch is the whole state: reading a text
 *   takes no longer the more often it was changed, and the log grows by at most twice what was written.
 */
import type { RoomTextEvent } from '../../events/room.ts';
import type { Replica } from '../../ports/replica.ts';

export const BATCH_MS_MAX = 200;
export const BATCH_BYTES_MAX = 65_536;
/** Lighter records are not worth a whole state. */
const COMPACT_BYTES_MIN = 262_144;
/** What a record costs beside its update, in the log and when it is read. */
const RECORD_BYTES = 256;
const RETRY_MS = 1_000;
/** What may wait for a log that takes no writes; beyond it the whole state takes its place. */
const WAITING_BYTES_MAX = 4_194_304;

/** Bytes of the last whole state in the log, and of the records after it. */
export interface Weight {
  readonly state: number;
  readonly since: number;
}

export interface RecorderParts {
  readonly append: (event: RoomTextEvent) => Promise<unknown>;
  /** Told once when the log takes no writes, and again only after it did. */
  readonly onTrouble: (why: Error) => void;
}

export interface Recorder {
  keep(update: Uint8Array): void;
  /** What is not in the log yet, oldest first. */
  unsaved(): readonly Uint8Array[];
  /** Resolves when nothing is unsaved, or the recorder was closed. */
  saved(): Promise<void>;
  /** One last attempt; answers whether everything is in the log. */
  close(): Promise<boolean>;
}

export function recordWeight(update: Uint8Array): number {
  return update.length + RECORD_BYTES;
}

export function createRecorder(
  { append, onTrouble }: RecorderParts,
  { replica, weight }: { readonly replica: Pick<Replica, 'merge' | 'state'>; readonly weight: Weight },
): Recorder {
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let inFlight: readonly Uint8Array[] = [];
  let recording: Promise<void> | null = null;
  let timer: NodeJS.Timeout | null = null;
  let { state: stateBytes, since } = weight;
  let isTroubled = false;
  let isClosed = false;
  const listeners: (() => void)[] = [];

  function later(ms: number): void {
    timer ??= setTimeout(begin, ms).unref();
  }

  function begin(): void {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (recording !== null || waiting.length === 0) return;
    inFlight = waiting;
    waiting = [];
    waitingBytes = 0;
    recording = record().finally(() => {
      recording = null;
      goOn();
    });
  }

  async function record(): Promise<void> {
    try {
      const event = nextEvent();
      if (event !== null) await append(event);
      if (event?.type === 'RoomTextCompacted') [stateBytes, since] = [sizeOf(event.data.state), 0];
      else if (event !== null) since += RECORD_BYTES + sizeOf(event.data.update);
      inFlight = [];
      isTroubled = false;
    } catch (error) {
      waiting = [...inFlight, ...waiting];
      inFlight = [];
      if (!isTroubled) onTrouble(error as Error);
      isTroubled = true;
    }
  }

  /** null when the text is such that neither its changes nor its state could be read again: then nobody else can. */
  function nextEvent(): RoomTextEvent | null {
    const isStateDue = since > Math.max(COMPACT_BYTES_MIN, stateBytes);
    const update = replica.merge(inFlight);
    const state = isStateDue || update === null ? replica.state() : null;
    if (state !== null) return { type: 'RoomTextCompacted', data: { state: base64(state) } };
    return update === null ? null : { type: 'RoomTextChanged', data: { update: base64(update) } };
  }

  function makeRoom(): void {
    const state = replica.state();
    if (state !== null) [waiting, waitingBytes] = [[state], 0];
  }

  function goOn(): void {
    if (isClosed || waiting.length === 0) {
      for (const resolve of listeners.splice(0)) resolve();
    } else if (isTroubled) later(RETRY_MS);
    else if (listeners.length > 0 || waitingBytes >= BATCH_BYTES_MAX) begin();
    else later(BATCH_MS_MAX);
  }

  return {
    keep(update) {
      waiting.push(update);
      waitingBytes += recordWeight(update);
      if (waitingBytes > WAITING_BYTES_MAX) makeRoom();
      if (recording !== null || isTroubled) return;
      if (waitingBytes >= BATCH_BYTES_MAX) begin();
      else later(BATCH_MS_MAX);
    },
    unsaved: () => [...inFlight, ...waiting],
    saved() {
      if (recording === null && waiting.length === 0) return DONE;
      const done = new Promise<void>((resolve) => listeners.push(resolve));
      if (!isTroubled) begin();
      return done;
    },
    async close() {
      await recording;
      begin();
      isClosed = true;
      await recording;
      if (timer !== null) clearTimeout(timer);
      return waiting.length === 0;
    },
  };
}

const DONE = Promise.resolve();

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

function sizeOf(encoded: string): number {
  return Buffer.byteLength(encoded, 'base64');
}
