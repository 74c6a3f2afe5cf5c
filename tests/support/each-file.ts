/** Runs before each test file: restores the process at the end of the file, so that the next file finds it unchanged. */
import { appendFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, expect, vi } from 'vitest';
import { IS_LONG } from './depth.ts';
import { removeTemporaryFolders } from './folders.ts';
import { processorSeconds } from './processor-time.ts';

/**
 * The seed of properties without one of their own. It is constant, so that a test that passes does so again on the same
 * sources. `DAYBOOK_SEED=random` and long runs try new cases, and `DAYBOOK_SEED=<number>` repeats a failed run.
 */
const { DAYBOOK_SEED = IS_LONG ? 'random' : '9162' } = process.env;
if (DAYBOOK_SEED !== 'random') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(DAYBOOK_SEED) });

// `npm run test:times` sets a path: each test file appends its processor time as a line. Registered first, so it runs last.
const { DAYBOOK_TEST_TIMES } = process.env;
if (DAYBOOK_TEST_TIMES !== undefined) {
  const before = processorSeconds();
  afterAll(() => {
    const { testPath } = expect.getState();
    appendFileSync(DAYBOOK_TEST_TIMES, `${processorSeconds() - before} ${testPath}\n`);
  });
}

// The hook that is registered first runs last: the hooks of the file itself (such as stopping a daemon) run before it.
afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  removeTemporaryFolders();
});
