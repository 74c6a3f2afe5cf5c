/**
 * PostgreSQL clusters for tests: each in a folder of its own in memory, on a free port of 127.0.0.1, stopped by
 * its process id. Tests are skipped where no server is installed, unless `DAYBOOK_TEST_POSTGRES=required`.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe } from 'vitest';
import { initLog } from '../../src/storage/postgres/init.ts';
import { newMemoryFolder } from '../../src/testing/folders.ts';
import { freePort } from './ports.ts';
import { until } from './until.ts';

const PROGRAMS = '/usr/lib/postgresql';

/** The folder of `initdb` and `postgres`; null where they are not installed. */
export const POSTGRES_PROGRAMS: string | null = findPrograms();

function findPrograms(): string | null {
  const versions = existsSync(PROGRAMS) ? readdirSync(PROGRAMS) : [];
  const [newest] = versions.sort((a, b) => Number(b) - Number(a));
  const found = newest === undefined ? null : join(PROGRAMS, newest, 'bin');
  if (found === null && process.env.DAYBOOK_TEST_POSTGRES === 'required') {
    throw new Error(`PostgreSQL is required, and there is none in ${PROGRAMS}.`);
  }
  return found;
}

export interface Cluster {
  readonly port: number;
  readonly folder: string;
  /** The address of a new, empty schema with the log's tables. */
  newLog(settings?: string): Promise<string>;
  /** The address of a schema. */
  url(schema: string, settings?: string): string;
  /** Runs a statement as the owner, or as another role. */
  query<Row extends object>(text: string, values?: readonly unknown[], role?: string): Promise<Row[]>;
  /**
   * Sends a signal to the server: SIGQUIT stops it at once, SIGKILL crashes all its processes. Resolves when they
   * have ended.
   */
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** Starts it again after a stop. */
  start(): Promise<void>;
  /** Stops it and removes its folder. */
  remove(): Promise<void>;
  /** Promotes a standby. */
  promote(): void;
}

/** Describes tests with their own cluster; `cluster` returns it when they run. */
export function withPostgres(name: string, tests: (cluster: () => Cluster) => void): void {
  const run = POSTGRES_PROGRAMS === null ? describe.skip : describe;
  const title = POSTGRES_PROGRAMS === null ? `${name} (skipped: PostgreSQL is not installed)` : name;
  run(title, () => {
    let cluster: Cluster | undefined;
    beforeAll(async () => {
      cluster = await startCluster();
    }, 60_000);
    afterAll(() => cluster?.remove(), 60_000);
    tests(() => cluster!);
  });
}

const OWNER = 'postgres';

type Settings = Readonly<Record<string, string>>;

/** Creates and starts a cluster. `settings` are those of `postgresql.conf`; by default the cluster does not sync. */
export async function startCluster(settings: Settings = {}, folder = newMemoryFolder('pg')): Promise<Cluster> {
  const place = placeIn(folder);
  fillData(place);
  return serve(place, settings);
}

/** The output of `initdb`, cached for later clusters: making it takes ten times as long as copying it. */
const EMPTY_DATA = resolve(
  'node_modules/.cache/daybook-tests',
  `postgres${POSTGRES_PROGRAMS?.replaceAll('/', '-')}-${process.getuid?.()}`,
);

function fillData(place: Place): void {
  if (existsSync(EMPTY_DATA)) {
    copyFolder(EMPTY_DATA, place.data);
    return;
  }
  const how = ['--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync', '--no-instructions'];
  runProgram(place, 'initdb', ['-D', place.data, '-U', OWNER, ...how]);
  const unfinished = `${EMPTY_DATA}.${process.pid}`;
  mkdirSync(dirname(EMPTY_DATA), { recursive: true });
  copyFolder(place.data, unfinished);
  try {
    renameSync(unfinished, EMPTY_DATA);
  } catch {
    // Another test process was first: a folder replaces none that has files.
    rmSync(unfinished, { recursive: true });
  }
}

/** Copies a folder with the owner and the mode of each file. */
function copyFolder(from: string, to: string): void {
  execFileSync('cp', ['-a', '--reflink=auto', from, to]);
}

/** A standby of a running cluster, registered there as `name`. It replicates until it is promoted. */
export async function startStandby(primary: Cluster, name: string): Promise<Cluster> {
  const place = placeIn(newMemoryFolder('pg'));
  const source = `host=127.0.0.1 port=${primary.port} user=${OWNER} application_name=${name}`;
  runProgram(place, 'pg_basebackup', ['-D', place.data, '-d', source, '-c', 'fast', '--no-sync']);
  appendFileSync(join(place.data, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`);
  writeFileSync(join(place.data, 'standby.signal'), '');
  return serve(place, {});
}

/** The folder of a cluster, and the user that its server runs as. */
interface Place {
  readonly folder: string;
  readonly data: string;
  readonly user: { readonly uid?: number; readonly gid?: number };
}

function placeIn(folder: string): Place {
  return { folder, data: join(folder, 'data'), user: serverUser(folder) };
}

function runProgram({ folder, user }: Place, name: string, words: readonly string[]): void {
  execFileSync(join(POSTGRES_PROGRAMS!, name), words, { ...user, cwd: folder, stdio: 'ignore' });
}

async function serve(place: Place, settings: Settings): Promise<Cluster> {
  const { folder, data, user } = place;
  const port = await freePort();
  const all = {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: folder,
    fsync: 'off',
    ...settings,
  };
  const flags = Object.entries(all).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
  let server: ChildProcess | null = null;
  const schemas = { made: 0 };

  const url = (schema: string, given = '') =>
    `postgres://${OWNER}@127.0.0.1:${port}/postgres?schema=${schema}${given === '' ? '' : `&${given}`}`;
  const cluster: Cluster = {
    port,
    folder,
    url,
    async newLog(given) {
      schemas.made += 1;
      const schema = `log_${schemas.made}`;
      await initLog({ url: url(schema), role: null });
      return url(schema, given);
    },
    async query<Row extends object>(text: string, values: readonly unknown[] = [], role = OWNER) {
      const client = new pg.Client({ host: '127.0.0.1', port, user: role, database: 'postgres' });
      client.on('error', () => {});
      await client.connect();
      try {
        return (await client.query<Row>(text, values.length === 0 ? undefined : [...values])).rows;
      } finally {
        await client.end();
      }
    },
    async stop(signal = 'SIGQUIT') {
      const running = server;
      server = null;
      if (running === null || running.exitCode !== null || running.signalCode !== null) return;
      const ended = new Promise((resolve) => running.once('exit', resolve));
      const workers = signal === 'SIGKILL' ? childrenOf(running.pid!) : [];
      running.kill(signal);
      for (const { pid } of workers) killIfThere(pid);
      await ended;
      await until(() => !workers.some(isStillThere));
    },
    async start() {
      server = spawn(join(POSTGRES_PROGRAMS!, 'postgres'), ['-D', data, ...flags], {
        ...user,
        cwd: folder,
        stdio: 'ignore',
      });
      try {
        await answers(cluster, server);
      } catch (error) {
        await cluster.stop();
        throw error;
      }
    },
    async remove() {
      await cluster.stop();
      process.off('exit', killAtExit);
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
    promote() {
      runProgram(place, 'pg_ctl', ['promote', '-D', data]);
    },
  };
  const killAtExit = (): void => void server?.kill('SIGQUIT');
  process.on('exit', killAtExit);
  await cluster.start();
  return cluster;
}

interface ServerProcess {
  readonly pid: number;
  readonly startedAt: string;
}

function childrenOf(pid: number): ServerProcess[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  const pids = text === '' ? [] : text.split(' ').map(Number);
  return pids.flatMap((each) => {
    const startedAt = startOf(each);
    return startedAt === null ? [] : [{ pid: each, startedAt }];
  });
}

/** Whether it is still the same process, and not another one with the same id. */
function isStillThere({ pid, startedAt }: ServerProcess): boolean {
  return startOf(pid) === startedAt;
}

/** The start of a process in clock ticks since boot; null when it has ended (also as a zombie). */
function startOf(pid: number): string | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    return fields[0] === 'Z' ? null : fields[19]!;
  } catch {
    return null;
  }
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

/** The server refuses to run as root; then it runs as the user that its package created, or as nobody. */
function serverUser(folder: string): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const name = ['postgres', 'nobody'].find((each) => idOf(each, '-u') !== null)!;
  const [uid, gid] = [idOf(name, '-u')!, idOf(name, '-g')!];
  chownSync(folder, uid, gid);
  chmodSync(folder, 0o700);
  return { uid, gid };
}

function idOf(user: string, which: '-u' | '-g'): number | null {
  try {
    return Number(execFileSync('id', [which, user], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  } catch {
    return null;
  }
}

/** At 20 a second: a busy machine takes seconds to start a server. */
const ANSWER_ATTEMPTS_MAX = 1_000;

async function answers(cluster: Cluster, server: ChildProcess): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL ended with code ${server.exitCode}.`);
    try {
      await cluster.query('SELECT 1');
      return;
    } catch (error) {
      if (attempt === ANSWER_ATTEMPTS_MAX) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
