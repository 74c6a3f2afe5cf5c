/**
 * Refuses routes that need the read models with 503 while these cannot be read. The result of a handler is discarded
 * when they became unreadable meanwhile, because it may rest on rows that were rolled back. The events that the
 * handler appended stay.
 */
import { errorReply, HttpError } from './errors.ts';
import type { RouteSpec } from './route.ts';

const KEPT = 'What this request has changed is kept.';

type Guarded = Pick<RouteSpec, 'method' | 'withoutViews'>;

export interface ReadModelGuard {
  /** Throws 503 while the route cannot be served. */
  check(route: Guarded): void;
  /** Runs a handler and checks again at its end. */
  run<Result>(route: Guarded, work: () => Result | Promise<Result>): Promise<Result>;
}

/** `unavailable` returns null, or why the read models cannot be read. */
export function createReadModelGuard(unavailable: () => string | null): ReadModelGuard {
  const reason = ({ withoutViews }: Guarded): string | null => (withoutViews === true ? null : unavailable());

  function checkAfter(route: Guarded): void {
    const why = reason(route);
    if (why !== null) throw refusal(route.method === 'GET' ? why : `${why} ${KEPT}`);
  }

  return {
    check(route) {
      const why = reason(route);
      if (why !== null) throw refusal(why);
    },
    async run(route, work) {
      try {
        const result = await work();
        checkAfter(route);
        return result;
      } catch (error) {
        // The handler's own 503 is more precise: nothing could be appended.
        if (errorReply(error).status !== 503) checkAfter(route);
        throw error;
      }
    },
  };
}

function refusal(message: string): HttpError {
  return new HttpError(503, message, { 'retry-after': '5' });
}
