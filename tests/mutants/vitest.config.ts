import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Unit tests that say nothing of a decider or a fold that the others do not say, and take long. Each would lengthen the
 * time after which an endless mutant is ended: Stryker waits as long as all tests take that reach it.
 */
const OTHER = [
  ...['acp', 'as-of', 'cli', 'client', 'embedding', 'evidence', 'http', 'kernel', 'level', 'lib', 'mcp', 'models'],
  ...['mutants', 'ops', 'package', 'pdf', 'recall', 'storage', 'streams', 'testing', 'tools', 'web'],
];
const SLOW = [
  ...['briefing/schedule-timer', 'code-index/chunker', 'code-index/file', 'connector/vault', 'memory/drawer-intake'],
  ...['memory/sealing', 'plugin/folders', 'room/hub', 'room/replicas', 'tlog/checkpoints', 'tlog/log-keys'],
];

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
    // Mutants become active when a test begins, so files can share loaded modules.
    isolate: false,
    sequence: { sequencer: DecidersFirst },
    include: ['tests/*/**/*.test.ts'],
    setupFiles: 'tests/support/each-file.ts',
    exclude: [
      'tests/**/*.e2e.test.ts',
      'tests/**/*.release.test.ts',
      ...OTHER.map((folder) => `tests/${folder}/**`),
      ...SLOW.map((name) => `tests/${name}.test.ts`),
      // It imports deciders in a test: their constants would count as covered by it, which Stryker cannot mutate.
      'tests/commands/every-decider.test.ts',
      // It changes the working directory, which Stryker's threads cannot.
      'tests/tlog/store-flips.test.ts',
    ],
  },
});
