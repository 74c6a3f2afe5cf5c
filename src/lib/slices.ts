/**
 * Long work in slices of a few milliseconds, so that others that share the event loop are served in between.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** What slices are cut by; given by tests. */
export interface Slicing {
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  /** Resolves in a later turn of the event loop. */
  readonly turn: () => Promise<unknown>;
}

export const SLICE_MS = 5;

const OF_THIS_PROCESS: Slicing = { now: () => performance.now(), turn: () => nextTurn() };

/**
 * The items one after the other. When handling them has taken `SLICE_MS` in one turn of the event loop, the next one
 * comes in a later turn; so what is known about the world before an item may be different after it.
 */
export async function* inSlices<Item>(
  items: Iterable<Item>,
  { now, turn }: Slicing = OF_THIS_PROCESS,
): AsyncGenerator<Item> {
  let end = now() + SLICE_MS;
  for (const item of items) {
    if (now() >= end) {
      await turn();
      end = now() + SLICE_MS;
    }
    yield item;
  }
}
