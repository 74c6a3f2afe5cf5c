import { defineConfig } from 'vitest/config';

/** `unit` is what `npm run check` runs: no sockets, no child processes. `npm test` runs everything. */
export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 30_000,
    maxWorkers: 2,
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
