/** A single process does not notify; it does when another one listens. */
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import type { EventLog } from '../../../src/storage/event-log.ts';
import { othersListen } from '../../../src/storage/postgres/head-lookups.ts';
import { channelOf } from '../../../src/storage/postgres/schema.ts';
import { event, to } from '../../../src/testing/event-log-contract/case.ts';
import { type Cluster, withPostgres } from '../../support/postgres.ts';
import { openLog, schemaOf } from './helpers.ts';

/** The announcements on the channel of a log, received by a connection that the log does not know. */
async function overhear(cluster: Cluster, schema: string) {
  const client = new pg.Client({ host: '127.0.0.1', port: cluster.port, user: 'postgres', database: 'postgres' });
  await client.connect();
  onTestFinished(() => client.end());
  let heard: string[] = [];
  client.on('notification', ({ payload = '' }) => heard.push(payload));
  await client.query(`LISTEN "${channelOf(schema)}"`);
  return {
    /** The announcements since the last call. */
    async since(): Promise<readonly string[]> {
      // The answer comes after all earlier announcements.
      await client.query('SELECT 1');
      const all = heard;
      heard = [];
      return all;
    },
  };
}

async function append(log: EventLog): Promise<string> {
  await log.append([to('note-1', [event(log.head().position)])]);
  return String(log.head().position);
}

withPostgres('who is notified of an append', (cluster) => {
  test('a single process notifies nobody; another process is notified from the moment at which it listens', async () => {
    const url = await cluster().newLog();
    const announced = await overhear(cluster(), schemaOf(url));
    const alone = await openLog(`${url}&poll_ms=20`);
    const isSilent = async (): Promise<boolean> => {
      await announced.since();
      await append(alone.log);
      return (await announced.since()).length === 0;
    };
    while (!(await isSilent()));
    const other = await openLog(`${url}&poll_ms=60000`);
    await announced.since();
    const seen = new Promise((resolve) => other.log.onAppended(([first]) => resolve(first?.position)));
    const position = await append(alone.log);
    expect(String(await seen)).toBe(position);
    expect(await announced.since()).toEqual([position]);
    await other.close();
    while (!(await isSilent()));
  });

  // The look of a process whose connection was just made again came before it listened: it found one lock, took that for its
  // own, and notified nobody until the next look.
  test('another listener is detected whether or not the process listens itself', async () => {
    const url = await cluster().newLog('poll_ms=60000');
    const found = async (own: readonly number[]): Promise<boolean | undefined> => {
      const text = `SELECT ${othersListen(channelOf(schemaOf(url)), '$1::int[]')} AS others`;
      return (await cluster().query<{ others: boolean }>(text, [[...own]]))[0]?.others;
    };
    const listeners = async (): Promise<number[]> => {
      const text = "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ShareLock'";
      return (await cluster().query<{ pid: number }>(text)).map(({ pid }) => pid);
    };
    const before = await listeners();
    await openLog(url);
    const first = (await listeners()).filter((pid) => !before.includes(pid));
    expect([first.length, await found([]), await found(first)]).toEqual([1, true, false]);
    await openLog(url);
    expect(await found(first)).toBe(true);
  });
});
