/** The database is killed under load and restarted; a standby is promoted. */
import { expect, test } from 'vitest';
import { openPostgresStorage } from '../../src/storage/postgres/open.ts';
import { IS_LONG } from '../support/depth.ts';
import { memoryFolder } from '../support/folders.ts';
import { type Cluster, startCluster, startStandby, withPostgres } from '../support/postgres.ts';
import { until } from '../support/until.ts';
import { expectEqual, expectWhole, Load, noted, openLog } from './support.ts';

const SETTINGS = 'connect_timeout_ms=1000&statement_timeout_ms=2000&patience_ms=1000&poll_ms=50';
const WRITERS = 8;
/** On a busy machine a restart of the database takes seconds. */
const TIMEOUT_MS = 90_000;
const KILLS = IS_LONG ? 20 : 2;

withPostgres('the database', (cluster) => {
  test(
    'is killed and started again under load: no acknowledged event is lost or doubled',
    async () => {
      const url = await cluster().newLog(SETTINGS);
      const storages = [await openLog(url), await openLog(url)];
      const load = new Load();
      for (let n = 0; n < WRITERS; n += 1) load.write(storages[n % storages.length]!, String(n));
      for (let kill = 0; kill < KILLS; kill += 1) {
        await load.reaches(100);
        await cluster().stop('SIGKILL');
        await cluster().start();
      }
      await load.reaches(100);
      await load.stop();
      await expectEqual(storages);
      const events = await expectWhole(url, load.acknowledged);
      // Writers give up only after an acknowledgement, so the log has nothing else.
      expect(events).toHaveLength(load.acknowledged.size);
    },
    TIMEOUT_MS,
  );
});

async function positionIn(cluster: Cluster): Promise<number> {
  const [head] = await cluster.query<{ position: string }>('SELECT position FROM log_1.head');
  return Number(head?.position);
}

/** The address of a log on a primary or its standby, whichever takes writes. */
function either(url: string, standby: Cluster): string {
  return url.replace(/@127\.0\.0\.1:(\d+)/, `@127.0.0.1:$1,127.0.0.1:${standby.port}`);
}

withPostgres('a standby', (cluster) => {
  test(
    'with every commit takes the place of a primary that is killed under load; the old one comes back as a stray',
    async () => {
      const standby = await startStandby(cluster(), 'standby');
      try {
        await cluster().query("ALTER SYSTEM SET synchronous_standby_names = 'standby'");
        await cluster().query('SELECT pg_reload_conf()');
        const replicas = "SELECT FROM pg_stat_replication WHERE sync_state = 'sync'";
        await until(async () => (await cluster().query(replicas)).length === 1, 'the standby has every commit');
        const url = either(await cluster().newLog(SETTINGS), standby);
        const storages = [await openLog(url), await openLog(url)];
        const load = new Load();
        for (let n = 0; n < WRITERS; n += 1) load.write(storages[n % storages.length]!, String(n));
        await load.reaches(100);
        await cluster().stop('SIGKILL');
        standby.promote();
        await load.reaches(100);
        await cluster().start();
        // Daemons open connections while the stray, which is named first, takes writes as well.
        storages.push(await openLog(url));
        for (let n = 0; n < WRITERS; n += 1) load.write(storages[2]!, `late-${n}`);
        await load.reaches(100);
        await standby.query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'daybook'",
        );
        await load.reaches(100);
        await load.stop();
        await expectEqual(storages);
        await expectWhole(url, load.acknowledged);
        for (const { log } of storages) expect(log.failure).toBeNull();
      } finally {
        await standby.remove();
      }
    },
    TIMEOUT_MS,
  );

  test(
    'that lacks acknowledged events takes the place of its primary: every copy names what was lost and takes no appends',
    async () => {
      const asynchronous = await startCluster();
      const standby = await startStandby(asynchronous, 'standby');
      try {
        const url = either(await asynchronous.newLog(SETTINGS), standby);
        const a = await openLog(url);
        const folder = memoryFolder('copy');
        const b = await openPostgresStorage({ url, directory: folder });
        const note = (n: number) => ({ stream: 'note-1', expectedVersion: 'any' as const, events: [noted(n)] });
        for (let n = 0; n < 5; n += 1) await a.log.append([note(n)]);
        await until(async () => (await positionIn(standby)) === 5, 'the standby has the first events');
        await standby.query("ALTER SYSTEM SET primary_conninfo = ''");
        await standby.query('SELECT pg_reload_conf()');
        const receivers = async () => (await standby.query('SELECT FROM pg_stat_wal_receiver')).length;
        await until(async () => (await receivers()) === 0, 'the standby follows no longer');
        for (let n = 5; n < 8; n += 1) await a.log.append([note(n)]);
        const witnessed = a.log.head();
        await until(() => b.log.head().position === 8, 'the other daemon has the last events');
        await b.close();
        await asynchronous.stop('SIGKILL');
        standby.promote();

        // The daemon that ran through it: its copy has what the database lost.
        const lost = /it ends at 5, the copy of this daemon at 8; events 6 to 8 were lost/;
        await until(() => lost.test(a.log.failure?.message ?? ''), 'the loss is named');
        await expect(a.log.append([note(8)])).rejects.toThrow(lost);
        expect([...a.log.readAll()]).toHaveLength(8);

        // Others go on from there, since they cannot know: then the histories differ.
        const c = await openLog(url);
        for (let n = 5; n < 9; n += 1) await c.log.append([note(n)]);
        const reported: string[] = [];
        const directory = folder;
        const again = await openPostgresStorage({ url, directory, report: (line) => reported.push(line) });
        const differs = /position 6 holds another event there than in the copy of this daemon/;
        expect(again.log.failure?.message).toMatch(differs);
        expect(reported.join()).toMatch(differs);
        await expect(again.log.append([note(9)])).rejects.toThrow(differs);
        await again.close();

        // Whoever kept a tree head of before, as a witness does, sees that the log is no continuation of it.
        expect(c.log.head().position).toBeGreaterThan(witnessed.position);
        expect(c.log.treeHash(witnessed.position)).not.toBe(witnessed.treeHash);
      } finally {
        await standby.remove();
        await asynchronous.remove();
      }
    },
    TIMEOUT_MS,
  );
});
