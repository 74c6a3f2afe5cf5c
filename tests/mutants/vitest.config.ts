import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Unit tests without deciders and folds in them, or with some that only serve as an example. */
const OTHER = ['acp', 'cli', 'embedding', 'lib', 'models', 'mutants', 'pdf', 'recall', 'storage', 'tools'];
const RUNTIME = ['command-handler', 'reactor-runner', 'subscriptions'];

/** Tests of deciders first: a run for a mutant ends with the first test that notices it. */
class DecidersFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => Number(!moduleId.includes('/tests/commands/'));
    return files.toSorted((a, b) => rank(a) - rank(b) || a.moduleId.localeCompare(b.moduleId));
  }
}

/** The tests that `npm run test:mutation` runs: unit tests of deciders and folds. */
export default defineConfig({
  test: {
    // Stryker ends endless mutants itself; a busy machine must not end the first run.
    testTimeout: 60_000,
    // Mutants become active when a test begins, so files can share loaded modules. Stryker adds the loading to every timeout.
    isolate: false,
    sequence: { sequencer: DecidersFirst },
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
