/**
 * Work that several daemons do once: the scheduled briefing, the daily backup, checkpoints. Three daemon processes over
 * three days, with a clock that the test moves; the daemon on duty is killed in between.
 */
import { copyFileSync, existsSync, readdirSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { type NodeDaemon, nodeDaemon, positionOf, post } from '../nodes/support.ts';
import { IS_LONG } from '../support/depth.ts';
import { temporaryFolder } from '../support/folders.ts';
import { type Cluster, withPostgres } from '../support/postgres.ts';
import { until } from '../support/until.ts';

const DAYS = 3;
const DAY_MS = 86_400_000;
const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const SHIFTED = new URL('./shifted-clock.ts', import.meta.url).href;
const TIMEOUT_MS = 120_000;

/** Daemons whose clocks are moved together. */
class Days {
  readonly #shiftFile = join(temporaryFolder('clock'), 'shift');
  readonly #homes: string[] = [];
  readonly #cluster: Cluster;
  readonly #url: string;
  readonly daemons: NodeDaemon[] = [];
  #shift = 0;

  constructor(cluster: Cluster, url: string) {
    this.#cluster = cluster;
    this.#url = url;
    writeFileSync(this.#shiftFile, '0');
  }

  /** The first makes the key of the log; the others get a copy of it. */
  async start(): Promise<void> {
    for (let n = 0; n < 3; n += 1) {
      const home = temporaryFolder('home');
      if (n > 0) copyFileSync(join(this.#homes[0]!, 'log.key'), join(home, 'log.key'));
      this.#homes.push(home);
      const env = {
        NODE_OPTIONS: `--import=${SHIFTED}`,
        DAYBOOK_TEST_SHIFT: this.#shiftFile,
        DAYBOOK_LEASE_SECONDS: '1',
      };
      this.daemons.push(await nodeDaemon({ url: this.#url, home, env }));
      if (n === 0) await until(() => existsSync(join(home, 'log.key')), 'the key of the log is made');
    }
  }

  nextDay(): void {
    this.#shift += DAY_MS;
    writeFileSync(this.#shiftFile, String(this.#shift));
  }

  /** The daemon that has a lease now. */
  async holderOf(lease: string): Promise<NodeDaemon> {
    let found: NodeDaemon | undefined;
    await until(async () => {
      const text = `SELECT holder FROM ${this.#schema}.leases WHERE name = $1 AND expires_at > now()`;
      const [row] = await this.#cluster.query<{ holder: string }>(text, [lease]);
      const id = row?.holder.split('/')[0];
      found = this.daemons.find((daemon) => isAlive(daemon) && nodeId(daemon.home) === id);
      return found !== undefined;
    }, `somebody has ${lease}`);
    return found!;
  }

  async count(type: string): Promise<number> {
    const text = `SELECT count(*)::int AS count FROM ${this.#schema}.events WHERE type = $1`;
    return (await this.#cluster.query<{ count: number }>(text, [type]))[0]!.count;
  }

  /** Verified backups in the homes of all daemons. */
  get backups(): readonly string[] {
    return this.#homes.flatMap((home) => {
      const folder = join(home, 'backups');
      const names = existsSync(folder) ? readdirSync(folder) : [];
      return names.filter((name) => existsSync(join(folder, name, 'verified.json')));
    });
  }

  /** Sizes of the signed checkpoints of each home. */
  get signed(): readonly (readonly number[])[] {
    return this.#homes.map((home) => {
      const path = join(home, 'checkpoints.db');
      if (!existsSync(path)) return [];
      const db = new Database(path, { readonly: true });
      try {
        return db
          .prepare<[], { size: number }>('SELECT size FROM checkpoints')
          .all()
          .map(({ size }) => size);
      } finally {
        db.close();
      }
    });
  }

  get #schema(): string {
    return new URL(this.#url).searchParams.get('schema')!;
  }
}

function isAlive({ process }: NodeDaemon): boolean {
  return process.exitCode === null && process.signalCode === null;
}

function nodeId(home: string): string {
  return (JSON.parse(readFileSync(join(home, 'node.json'), 'utf8')) as { id: string }).id;
}

async function scheduleBriefing(daemon: NodeDaemon): Promise<void> {
  const body = JSON.stringify({ enabled: true, time: '00:00', days: WEEKDAYS });
  expect((await daemon.request('/briefing/settings', { method: 'PUT', body })).status).toBe(200);
}

withPostgres('the duties of three daemons', (cluster) => {
  test.runIf(IS_LONG)(
    'over three days: a briefing and a backup a day, and each checkpoint is signed by one of them',
    async () => {
      const days = new Days(cluster(), await cluster().newLog('poll_ms=100'));
      await days.start();
      // Each signs once at its start, when it opens the key.
      const started = await positionOf(days.daemons[2]!);
      await scheduleBriefing(days.daemons[0]!);
      for (let day = 1; day <= DAYS; day += 1) {
        await post(days.daemons[day % 3]!, '/v1/goals', { title: `Goal of day ${day}` });
        days.nextDay();
        await until(() => days.backups.length >= day, `the backup of day ${day}`);
        await until(async () => (await days.count('BriefingWritten')) >= day, `the briefing of day ${day}`);
      }
      // Some looks of all timers later.
      const head = await positionOf(days.daemons[0]!);
      await until(() => days.signed.flat().some((size) => size >= head), 'the newest events are signed');
      expect(days.backups).toHaveLength(DAYS);
      expect([await days.count('BriefingRequested'), await days.count('BriefingWritten')]).toEqual([DAYS, DAYS]);
      const sizes = days.signed.map((each) => each.filter((size) => size > started));
      expect(sizes.filter((each) => each.length > 0)).toHaveLength(1);
    },
    TIMEOUT_MS,
  );

  test.runIf(IS_LONG)(
    'when the one on duty is killed in the middle of a backup and of a briefing, another one does them',
    async () => {
      const days = new Days(cluster(), await cluster().newLog('poll_ms=100'));
      await days.start();
      await scheduleBriefing(days.daemons[0]!);
      await post(days.daemons[1]!, '/v1/goals', { title: 'A goal' });
      const holder = await days.holderOf('duty-backups');
      const killed = new Promise<void>((done) => {
        const watcher = watch(holder.home, { recursive: true }, (_, name) => {
          if (name?.startsWith('backups') !== true) return;
          watcher.close();
          void holder.kill('SIGKILL').then(() => done());
        });
      });
      days.nextDay();
      await killed;
      expect(days.backups).toEqual([]);
      await until(() => days.backups.length > 0, 'another daemon makes the backup');
      await until(async () => (await days.count('BriefingWritten')) > 0, 'the briefing is written');

      const signer = await days.holderOf('duty-signing');
      days.nextDay();
      await until(async () => (await days.count('BriefingRequested')) > 1, 'the next briefing is requested');
      await signer.kill('SIGKILL');
      await until(async () => (await days.count('BriefingWritten')) > 1, 'the next briefing is written');
      const left = days.daemons.find(isAlive)!;
      const { id } = await post<{ id: string }>(left, '/v1/goals', { title: 'Signed by another one' });
      expect(id).not.toBe('');
      const head = await positionOf(left);
      await until(() => days.signed.flat().some((size) => size >= head), 'another daemon signs');
      expect([await days.count('BriefingRequested'), await days.count('BriefingWritten')]).toEqual([2, 2]);
    },
    TIMEOUT_MS,
  );
});
