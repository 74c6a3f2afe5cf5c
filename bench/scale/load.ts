/**
 * `node bench/scale/load.ts [SIZES]`: fills a log on a separate durable server to one size after the other (default
 * 1000000,10000000) and measures the cost of an event at each. Prints a table, and writes `bench/scale/measured.json`.
 * Each event takes about a kilobyte of disk: half in the database, half in the copy.
 */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { optionsOf } from '../../scripts/options.ts';
import { createProgress } from '../../src/cli/progress.ts';
import type { Cluster } from '../../tests/support/postgres.ts';
import { IN_FLIGHT } from '../postgres/plan.ts';
import { serverCpuSeconds, withServer } from '../postgres/server.ts';
import { startWriter } from '../postgres/writers.ts';
import { NODE_FLAGS, removeFolder, temporaryFolder } from '../support/processes.ts';
import { circumstances, thousands } from '../support/report.ts';
import type { CopyResult } from './copy.ts';
import { Generator } from './generate.ts';

/** The measurements at one size. */
export interface AtSize extends CopyResult {
  readonly copied: number;
  /** Bytes of the table and of each index. */
  readonly bytes: Readonly<Record<string, number>>;
  readonly appendPerSecond: number;
  readonly appendP50Ms: number;
  readonly appendWriterCpuMicros: number;
  readonly appendServerCpuMicros: number;
  /** Bytes of the write-ahead log per appended event. */
  readonly walBytes: number;
}

const [sizes = '1000000,10000000'] = optionsOf({ allowPositionals: true }).positionals;
const SIZES = sizes.split(',').map(Number);
const APPEND_MS = 5_000;

const run = promisify(execFile);

const measured = await withServer(async (server) => {
  const url = await server.newLog();
  const schema = new URL(url).searchParams.get('schema')!;
  const folder = temporaryFolder('scale');
  const generator = await Generator.open(`postgres://postgres@127.0.0.1:${server.port}/postgres`, schema);
  try {
    const results: AtSize[] = [];
    for (const size of SIZES) {
      const bar = createProgress(`${thousands(size)} events`);
      await generator.fill(size, (done) => bar.at(done, size));
      bar.end();
      await server.query('CHECKPOINT');
      await server.query(`VACUUM ANALYZE ${schema}.events`);
      const result = await measureAt({ server, url, schema, folder }, results.at(-1)?.events ?? 0);
      process.stderr.write(`${JSON.stringify(result)}\n`);
      results.push(result);
    }
    return results;
  } finally {
    await generator.close();
    removeFolder(folder);
  }
});
writeFileSync(new URL('measured.json', import.meta.url), `${JSON.stringify(measured, null, 2)}\n`);
process.stdout.write(`${circumstances()}\n\n${sizesTable(measured)}\n`);

interface Place {
  readonly server: Cluster;
  readonly url: string;
  readonly schema: string;
  readonly folder: string;
}

async function measureAt({ server, url, schema, folder }: Place, before: number): Promise<AtSize> {
  const directory = join(folder, 'copy');
  const file = join(import.meta.dirname, 'copy.ts');
  const { stdout } = await run(process.execPath, [...NODE_FLAGS, file, url, directory]);
  const copy = JSON.parse(stdout) as CopyResult;
  const writer = await startWriter({ subject: 'daybook', url, folder: directory });
  const round = { inFlight: IN_FLIGHT, ms: APPEND_MS, profile: false };
  await writer.round({ ...round, ms: 1_000 });
  const [cpu, wal] = [serverCpuSeconds(server), await walPosition(server)];
  const appended = await writer.round(round);
  const perEvent = 1e6 / appended.events;
  const result = {
    appendPerSecond: appended.perSecond,
    appendP50Ms: appended.p50Ms,
    appendWriterCpuMicros: appended.cpuSeconds * perEvent,
    appendServerCpuMicros: (serverCpuSeconds(server) - cpu) * perEvent,
    walBytes: ((await walPosition(server)) - wal) / appended.events,
  };
  await writer.close();
  return { ...copy, copied: copy.events - before, bytes: await bytesOf(server, schema), ...result };
}

async function walPosition(server: Cluster): Promise<number> {
  const [row] = await server.query<{ bytes: string }>("SELECT pg_current_wal_lsn() - '0/0'::pg_lsn AS bytes");
  return Number(row?.bytes);
}

async function bytesOf(server: Cluster, schema: string): Promise<Readonly<Record<string, number>>> {
  const rows = await server.query<{ name: string; bytes: string }>(
    `SELECT relname AS name, pg_relation_size(oid) AS bytes FROM pg_class
     WHERE relnamespace = '${schema}'::regnamespace AND relname LIKE 'events%' AND relkind IN ('r', 'i')`,
  );
  return Object.fromEntries(rows.map(({ name, bytes }) => [name, Number(bytes)]));
}

function sizesTable(results: readonly AtSize[]): string {
  const rows: readonly (readonly [string, (at: AtSize) => string])[] = [
    ...Object.keys(results[0]!.bytes).map(
      (name) => [`${name}, bytes an event`, (at: AtSize) => (at.bytes[name]! / at.events).toFixed(0)] as const,
    ),
    ['the copy, bytes an event', (at) => (at.copyBytes / at.events).toFixed(0)],
    ['write-ahead log, bytes an appended event', (at) => at.walBytes.toFixed(0)],
    [`append, ${IN_FLIGHT} in flight, events/s`, (at) => thousands(at.appendPerSecond)],
    ['append, CPU of the server, µs an event', (at) => at.appendServerCpuMicros.toFixed(0)],
    ['append, CPU of the daemon, µs an event', (at) => at.appendWriterCpuMicros.toFixed(0)],
    ['copy from the database, events/s', (at) => thousands(at.copied / at.copySeconds)],
    ['copy, CPU of the daemon, µs an event', (at) => ((at.copyCpuSeconds / at.copied) * 1e6).toFixed(1)],
    ['read from the copy, events/s', (at) => thousands(at.readPerSecond)],
    ['read a stream of 100, µs', (at) => at.streamMicros.toFixed(0)],
    ['proof of inclusion, µs', (at) => at.inclusionMicros.toFixed(0)],
    ['proof of consistency, µs', (at) => at.consistencyMicros.toFixed(0)],
    ['open the copy, ms', (at) => at.openMs.toFixed(0)],
  ];
  const cells = [
    ['events', ...results.map(({ events }) => thousands(events))],
    ['---', ...results.map(() => '---:')],
    ...rows.map(([name, of]) => [name, ...results.map(of)]),
  ];
  return cells.map((row) => `| ${row.join(' | ')} |`).join('\n');
}
