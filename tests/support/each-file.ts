/** Runs before each test file: at the end of the file the process is as the next file expects it. */
import { appendFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, expect, vi } from 'vitest';
import { IS_LONG } from './depth.ts';
import { removeTemporaryFolders } from './folders.ts';
import { processorSeconds } from './processor-time.ts';

/**
 * The seed of properties that name none. It is always the same one, so that a test that passes does so again on the same sources;
 * `DAYBOOK_SEED=random` and long runs look for new cases, and `DAYBOOK_SEED=<number>` repeats what such a run found.
 */
const { DAYBOOK_SEED = IS_LONG ? 'random' : '9162' } = process.env;
if (DAYBOOK_SEED !== 'random') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(DAYBOOK_SEED) });

// `npm run test:times` names a file: a line for each test file says what it cost. Registered first, so it runs last.
const { DAYBOOK_TEST_TIMES } = process.env;
if (DAYBOOK_TEST_TIMES !== undefined) {
  const before = processorSeconds();
  afterAll(() => {
    const { testPath } = expect.getState();
    appendFileSync(DAYBOOK_TEST_TIMES, `${processorSeconds() - before} ${testPath}\n`);
  });
}

// The hook that is registered first runs last: what a file itself does at its end (stop a daemon) comes before this.
afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  removeTemporaryFolders();
});
