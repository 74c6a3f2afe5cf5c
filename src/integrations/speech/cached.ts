/** Caches answers of programs for a minute. */

const KNOWN_MS = 60_000;

/** Concurrent callers share one request; a failure is not cached. */
export function cached<Result>(ask: () => Promise<Result>): () => Promise<Result> {
  let known: { readonly at: number; readonly answer: Promise<Result> } | undefined;
  return () => {
    // Not the time of day, which may be set back.
    const now = performance.now();
    if (known !== undefined && now - known.at < KNOWN_MS) return known.answer;
    const answer = ask();
    const mine = { at: now, answer };
    known = mine;
    answer.catch(() => {
      if (known === mine) known = undefined;
    });
    return answer;
  };
}
