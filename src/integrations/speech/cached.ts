/** Answers of programs that are asked once a minute at most. */

const KNOWN_MS = 60_000;

/** Caches an answer for a minute. */
export type Cached = <Result>(ask: () => Promise<Result>) => () => Promise<Result>;

/** Callers share an answer that is on its way; a failure is not cached. `now` gives milliseconds. */
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
