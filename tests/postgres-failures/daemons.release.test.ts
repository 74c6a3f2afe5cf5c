/** Runs over three daemons of one log, with ten kills. */
import { test } from 'vitest';
import { withPostgres } from '../support/postgres.ts';
import { expectEachToEndOnce } from './many-runs.ts';

const SIZE = { runs: 64, kills: 10, secondsMax: 0.6 };
const TIMEOUT_MS = 300_000;

withPostgres('three daemons on one log, many runs', (cluster) => {
  test(
    `${SIZE.runs} runs over three daemons with ${SIZE.kills} kills: every run ends once, no tool runs twice`,
    async () => expectEachToEndOnce(await cluster().newLog('poll_ms=100'), SIZE),
    TIMEOUT_MS,
  );
});
