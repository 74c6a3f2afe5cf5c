/**
 * The logs of several daemons that append to one database at the same time, with the same total of appends in flight.
 */
import { join } from 'node:path';
import type { Cluster } from '../../tests/support/postgres.ts';
import { median } from '../storage/timing.ts';
import { removeFolder, temporaryFolder } from '../support/processes.ts';
import { type Row, thousands } from '../support/report.ts';
import { IN_FLIGHT, type RoundResult, type Scale } from './plan.ts';
import { startWriter, type Writer } from './writers.ts';

const DAEMONS = [1, 2, 4] as const;

export async function severalWriters(server: Cluster, scale: Scale): Promise<readonly Row[]> {
  const folder = temporaryFolder('several');
  const url = await server.newLog();
  const writers: Writer[] = [];
  try {
    for (let n = 0; n < Math.max(...DAEMONS); n += 1) {
      writers.push(await startWriter({ subject: 'daybook', url, folder: join(folder, String(n)) }));
    }
    const rounds = new Map(DAEMONS.map((count) => [count, [] as RoundResult[][]]));
    for (let done = 0; done <= scale.rounds; done += 1) {
      for (const count of DAEMONS) {
        const plan = { inFlight: IN_FLIGHT / count, ms: scale.roundMs, profile: false };
        const results = await Promise.all(writers.slice(0, count).map((writer) => writer.round(plan)));
        // The first turn warms up.
        if (done > 0) rounds.get(count)!.push(results);
      }
    }
    return DAEMONS.map((count) => row(count, rounds.get(count)!));
  } finally {
    await Promise.all(writers.map((writer) => writer.close()));
    removeFolder(folder);
  }
}

function row(count: number, rounds: readonly (readonly RoundResult[])[]): Row {
  const of = (pick: (result: RoundResult) => number): number =>
    median(rounds.map((results) => Math.max(...results.map(pick))));
  const rate = median(rounds.map((results) => results.reduce((sum, { perSecond }) => sum + perSecond, 0)));
  return {
    name: `append, ${IN_FLIGHT} in flight in all, ${count === 1 ? '1 daemon' : `${count} daemons`} on one log`,
    ours: `${thousands(rate)}/s (p50 ${of(({ p50Ms }) => p50Ms).toFixed(1)} ms, p99 ${of(({ p99Ms }) => p99Ms).toFixed(1)} ms)`,
    peer: '',
    ratio: '',
    goal: 'printed',
    met: null,
  };
}
