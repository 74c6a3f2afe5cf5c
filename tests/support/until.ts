import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_MS = 10;
const PATIENCE_MS = 25_000;

/**
 * Looks until there is something, which it answers: not undefined and not false. The test's own time limit ends it; where
 * `what` says what is waited for, an error that names it does so after 25 s.
 */
export async function until<Found>(
  look: () => Found | Promise<Found>,
  what?: string,
): Promise<Exclude<Found, undefined | false>> {
  const end = what === undefined ? Infinity : performance.now() + PATIENCE_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found as Exclude<Found, undefined | false>;
    if (performance.now() > end) throw new Error(`This did not happen: ${what}`);
    await sleep(LOOK_MS);
  }
}
