/** The log on PostgreSQL: one writer, two daemons on one database, followers. */
import { expect, test } from 'vitest';
import { event, to } from '../../../src/testing/event-log-contract/case.ts';
import { withPostgres } from '../../support/postgres.ts';
import { behindProxy, openLog } from './helpers.ts';

withPostgres('the log on PostgreSQL', (cluster) => {
  test('an append is in the database and in the copy', async () => {
    const url = await cluster().newLog();
    const a = await openLog(url);
    const appended = await a.log.append([to('note-1', [event(1), event(2)], 'none')]);
    expect(appended.kind).toBe('appended');
    expect(a.log.head().position).toBe(2);
    const b = await openLog(url);
    expect(b.log.head()).toEqual(a.log.head());
    const seen = new Promise((resolve) => b.log.onAppended((events) => resolve(events)));
    const more = await a.log.append([to('note-1', [event(3)], 2)]);
    expect(await seen).toEqual(more.kind === 'appended' ? more.events : []);
  });

  test('a new daemon copies thousands of events, erased ones included', async () => {
    const url = await cluster().newLog();
    const a = await openLog(url);
    for (let part = 0; part < 3; part += 1) {
      const events = Array.from({ length: 2_000 }, (_, n) => event(part * 2_000 + n));
      await a.log.append([{ stream: `note-${part}`, expectedVersion: 'none', events }]);
    }
    await a.log.erase([2, 1_500, 5_999]);
    const heard: number[] = [];
    const b = await openLog(url, { copying: (log, total) => heard.push(log.head().position, total) });
    expect(b.log.head()).toEqual(a.log.head());
    expect([...b.log.readAll()]).toEqual([...a.log.readAll()]);
    expect(b.log.at(1_500)?.erased).toBe(true);
    expect(b.log.treeHash(4_000)).toBe(a.log.treeHash(4_000));
    expect(await b.log.verify()).toEqual(await a.log.verify());
    expect(heard.slice(-2)).toEqual([6_001, 6_001]);
  });

  test('refresh fetches the events of others; without the database it rejects, and the log reports the failure', async () => {
    const url = await cluster().newLog('poll_ms=60000');
    const { proxy, proxied } = await behindProxy(cluster(), url);
    const a = await openLog(proxied);
    expect(await a.database?.refresh()).toBe(false);
    expect(a.database?.problem).toBeNull();
    await proxy.close();
    await expect(a.database?.refresh()).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    expect(a.log.failure).toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    expect(a.database?.problem).toBe(a.log.failure?.message);
  });
});
