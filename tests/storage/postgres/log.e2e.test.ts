/** The log on PostgreSQL: one writer, two daemons' logs on one database, what a follower sees. */
import { expect, test } from 'vitest';
import { openPostgresStorage } from '../../../src/storage/postgres/open.ts';
import { uuidV7 } from '../../../src/storage/uuid.ts';
import { memoryFolder } from '../../support/folders.ts';
import { withPostgres } from '../../support/postgres.ts';

withPostgres('the log on PostgreSQL', (cluster) => {
  const event = (n: number) => ({
    id: uuidV7(Date.now()),
    type: 'Noted',
    schema: 1,
    at: 1,
    actor: 'owner',
    correlation: null,
    causation: null,
    data: { n },
  });

  test('an append is in the database and in the copy', async () => {
    const url = await cluster().newLog();
    const a = await openPostgresStorage({ url, directory: memoryFolder('copy') });
    const appended = await a.log.append([{ stream: 'note-1', expectedVersion: 'none', events: [event(1), event(2)] }]);
    expect(appended.kind).toBe('appended');
    expect(a.log.head().position).toBe(2);
    const b = await openPostgresStorage({ url, directory: memoryFolder('copy') });
    expect(b.log.head()).toEqual(a.log.head());
    const seen = new Promise((resolve) => b.log.onAppended((events) => resolve(events)));
    const more = await a.log.append([{ stream: 'note-1', expectedVersion: 2, events: [event(3)] }]);
    expect(await seen).toEqual(more.kind === 'appended' ? more.events : []);
    await a.close();
    await b.close();
  });
});
