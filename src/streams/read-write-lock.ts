/**
 * Who may write while another relies on what it read.
 *
 * - Work in turn has the memories for itself. Work beside its like goes on together, and takes care of itself what of
 *   the others it rests on; it never meets work in turn.
 * - First come, first served: whoever asks for a turn waits for those before it, whoever comes later waits for it.
 */
export interface MemoryTurns {
  inTurn<Result>(work: () => Promise<Result>): Promise<Result>;
  beside<Result>(work: () => Promise<Result>): Promise<Result>;
  /** How many turns have begun: while it stays, only work beside its like may have changed anything. */
  turns(): number;
}

export function createMemoryTurns(): MemoryTurns {
  /** The end of the last work in turn; never rejects. */
  let turn: Promise<unknown> = Promise.resolve();
  const besides = new Set<Promise<unknown>>();
  let count = 0;
  return {
    inTurn(work) {
      const mine = Promise.allSettled([turn, ...besides]).then(() => {
        count += 1;
        return work();
      });
      turn = mine.catch(() => undefined);
      return mine;
    },
    beside(work) {
      const mine = turn.then(work);
      const ended: Promise<unknown> = mine.then(
        () => besides.delete(ended),
        () => besides.delete(ended),
      );
      besides.add(ended);
      return mine;
    },
    turns: () => count,
  };
}
