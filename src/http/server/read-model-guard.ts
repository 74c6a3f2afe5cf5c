/**
 * Refuses routes that need the read models with 503 while these cannot be read. The result of a handler is discarded
 * when they became unreadable meanwhile, because it may rest on rows that were rolled back. The events that the
 * handler appended stay.
 */
import { retryLater } from './errors.ts';
import type { RouteSpec } from './route.ts';

const KEPT = 'What this request has changed is kept.';

type Guarded = Pick<RouteSpec, 'method' | 'withoutViews'>;

export interface ReadModelGuard {
  /** Throws 503 while the route cannot be served. */
  check(route: Guarded): void;
  /** Throws 503 when the route's handler may have read rows that were rolled back. */
  checkAfter(route: Guarded): void;
}

/** `unavailable` returns null, or why the read models cannot be read. */
export function createReadModelGuard(unavailable: () => string | null): ReadModelGuard {
  const reason = ({ withoutViews }: Guarded): string | null => (withoutViews === true ? null : unavailable());
  return {
    check(route) {
      const why = reason(route);
      if (why !== null) throw retryLater(why);
    },
    checkAfter(route) {
      const why = reason(route);
      if (why !== null) throw retryLater(route.method === 'GET' ? why : `${why} ${KEPT}`);
    },
  };
}
