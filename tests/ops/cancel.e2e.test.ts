/** Cancelling a storage operation over HTTP: a backup ends and leaves no file, others are refused. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { StorageOperation } from '../../src/client/generated/types.ts';
import { storageRoutes } from '../../src/http/storage.ts';
import { openStorage, type Storage } from '../../src/storage/open.ts';
import { openBackups } from '../../src/storage/ops/backups.ts';
import { createControl } from '../../src/storage/ops/control.ts';
import { Erasures } from '../../src/storage/ops/erasures.ts';
import { systemClock } from '../../src/storage/ops/schedule.ts';
import { fill } from '../storage/log-helpers.ts';
import { temporaryFolder } from '../support/folders.ts';
import { replacing } from '../support/replacing.ts';
import { testServer } from '../support/server.ts';

/** A server over a store whose long operations begin when `go` is called. */
async function served() {
  const folder = temporaryFolder('cancelled');
  const storage = await openStorage({ directory: join(folder, 'data'), backend: 'embedded_kv' });
  onTestFinished(() => storage.close());
  await fill(storage.log, 20);
  const { promise: begun, resolve: go } = Promise.withResolvers<void>();
  const waiting = { ...storage, engine: held(storage.engine, begun) };
  const backups = openBackups({
    storage,
    directory: join(folder, 'backups'),
    retention: 7,
    now: () => Date.now(),
    prepare: () => begun,
  });
  const erasures = new Erasures({ storage: waiting, clock: systemClock, report: () => undefined });
  const storageControl = createControl({ storage: waiting, backups, erasures });
  const { app, token } = await testServer(() => storageRoutes({ storageControl }));
  const headers = { authorization: `Bearer ${token}` };
  const ask = async (method: 'GET' | 'POST', path: string, payload?: object) => {
    const url = `/v1/storage/operations${path}`;
    const response = await app.inject({ method, url, headers, ...(payload && { payload }) });
    return { status: response.statusCode, body: response.json<StorageOperation>() };
  };
  return { folder, go, ask, backups };
}

/** The engine, whose backup and compaction wait. */
function held(engine: Storage['engine'], begun: Promise<void>): Storage['engine'] {
  return replacing(engine, {
    backup: (directory) => begun.then(() => engine.backup(directory)),
    compact: (progress) => begun.then(() => engine.compact(progress)),
  });
}

it.each(['backup', 'verified_backup'])('ends a %s, which leaves no file', async (kind) => {
  const { folder, go, ask, backups } = await served();
  const to = join(folder, 'copy');
  const { body: started } = await ask('POST', '', kind === 'backup' ? { kind, to } : { kind });
  expect(await ask('POST', `/${started.id}/cancel`)).toMatchObject({ status: 200, body: { state: 'running' } });
  go();
  const ended = await ask('GET', `/${started.id}?wait=20000`);
  expect(ended.body).toMatchObject({ state: 'cancelled', error: { message: 'The backup was cancelled.' } });
  expect((await ask('POST', `/${started.id}/cancel`)).body).toEqual(ended.body);
  expect(existsSync(to)).toBe(false);
  if (kind === 'verified_backup') expect(readdirSync(join(folder, 'backups'))).toEqual([]);
  expect(backups.state()).toMatchObject({ failures: 0, failure: null });
  const { body: next } = await ask('POST', '', { kind: 'verified_backup' });
  expect((await ask('GET', `/${next.id}?wait=20000`)).body.state).toBe('done');
});

it('is refused for a compaction, and for an operation that there is not', async () => {
  const { go, ask } = await served();
  const { body: started } = await ask('POST', '', { kind: 'compact' });
  expect((await ask('POST', `/${started.id}/cancel`)).status).toBe(409);
  go();
  expect((await ask('GET', `/${started.id}?wait=20000`)).body.state).toBe('done');
  expect((await ask('POST', '/99/cancel')).status).toBe(404);
});
