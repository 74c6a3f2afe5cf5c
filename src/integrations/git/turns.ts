/**
 * One piece of work at a time for each key. Whoever comes while it is under way waits for the next, and all of them
 * share that one: it begins only after they came, so nobody gets an answer from before they asked.
 */

export function createTurns<Result>() {
  const turns = new Map<string, { running: Promise<unknown>; next: Promise<Result> | null }>();
  return (key: string, work: () => Promise<Result>): Promise<Result> => {
    const turn = turns.get(key) ?? { running: Promise.resolve(), next: null };
    turns.set(key, turn);
    if (turn.next !== null) return turn.next;
    const next = turn.running.then(() => {
      turn.next = null;
      return work();
    });
    const settled = next.then(
      () => undefined,
      () => undefined,
    );
    turn.next = next;
    turn.running = settled;
    void settled.then(() => {
      if (turn.running === settled && turn.next === null) turns.delete(key);
    });
    return next;
  };
}
