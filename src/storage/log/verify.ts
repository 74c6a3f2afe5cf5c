/**
 * Verification of the log: recomputes everything from the stored events and compares it with the stored records.
 *
 * - The events are checked first, in order. They determine head, tiles, nodes, stream index and ids, which are then
 *   compared with the stored ones.
 * - Verification reads one snapshot, so appends continue. It does not throw for damage.
 * - It needs 12 bytes of memory per event, and the stream names.
 */
import { faultOf } from '../disk-error.ts';
import type { Fault, KeyValueEngine, Reader } from '../engine.ts';
import { StorageError } from '../errors.ts';
import type { LogVerification } from '../event-log.ts';
import { equalHashes, frontierHash } from '../merkle.ts';
import { damaged, LOG_FILE, type Note } from './damage.ts';
import { HEAD_KEY } from './keys.ts';
import { decodeHead, toHex } from './record.ts';
import { EMPTY_HEAD } from './state.ts';
import { EventCheck } from './verify-events.ts';
import { checkIndexes } from './verify-indexes.ts';

export type Progress = (done: number, total: number) => void;

const FAULTS_MAX = 100;
const STEPS_PER_TURN = 1_024;

/**
 * Resolves with at most 100 faults. `progress` receives the events checked and the events in total. Rejects when the
 * engine is closed meanwhile: that is no damage.
 */
export async function verifyLog(engine: KeyValueEngine, progress: Progress = () => {}): Promise<LogVerification> {
  const faults: Fault[] = [];
  const note: Note = (what) => {
    if (faults.length < FAULTS_MAX) faults.push({ file: LOG_FILE, offset: null, what: damaged(what).message });
  };
  let events: EventCheck | undefined;
  const snapshot = engine.snapshot();
  try {
    events = new EventCheck(snapshot, note);
    for (const steps of verification(snapshot, { events, note, progress })) {
      if (steps % STEPS_PER_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  } catch (error) {
    if (!(error instanceof StorageError) || error.code === 'STORAGE_CLOSED') throw error;
    faults.push(faultOf(error, LOG_FILE));
  } finally {
    snapshot.release();
  }
  const frontier = events?.frontier ?? EMPTY_HEAD.frontier;
  return { ok: faults.length === 0, head: frontier.size, treeHash: toHex(frontierHash(frontier)), errors: faults };
}

/** Yields a running count, so that the caller can yield to the event loop. */
function* verification(
  reader: Reader,
  options: { readonly events: EventCheck; readonly note: Note; readonly progress: Progress },
): Generator<number> {
  const { events, note, progress } = options;
  const record = reader.get(HEAD_KEY);
  const head = record === undefined ? EMPTY_HEAD : decodeHead(record);
  const total = head.frontier.size;
  for (const position of events.run()) {
    if (position % STEPS_PER_TURN === 0) progress(position, total);
    yield position;
  }
  const { frontier, newestId } = events;
  if (frontier.size !== total) note(`its head says ${total} events, it holds ${frontier.size}`);
  if (newestId !== head.newestId) note(`its head names ${head.newestId} as newest id, it is ${newestId}`);
  if (!equalHashes(frontierHash(frontier), frontierHash(head.frontier)))
    note('the tree hash of its head is another one');
  yield* checkIndexes(reader, events, note);
  progress(total, total);
}
