/** Broken connections, databases that are out of reach, and databases that return with another history. */
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { initLog } from '../../../src/storage/postgres/init.ts';
import { migrateToPostgres } from '../../../src/storage/postgres/migrate.ts';
import { event, fill, idOf, isWhole, to } from '../../../src/testing/event-log-contract/case.ts';
import { memoryFolder } from '../../support/folders.ts';
import { startCluster, withPostgres } from '../../support/postgres.ts';
import { until } from '../../support/until.ts';
import { behindProxy, openLog, rollBackTo, schemaOf } from './helpers.ts';

withPostgres('outages of the database', (cluster) => {
  describe('a connection that breaks during a commit', () => {
    test.each([
      ['before the database has the statement', 0],
      ['after the database has committed, before it answers', 1],
    ])('%s: the append happens once, and its writer is answered', async (_, steps) => {
      const url = await cluster().newLog('poll_ms=60000');
      const { proxy, proxied } = await behindProxy(cluster(), url);
      const { log } = await openLog(proxied);
      await fill(log, 3);
      proxy.cutAfter(steps);
      const appended = log.append([to('a-1', [event(50), event(51)], 'none')]);
      await until(() => proxy.isCut);
      proxy.mend();
      expect(await appended).toMatchObject({ kind: 'appended', events: [{ position: 4 }, { position: 5 }] });
      expect([...log.readAll()].map(({ id }) => id)).toEqual([1, 2, 3, 50, 51].map(idOf));
      await isWhole(log);
      expect((await openLog(url)).log.head()).toEqual(log.head());
    });

    test('with other writers before and after: nothing is lost or doubled', async () => {
      const url = await cluster().newLog('poll_ms=60000');
      const { proxy, proxied } = await behindProxy(cluster(), url);
      const [{ log }, { log: other }] = [await openLog(proxied), await openLog(url)];
      for (let round = 0; round < 12; round += 1) {
        proxy.cutAfter(round % 4);
        const appends = [1, 2, 3].flatMap((number) => [
          log.append([to('a-1', [event(round * 100 + number)])]),
          other.append([to('b-1', [event(round * 100 + 50 + number)])]),
        ]);
        const answered = Promise.all(appends);
        await Promise.race([until(() => proxy.isCut), answered]);
        proxy.mend();
        for (const { kind } of await answered) expect(kind).toBe('appended');
      }
      await until(() => log.head().position === 72 && other.head().position === 72);
      expect(log.head()).toEqual(other.head());
      await isWhole(log);
    });
  });

  test('without the database appends are refused without secrets and reads go on; then appends go on, too', async () => {
    const own = await startCluster();
    onTestFinished(() => own.remove());
    const url = (await own.newLog('patience_ms=200&poll_ms=50')).replace('postgres@', 'postgres:geheim@');
    const storage = await openLog(url);
    const { log } = storage;
    await fill(log, 5);
    await own.stop();
    const refused = await log.append([to('a-1', [event(10)])]).catch((error: Error) => error);
    expect(refused).toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    expect(String(refused)).not.toMatch(/geheim|127\.0\.0\.1|postgres:/);
    expect(log.readAll().next().value?.position).toBe(1);
    await until(() => log.failure !== null);
    expect(storage.database?.problem).toContain('out of reach');
    await expect(log.append([to('a-1', [event(11)])])).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    await own.start();
    await until(() => log.failure === null);
    expect((await log.append([to('a-1', [event(10)])])).kind).toBe('appended');
    await isWhole(log);
  });

  test('a database that takes no writes refuses appends, reads go on; then appends go on, too', async () => {
    const url = await cluster().newLog('patience_ms=200&poll_ms=20');
    const storage = await openLog(url);
    const { log } = storage;
    await fill(log, 5);
    const setReadOnly = async (change: string): Promise<void> => {
      const schema = schemaOf(url);
      await cluster().query(`ALTER FUNCTION ${schema}.append ${change}; ALTER FUNCTION ${schema}.append_one ${change}`);
    };
    await setReadOnly('SET transaction_read_only = on');
    const refused = { code: 'STORAGE_UNAVAILABLE', message: expect.stringContaining('25006') };
    await expect(log.append([to('a-1', [event(10)])])).rejects.toMatchObject(refused);
    expect(storage.database?.problem).toContain('takes no writes');
    await expect(log.append([to('a-1', [event(10)])])).rejects.toMatchObject(refused);
    expect([...log.readAll()]).toHaveLength(5);
    await setReadOnly('RESET transaction_read_only');
    expect((await log.append([to('a-1', [event(10)])])).kind).toBe('appended');
    expect(storage.database?.problem).toBeNull();
    await isWhole(log);
  });

  test('a log that is idle says that the database refuses every login, and that it takes logins again', async () => {
    const owned = await cluster().newLog('patience_ms=200&poll_ms=20');
    await cluster().query('CREATE ROLE shut_out LOGIN');
    await initLog({ url: owned, role: 'shut_out' });
    const { log, database } = await openLog(owned.replace('postgres@', 'shut_out@'));
    await cluster().query('ALTER ROLE shut_out NOLOGIN');
    await cluster().query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'shut_out'");
    await until(() => log.failure !== null);
    expect(database?.problem).toContain('refuses the login');
    await cluster().query('ALTER ROLE shut_out LOGIN');
    await until(() => log.failure === null);
  });

  test('a log whose schema is dropped waits as for a database that is away, and goes on when it is restored', async () => {
    const url = await cluster().newLog('patience_ms=200&poll_ms=20');
    const { log } = await openLog(url);
    await fill(log, 5);
    await cluster().query(`ALTER SCHEMA ${schemaOf(url)} RENAME TO away`);
    const gone = { code: 'STORAGE_UNAVAILABLE', message: expect.stringMatching(/3F000|42P01/) };
    await expect(log.append([to('a-1', [event(10)])])).rejects.toMatchObject(gone);
    expect(log.failure).toMatchObject(gone);
    await cluster().query(`ALTER SCHEMA away RENAME TO ${schemaOf(url)}`);
    await until(() => log.failure === null);
    expect((await log.append([to('a-1', [event(10)])])).kind).toBe('appended');
    await isWhole(log);
  });

  test.each(['repeatable read', 'serializable'])(
    'no append of racing writers fails when their role has %s transactions',
    async (level) => {
      const owned = await cluster().newLog('patience_ms=0');
      const role = `of_${level.replace(' ', '_')}`;
      await cluster().query(
        `CREATE ROLE ${role} LOGIN; ALTER ROLE ${role} SET default_transaction_isolation = '${level}'`,
      );
      await initLog({ url: owned, role });
      const url = owned.replace('postgres@', `${role}@`);
      const logs = [await openLog(url), await openLog(url), await openLog(url)];
      for (let round = 0; round < 10; round += 1) {
        const appends = logs.map(({ log }, number) =>
          log.append([to(`a-${number}`, [event(round * 10 + number + 1)])]),
        );
        for (const { kind } of await Promise.all(appends)) expect(kind).toBe('appended');
      }
    },
  );

  test('without the database a log opens from its copy and follows later', async () => {
    const url = await cluster().newLog('patience_ms=0&poll_ms=50');
    const { proxy, proxied } = await behindProxy(cluster(), url);
    const directory = memoryFolder('copy');
    const first = await openLog(proxied, { directory });
    await fill(first.log, 5);
    await first.close();
    proxy.cut();
    await expect(openLog(proxied, { directory: memoryFolder('copy') })).rejects.toMatchObject({
      code: 'STORAGE_UNAVAILABLE',
    });
    const { log } = await openLog(proxied, { directory });
    expect(log.head().position).toBe(5);
    expect(log.failure).toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    const other = await openLog(url);
    await other.log.append([to('b-1', [event(9)])]);
    proxy.mend();
    await until(() => log.head().position === 6);
    expect(log.head()).toEqual(other.log.head());
  });

  describe('another history in the database', () => {
    const rollBack = (schema: string, to: number): Promise<void> => rollBackTo(to, { cluster: cluster(), schema });

    test('that ends earlier is named as a loss with both positions, by a running log and at a start', async () => {
      const url = await cluster().newLog('poll_ms=20');
      const directory = memoryFolder('copy');
      const lines: string[] = [];
      const report = (line: string) => lines.push(line);
      const storage = await openLog(url, { directory, report });
      await fill(storage.log, 9);
      await rollBack(schemaOf(url), 6);
      await until(() => storage.log.failure !== null);
      const what = 'it ends at 6, the copy of this daemon at 9; events 7 to 9 were lost';
      expect(storage.log.failure?.message).toContain(what);
      expect(lines).toEqual([storage.log.failure?.message]);
      await expect(storage.log.append([to('a-1', [event(50)])])).rejects.toMatchObject({ code: 'STORAGE_READ_ONLY' });
      await storage.close();
      const reopened = await openLog(url, { directory, report });
      expect(reopened.database?.problem).toContain(what);
      expect(lines).toHaveLength(2);
      expect(reopened.log.at(9)?.position).toBe(9);
    });

    test('that lost events gets them back from a copy', async () => {
      const url = await cluster().newLog('poll_ms=20');
      const directory = memoryFolder('copy');
      const storage = await openLog(url, { directory });
      await fill(storage.log, 9);
      const head = storage.log.head();
      await storage.close();
      const schema = schemaOf(url);
      await rollBack(schema, 6);
      const tree = Buffer.from(storage.log.treeHash(6), 'hex');
      await cluster().query(`UPDATE ${schema}.head SET tree = $1`, [tree]);
      await migrateToPostgres({ url, directory: join(directory, 'data') });
      const reopened = await openLog(url, { directory });
      expect([reopened.log.head(), reopened.log.failure]).toEqual([head, null]);
    });

    test('that was rewritten is named with its first position', async () => {
      const url = await cluster().newLog('poll_ms=20');
      const directory = memoryFolder('copy');
      const storage = await openLog(url, { directory });
      await fill(storage.log, 9);
      await storage.close();
      const schema = schemaOf(url);
      await rollBack(schema, 4);
      await cluster().query(`UPDATE ${schema}.head SET position = 4, tree = $1`, [
        Buffer.from(storage.log.treeHash(4), 'hex'),
      ]);
      const forger = await openLog(url);
      await fill(forger.log, 6, 500);
      const { log } = await openLog(url, { directory });
      expect(log.failure?.message).toContain('position 5 holds another event');
      await expect(log.append([to('a-1', [event(50)])])).rejects.toMatchObject({ code: 'STORAGE_READ_ONLY' });
    });

    test('of the same length is found by a daemon that nobody writes to', async () => {
      const url = await cluster().newLog('poll_ms=20');
      const { proxy, proxied } = await behindProxy(cluster(), url);
      const { log } = await openLog(proxied);
      await fill(log, 9);
      proxy.cut();
      const schema = schemaOf(url);
      await rollBack(schema, 4);
      await cluster().query(`UPDATE ${schema}.head SET tree = $1`, [Buffer.from(log.treeHash(4), 'hex')]);
      await fill((await openLog(url)).log, 5, 500);
      proxy.mend();
      await until(() => log.failure?.message.includes('position 5 holds another event') === true);
    });

    test.each([
      ['at the next start', true],
      ['when the database is back after the next start', false],
    ])('in which one event was replaced, head and tree hash left as they were, is found %s', async (_, isThere) => {
      const [url, forged] = [await cluster().newLog('poll_ms=20'), await cluster().newLog()];
      const { proxy, proxied } = await behindProxy(cluster(), url);
      const directory = memoryFolder('copy');
      const storage = await openLog(url, { directory });
      await fill(storage.log, 9);
      await storage.close();
      const forger = await openLog(forged);
      await fill(forger.log, 4);
      await forger.log.append([to('stream-1', [event(700, { number: 5 })])]);
      const [schema, other] = [schemaOf(url), schemaOf(forged)];
      await cluster().query(`ALTER TABLE ${schema}.events DISABLE TRIGGER ALL;
        UPDATE ${schema}.events e SET (id, leaf, record) = (f.id, f.leaf, f.record)
          FROM ${other}.events f WHERE e.position = 5 AND f.position = 5;
        ALTER TABLE ${schema}.events ENABLE TRIGGER ALL`);
      if (!isThere) proxy.cut();
      const { log } = await openLog(proxied, { directory });
      const before = proxy.refused;
      await until(() => isThere || proxy.refused >= before + 4);
      proxy.mend();
      await until(() => log.failure?.message.includes('position 5 holds another event') === true);
    });

    test('of another log is refused at the start, and by a running log', async () => {
      const [url, otherUrl] = [await cluster().newLog('poll_ms=20'), await cluster().newLog('poll_ms=20')];
      const directory = memoryFolder('copy');
      const lines: string[] = [];
      const { log } = await openLog(url, { directory, report: (line) => lines.push(line) });
      await expect(openLog(otherUrl, { directory })).rejects.toMatchObject({ code: 'STORAGE_TARGET' });
      await cluster().query(`UPDATE ${schemaOf(url)}.meta SET log_id = gen_random_uuid()`);
      await until(() => log.failure !== null);
      expect(log.failure).toMatchObject({ code: 'STORAGE_READ_ONLY' });
      expect(lines).toEqual(['The database has another log by now.']);
    });
  });
});
