import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';

// Test processes, and the threads and processes that the code under test starts, compile each module once.
process.env.NODE_COMPILE_CACHE ??= resolve('node_modules/.cache/daybook-tests');

/** Test files that `npm test` runs on a sample: they import tests/support/depth.ts. With DAYBOOK_LONG=1 they try all at once. */
const SAMPLED = globSync('tests/**/*.test.ts').filter((path) =>
  /from '[./\w-]*\/depth\.ts'/.test(readFileSync(path, 'utf8')),
);

/**
 * - `unit` is what `npm run check` runs: no sockets, no child processes.
 * - `npm test` runs `unit` and `e2e`.
 * - `release` is what a release must hold beside them, and what takes a minute to see: the package as it is installed, the
 *   reports of its interface, Node 20, the public suite of abstract-level on every engine, the formats of soffice, 64 runs
 *   over three daemons with ten kills, two versions side by side, the benchmarks as programs. It also runs the files again that `npm test` runs on a
 *   sample (`tests/support/depth.ts`), densely. CI runs it after `npm test`, by `npm run test:release`.
 *
 * Test files share five processes and the modules in them: evaluating the sources again for each file takes longer than most
 * files. So a test that changes the process (environment, timers, globals, functions of Node) changes it back;
 * `each-file.ts` does it for what `vi` changed.
 */
export default defineConfig({
  test: {
    // For what hangs. A test takes a second or two, and ten times as long on a machine that does much else.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A busy machine needs longer than a second for what `expect.poll` waits for; a condition that holds ends the wait at once.
    expect: { poll: { timeout: 20_000 } },
    // More than two cores need: half of the time an end-to-end test waits for a process, a socket or a timer.
    maxWorkers: 5,
    isolate: false,
    // Node runs the sources as a daemon does. Vite's module runner evaluates each import at each use, which costs the tests of
    // the storage engines a third of their time. `vi.mock` is not there; these tests have no use for it.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    setupFiles: 'tests/support/each-file.ts',
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['tests/**/*.test.ts'],
          exclude: ['tests/**/*.{e2e,release}.test.ts'],
        },
      },
      {
        extends: true,
        test: { name: 'e2e', include: ['tests/**/*.e2e.test.ts'], globalSetup: 'tests/support/bundle.ts' },
      },
      {
        extends: true,
        test: {
          name: 'release',
          include: ['tests/**/*.release.test.ts', ...(process.env.DAYBOOK_LONG === '1' ? [] : SAMPLED)],
          env: { DAYBOOK_DENSE: '1' },
          globalSetup: 'tests/support/bundle.ts',
        },
      },
    ],
  },
});
