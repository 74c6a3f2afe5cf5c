import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { defineConfig } from 'vitest/config';

// Test processes, and the threads and processes that the code under test starts, compile each module once.
process.env.NODE_COMPILE_CACHE ??= resolve('node_modules/.cache/daybook-tests');

// Other programs and Node's formats of dates are English, as the tests expect, on every machine.
process.env.LC_ALL = 'C.UTF-8';

// All temporary folders of a run are in one, which is removed at the end of the run: ext4 creates files slowly for half a minute after
// many were removed.
const RUN_FOLDER = mkdtempSync(join(tmpdir(), 'daybook-'));
process.env.TMPDIR = RUN_FOLDER;
process.once('exit', () => rmSync(RUN_FOLDER, { recursive: true, force: true, maxRetries: 5 }));

/**
 * End-to-end tests that start many processes. Node starts a process by fork(2), which copies the page tables of the test process:
 * 50 ms of a core for each gigabyte. So they share test processes with each other only, and these stay small.
 */
const STARTS_PROCESSES = 'tests/{cli,code-index,connector,devex,evidence,office,tlog,tools,voice}/**/*.e2e.test.ts';

/** Test files that `npm test` runs on a sample: they import tests/support/depth.ts. With DAYBOOK_LONG=1 they try all at once. */
const SAMPLED = globSync('tests/**/*.test.ts').filter(
  (path) => !path.endsWith('.release.test.ts') && /from '[./\w-]*\/depth\.ts'/.test(readFileSync(path, 'utf8')),
);

/**
 * - `unit` is what `npm run check` runs: no sockets, no child processes.
 * - `npm test` runs `unit`, `e2e` and `e2e-processes`.
 * - `release` is what a release must hold in addition: what needs a database server or a browser (the log in PostgreSQL, several
 *   daemons on it, the console), what takes a minute to see (the package as it is installed, the reports of its interface, the public
 *   suite of abstract-level on every engine, two versions side by side, the benchmarks as programs), and what another program judges
 *   (shells, mandoc, Go, OpenSSL, promtool, systemd, soffice, Bun, Deno). CI runs it after `npm test`, by `npm run test:release`.
 * - `dense` has the files again that `npm test` runs on a sample (`tests/support/depth.ts`), with the rest of their cases:
 *   `npm run test:dense`. CI runs it last, in the time that is left.
 *
 * Test files share four processes and the modules in them: evaluating the sources again for each file takes longer than most
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
    // More than two cores need, because an end-to-end test often waits for a process, a socket or a timer. A fifth costs more than it saves.
    maxWorkers: 4,
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
        test: {
          name: 'e2e',
          include: ['tests/**/*.e2e.test.ts'],
          exclude: [STARTS_PROCESSES],
          globalSetup: 'tests/support/bundle.ts',
        },
      },
      {
        extends: true,
        test: { name: 'e2e-processes', include: [STARTS_PROCESSES], globalSetup: 'tests/support/bundle.ts' },
      },
      {
        extends: true,
        test: {
          name: 'release',
          include: ['tests/**/*.release.test.ts'],
          env: { DAYBOOK_DENSE: '1' },
          globalSetup: 'tests/support/bundle.ts',
        },
      },
      {
        extends: true,
        test: {
          name: 'dense',
          include: process.env.DAYBOOK_LONG === '1' ? [] : SAMPLED,
          env: { DAYBOOK_DENSE: '1' },
          globalSetup: 'tests/support/bundle.ts',
        },
      },
    ],
  },
});
