/**
 * The database server of the benchmark: durable, on a disk, with the memory of a small server; and its processor time.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { newFolder } from '../../src/testing/folders.ts';
import { type Cluster, POSTGRES_PROGRAMS, startCluster } from '../../tests/support/postgres.ts';

/**
 * Settings that differ from the defaults; `synchronous_commit` and `full_page_writes` are explicit although they are
 * defaults.
 */
const SERVER_SETTINGS = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  shared_buffers: '1GB',
  max_wal_size: '8GB',
  checkpoint_timeout: '15min',
  max_connections: '200',
} as const;

export async function withServer<Result>(work: (server: Cluster) => Promise<Result>): Promise<Result> {
  if (POSTGRES_PROGRAMS === null) throw new Error('PostgreSQL is not installed: there is nothing to measure.');
  const server = await startCluster(SERVER_SETTINGS, newFolder('pg'));
  try {
    return await work(server);
  } finally {
    await server.remove();
  }
}

/** The URL of a new, empty database. */
export async function newDatabase(server: Cluster, name: string): Promise<string> {
  await server.query(`CREATE DATABASE ${name}`);
  return `postgres://postgres@127.0.0.1:${server.port}/${name}`;
}

/** Processor seconds of the server's processes, including those that have ended. */
export function serverCpuSeconds({ folder }: Cluster): number {
  const first = Number(readFileSync(`${folder}/data/postmaster.pid`, 'utf8').split('\n')[0]);
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => timesOf(Number(name)) ?? []);
  const children = all.filter(({ parent }) => parent === first).reduce((sum, { own }) => sum + own, 0);
  const { own, ended } = timesOf(first)!;
  return own + ended + children;
}

/** Processor seconds of a process and of its ended children; null if it has ended itself. */
function timesOf(pid: number): { readonly parent: number; readonly own: number; readonly ended: number } | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
      .map(Number);
    const seconds = (from: number): number => (fields[from]! + fields[from + 1]!) / TICKS_PER_SECOND;
    return { parent: fields[1]!, own: seconds(11), ended: seconds(13) };
  } catch {
    return null;
  }
}

const TICKS_PER_SECOND = 100;
