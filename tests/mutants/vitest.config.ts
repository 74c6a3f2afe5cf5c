import { defineConfig } from 'vitest/config';

/** Unit tests without deciders and folds in them, or with some that only serve as an example. */
const OTHER = ['acp', 'cli', 'embedding', 'lib', 'models', 'mutants', 'pdf', 'recall', 'storage', 'tools'];
const RUNTIME = ['command-handler', 'reactor-runner', 'subscriptions'];

/** The tests that `npm run test:mutation` runs: unit tests of deciders and folds. */
export default defineConfig({
  test: {
    // Stryker ends endless mutants itself; a busy machine must not end the first run.
    testTimeout: 60_000,
    include: ['tests/*/**/*.test.ts'],
    setupFiles: 'tests/support/each-file.ts',
    exclude: [
      'tests/**/*.e2e.test.ts',
      'tests/**/*.release.test.ts',
      ...OTHER.map((folder) => `tests/${folder}/**`),
      ...RUNTIME.map((name) => `tests/streams/${name}.test.ts`),
      // It imports deciders in a test: their constants would count as covered by it, which Stryker cannot mutate.
      'tests/commands/every-decider.test.ts',
      // It changes the working directory, which Stryker's threads cannot.
      'tests/tlog/store-flips.test.ts',
      // It writes sources as they are instrumented.
      'tests/client/generated.test.ts',
    ],
  },
});
