/** Work that is done once, for all its callers. After a failure the next caller begins it again. */

export interface Once<Result> {
  /** The result of the work, which this begins unless it is under way or done. */
  run(): Promise<Result>;
  /** The result of work that has begun and has not failed; never rejects. */
  begun(): Promise<Result | undefined>;
}

export function createOnce<Result>(work: () => Promise<Result>): Once<Result> {
  let result: Promise<Result> | undefined;
  return {
    run() {
      result ??= work().catch((error: unknown) => {
        result = undefined;
        throw error;
      });
      return result;
    },
    begun: async () => result?.catch(() => undefined),
  };
}
