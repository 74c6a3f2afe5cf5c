import { defineConfig } from 'vitest/config';

/**
 * `unit` is what `npm run check` runs: no sockets, no child processes. `npm test` runs everything.
 *
 * Test files share three processes and the modules in them: evaluating the sources again for each file takes longer than most
 * files. So a test that changes the process (environment, timers, globals, functions of Node) changes it back;
 * `each-file.ts` does it for what `vi` changed.
 */
export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // More than two cores need: many end-to-end tests wait for a process or a socket.
    maxWorkers: 3,
    isolate: false,
    setupFiles: 'tests/support/each-file.ts',
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['tests/**/*.test.ts'],
          exclude: ['tests/**/*.e2e.test.ts'],
        },
      },
      {
        extends: true,
        test: { name: 'e2e', include: ['tests/**/*.e2e.test.ts'], globalSetup: 'tests/support/bundle.ts' },
      },
    ],
  },
});
