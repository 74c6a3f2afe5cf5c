/** Divides long work into slices of a few milliseconds, so that the event loop serves other work in between. */

/** The clock and the scheduler of slices; tests replace them. */
export interface Slicing {
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  /** Resolves in a later turn of the event loop. */
  readonly turn: () => Promise<unknown>;
}

export const SLICE_MS = 5;

/** Slices that wait for the next turn. */
let due = 0;

/** Whether a slice comes at the end of this turn: what waits for that end waits up to `SLICE_MS` longer. */
export function isSliceDue(): boolean {
  return due > 0;
}

/** Begins a slice in the next turn of the event loop. Returns a function that cancels it. */
export function inNextTurn(slice: () => void): () => void {
  due += 1;
  let isDue = true;
  const settle = (): void => {
    if (isDue) due -= 1;
    isDue = false;
  };
  const immediate = setImmediate(() => {
    settle();
    slice();
  });
  return () => {
    clearImmediate(immediate);
    settle();
  };
}

/** Long works that wait for their turn. */
const waiting: (() => void)[] = [];

/**
 * Resolves in a later turn of the event loop, in which no other work that waits for its own turn continues: however
 * much long work there is, other work waits for one slice of it only. First come, first served.
 */
export function ownTurn(): Promise<void> {
  return new Promise((begins) => {
    waiting.push(begins);
    if (waiting.length === 1) inNextTurn(serve);
  });
}

function serve(): void {
  const begins = waiting.shift()!;
  if (waiting.length > 0) inNextTurn(serve);
  begins();
}

const OF_THIS_PROCESS: Slicing = { now: () => performance.now(), turn: ownTurn };

export class TimeSlices {
  readonly #slicing: Slicing;
  #end: number;

  constructor(slicing: Slicing = OF_THIS_PROCESS) {
    this.#slicing = slicing;
    this.#end = slicing.now() + SLICE_MS;
  }

  /** True once the slice is over; then `next` is due. Asked after each small step. */
  get isOver(): boolean {
    return this.#slicing.now() >= this.#end;
  }

  /** Begins the next slice in a later turn of the event loop. */
  async next(): Promise<void> {
    await this.#slicing.turn();
    this.#end = this.#slicing.now() + SLICE_MS;
  }
}

/**
 * The items one after the other. When handling them has taken `SLICE_MS` in one turn of the event loop, the next one
 * comes in a later turn, so other work may change shared state between two items.
 */
export async function* inSlices<Item>(items: Iterable<Item>, slicing?: Slicing): AsyncGenerator<Item> {
  const slices = new TimeSlices(slicing);
  for (const item of items) {
    if (slices.isOver) await slices.next();
    yield item;
  }
}
