/** Caches answers of programs for a minute. */

const KNOWN_MS = 60_000;

export type Cached = <Result>(ask: () => Promise<Result>) => () => Promise<Result>;

/** Concurrent callers share one request; a failure is not cached. `now` returns milliseconds. */
export function cachedBy(now: () => number): Cached {
  return <Result>(ask: () => Promise<Result>) => {
    let known: { readonly at: number; readonly answer: Promise<Result> } | undefined;
    return () => {
      if (known !== undefined && now() - known.at < KNOWN_MS) return known.answer;
      const answer = ask();
      const mine = { at: now(), answer };
      known = mine;
      answer.catch(() => {
        if (known === mine) known = undefined;
      });
      return answer;
    };
  };
}
