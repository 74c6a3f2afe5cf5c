/** Reading a whole log: from the database into a new copy, and from the copy. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Cluster } from '../../tests/support/postgres.ts';
import { NODE_FLAGS, removeFolder, temporaryFolder } from '../support/processes.ts';
import { type Row, thousands } from '../support/report.ts';
import type { Scale } from './plan.ts';
import type { ReadResult } from './reader.ts';
import { serverCpuSeconds } from './server.ts';

const READ_GOAL = 200_000;

const run = promisify(execFile);

/** A log with this number of events, written by a separate process. */
export async function filledLog(server: Cluster, events: number, kind: 'things' | 'runs'): Promise<string> {
  const url = await server.newLog();
  const folder = temporaryFolder('fill');
  try {
    await run(process.execPath, [join(import.meta.dirname, 'filler.ts'), url, folder, String(events), kind]);
    await server.query('VACUUM ANALYZE');
    await server.query('CHECKPOINT');
    return url;
  } finally {
    removeFolder(folder);
  }
}

export async function readAll(server: Cluster, scale: Scale): Promise<readonly Row[]> {
  const url = await filledLog(server, scale.events, 'things');
  const folder = temporaryFolder('read');
  try {
    const before = serverCpuSeconds(server);
    const file = join(import.meta.dirname, 'reader.ts');
    const { stdout } = await run(process.execPath, [...NODE_FLAGS, file, url, folder]);
    const server_ = serverCpuSeconds(server) - before;
    const { events, copySeconds, copyCpuSeconds, rawSeconds, parsedSeconds } = JSON.parse(stdout) as ReadResult;
    const row = (name: string, seconds: number, more: string, goal: number | null): Row => ({
      name: `read all, ${thousands(events)} events: ${name}`,
      ours: `${thousands(events / seconds)} events/s${more}`,
      peer: '',
      ratio: '',
      goal: goal === null ? 'printed' : `≥ ${thousands(goal)}/s`,
      met: goal === null ? null : events / seconds >= goal,
    });
    const micros = (seconds: number): string => `${((seconds / events) * 1e6).toFixed(1)} µs`;
    const cost = ` (CPU an event ${micros(copyCpuSeconds)} client, ${micros(server_)} server)`;
    return [
      row('the database into a new copy', copySeconds, cost, null),
      row('the copy, as events', parsedSeconds, '', READ_GOAL),
      row('the copy, as records', rawSeconds, '', null),
    ];
  } finally {
    removeFolder(folder);
  }
}
