/**
 * A deletion is final, and the log still verifies: with a real process, killed in between, whose files are read byte by
 * byte.
 */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStorage } from '../../src/storage/open.ts';
import { startTestDaemon } from '../../src/testing/daemon.ts';
import type { KillableDaemon } from '../support/daemon.ts';
import { filesWhere, temporaryFolder } from '../support/folders.ts';
import { killableMemoryDaemon, memoryClient, memoryDaemon, sharedMemoryDaemon } from './support.ts';

const daemon = sharedMemoryDaemon();

/** The files under a folder that hold these bytes. */
function filesWith(folder: string, text: string): readonly string[] {
  return filesWhere(folder, (bytes) => bytes.includes(text));
}

/** Starts an operation of the storage and waits until it is done. */
async function operate(daemon: Pick<KillableDaemon, 'request'>, kind: string, to?: string) {
  const headers = { 'content-type': 'application/json' };
  const begun = await daemon.request('/v1/storage/operations', {
    method: 'POST',
    headers,
    body: JSON.stringify({ kind, to }),
  });
  const { id } = (await begun.json()) as { id: string };
  for (;;) {
    const state = (await (await daemon.request(`/v1/storage/operations/${id}?wait=1000`)).json()) as {
      state: string;
      result: { ok?: boolean } | null;
    };
    if (state.state !== 'running') return state;
  }
}

describe('a deleted memory', () => {
  it.each(['cow', 'lsm', 'embedded_kv'])('is in no file of %s after a compaction, and in no event', async (backend) => {
    const home = temporaryFolder('memory-forget');
    const client = await killableMemoryDaemon({ home, env: { DAYBOOK_PERSISTENCE_BACKEND: backend } });
    const secret = 'xylophone4711';
    const id = await client.add(`The ${secret} stands in the attic`, { tags: [`${secret}-tag`] });
    for (const word of ['north', 'south', 'east', 'west']) await client.add(`The ${secret} faces ${word}`);
    const { reflections_created } = (await client.post('/memory/consolidate')).body;
    expect(reflections_created).toBe(1);
    const { memories } = (await client.get('/memory/list')).body;
    for (const memory of memories)
      if (memory.content.includes(secret) && memory.id !== id) {
        if (memory.pinned) continue;
        expect((await client.post('/memory/delete', { id: memory.id })).body).toEqual({ ok: true });
      }
    expect((await client.post('/memory/delete', { id })).body).toEqual({ ok: true });
    expect((await client.get('/memory/stats')).body.total_memories).toBe(0);
    expect((await client.post('/memory/query', { query: secret })).body.count).toBe(0);
    const events = await (await client.request('/v1/events?limit=5000')).text();
    expect(events).not.toContain(secret);
    expect(events).toContain('"erased":true');
    expect((await operate(client, 'verify')).result?.ok).toBe(true);
    expect((await operate(client, 'compact')).state).toBe('done');
    expect(filesWith(home, secret)).toEqual([]);
    const head = (await (await client.request('/v1/log/head')).json()) as { position: number };
    for (let position = 1; position <= head.position; position += 1) {
      expect((await client.request(`/v1/log/proof?position=${position}`)).status).toBe(200);
    }
  });

  it.each(['cow', 'lsm', 'embedded_kv'])(
    'is in no backup that %s makes after it, compacted or not',
    async (backend) => {
      const home = temporaryFolder('memory-backup');
      const client = await killableMemoryDaemon({ home, env: { DAYBOOK_PERSISTENCE_BACKEND: backend } });
      const id = await client.add('The xylophone4711 stands in the attic');
      await client.add('The piano stays');
      await client.post('/memory/delete', { id });
      const to = join(home, 'copy');
      expect((await operate(client, 'backup', to)).state).toBe('done');
      expect(filesWith(to, 'piano')).not.toEqual([]);
      expect(filesWith(to, 'xylophone4711')).toEqual([]);
    },
  );

  it('whose erasure was cut short is erased at the next start', async () => {
    const home = temporaryFolder('memory-cut');
    const daemon = await memoryDaemon({ home });
    const id = await daemon.add('Half forgotten words');
    await daemon.stop();
    // What a crash between the deletion and the erasure leaves.
    const storage = await openStorage({ directory: join(home, 'data') });
    const [added] = storage.log.readStream(`memory-${id}`);
    const deleted = {
      ...{ id: '019b0000-0000-7000-8000-000000000001', type: 'MemoryDeleted', schema: 1, at: added!.at },
      ...{ actor: 'owner', correlation: null, causation: null, data: { positions: [added!.position] } },
    };
    await storage.log.append([{ stream: `memory-${id}`, expectedVersion: 1, events: [deleted] }]);
    await storage.close();
    const again = await memoryDaemon({ home });
    const { events } = (await (await again.request(`/v1/events?stream=memory-${id}`)).json()) as {
      events: { type: string; erased?: true }[];
    };
    expect(events.map(({ type, erased }) => [type, erased])).toEqual([
      ['MemoryAdded', true],
      ['MemoryDeleted', undefined],
    ]);
    expect((await again.get('/memory/stats')).body.total_memories).toBe(0);
    expect(filesWith(home, 'Half forgotten words').filter((path) => path.includes('views.db'))).toEqual([]);
    await again.stop();
  });

  it('is answered the same when its deletion is repeated with its key after a crash', async () => {
    await using daemon = await startTestDaemon({ backend: 'lsm' });
    const { add, post } = memoryClient({ request: (path, init = {}) => daemon.fetch(path, init) });
    for (const change of [0, 1, 2, 3, 4, 5, 6]) {
      const id = await add(`Half forgotten words, part ${change}`);
      const forget = () => post('/memory/delete', { id }, { 'idempotency-key': id });
      await daemon.killAt(change, forget());
      await daemon.restart();
      expect((await forget()).body).toEqual({ ok: true });
    }
  });

  it('can be brought back by an import, and the answer to its old key is gone', async () => {
    const headers = { 'idempotency-key': 'k1' };
    const { id } = (await daemon.post('/memory/add', { content: 'Back and forth' }, headers)).body;
    const exported = await (await daemon.request('/memory/export')).text();
    await daemon.post('/memory/delete', { id });
    expect((await daemon.post('/memory/add', { content: 'Back and forth' }, headers)).status).toBe(409);
    expect((await daemon.post('/memory/import', { content: exported })).body).toMatchObject({ imported: 1 });
    expect((await daemon.get(`/memory/${id}`)).body.content).toBe('Back and forth');
    expect(await (await daemon.request('/memory/export')).text()).toBe(exported);
  });
});

it('a question that is repeated under its key is answered anew after a deletion', async () => {
  const ask = (path: string) => daemon.post(path, { query: 'ferry to Runde' }, { 'idempotency-key': 'k' });
  const paths = ['/memory/query', '/memory/context'];
  const id = await daemon.add('The ferry to Runde leaves at nine');
  for (const path of paths) expect(JSON.stringify(await ask(path))).toContain('leaves at nine');
  await daemon.post('/memory/delete', { id });
  for (const path of paths) expect(JSON.stringify(await ask(path))).not.toContain('leaves at nine');
});

it('a memory that was offered anew leaves no word in the answer to who offered it', async () => {
  const content = 'The ferry to Runde leaves at nine';
  const { id } = (await daemon.post('/memory/add', { content, tags: ['puffin'] })).body;
  await daemon.post('/memory/context', { query: 'ferry to Runde' });
  const headers = { 'idempotency-key': 'anew' };
  const anew = await daemon.post('/memory/add', { content }, headers);
  expect(anew.body).toMatchObject({ id, recognised: 'exact', tags: ['puffin'] });
  expect(await daemon.post('/memory/add', { content }, headers)).toEqual(anew);
  expect((await daemon.get('/memory/audit')).body.recall_loops.count).toBe(1);
  await daemon.post('/memory/delete', { id });
  expect(await (await daemon.request('/v1/events?limit=5000')).text()).not.toContain('puffin');
  expect((await daemon.post('/memory/add', { content }, headers)).status).toBe(409);
});

describe('a fact', () => {
  it('that was told twice leaves no word in the second answer, which repeats under its key', async () => {
    const tell = (key: string) =>
      daemon.post('/memory/fact', { subject: 'Zed', predicate: 'eats', object: 'rhubarb' }, { 'idempotency-key': key });
    const { body } = await tell('first');
    const again = await tell('again');
    expect(again).toEqual({ status: 200, body });
    await daemon.post('/memory/delete', { id: body.id });
    expect(await (await daemon.request('/v1/events?limit=5000')).text()).not.toContain('rhubarb');
    expect(await tell('again')).toEqual(again);
    expect((await daemon.get('/memory/facts')).body.total).toBe(0);
  });

  it('can be deleted by its id, and the one before it holds again', async () => {
    const tell = (object: string, valid_from: number) =>
      daemon.post(
        '/memory/fact',
        { subject: 'Zed', predicate: 'is', object, valid_from },
        { 'idempotency-key': object },
      );
    await tell('here', 10);
    const { id } = (await tell('rhubarb', 20)).body;
    expect((await daemon.post('/memory/delete', { id })).body).toEqual({ ok: true });
    const { facts } = (await daemon.get('/memory/facts')).body;
    expect(facts.map(({ object, valid_to }) => [object, valid_to])).toEqual([['here', null]]);
    expect(await (await daemon.request('/v1/events?limit=5000')).text()).not.toContain('rhubarb');
    expect((await daemon.post('/memory/delete', { id })).body.ok).toBe(false);
  });
});

it('a drawer can be deleted by its id', async () => {
  await daemon.post('/memory/chunk', { content: 'Rhubarb words', source: 's' });
  const [drawer] = (await daemon.get('/memory/drawers?source=s')).body.drawers;
  expect((await daemon.post('/memory/delete', { id: drawer!.id })).body).toEqual({ ok: true });
  expect((await daemon.get('/memory/drawers/stats')).body.total_drawers).toBe(0);
  expect(await (await daemon.request('/v1/events?limit=5000')).text()).not.toContain('Rhubarb');
  expect((await daemon.post('/memory/chunk', { content: 'Rhubarb words', source: 's' })).body.chunks_created).toBe(1);
});

it('an export imported into an empty home is exported again the same', async () => {
  const daemon = await memoryDaemon();
  const id = await daemon.add('Pinned Ünïcode 😀 memory', { tags: ['b', 'a'], metadata: { k: 'v' } });
  await daemon.post('/memory/pin', { id });
  await daemon.add('Yesterday the ferry was late');
  for (const word of ['one', 'two', 'three', 'four']) await daemon.add(`Step ${word}: install the pump`);
  await daemon.post('/memory/consolidate');
  const exported = await (await daemon.request('/memory/export')).text();
  await daemon.stop();
  const other = await memoryDaemon();
  for (const format of ['auto', 'openmemory']) {
    const { status, body } = await other.post('/memory/import', { content: exported, format });
    expect([status, body.errors, body.format_used]).toEqual([200, [], format]);
    expect(body.imported).toBe(format === 'auto' ? (JSON.parse(exported) as unknown[]).length : 0);
    expect(await (await other.request('/memory/export')).text()).toBe(exported);
  }
  const bad = await other.post('/memory/import', { content: 'no json' });
  expect([bad.status, bad.body.error.startsWith('import failed: ')]).toEqual([400, true]);
  await other.stop();
});

it('a daemon that is killed has every memory it acknowledged', async () => {
  const home = temporaryFolder('memory-kill');
  const killed = await killableMemoryDaemon({ home });
  const ids = await Promise.all(Array.from({ length: 20 }, (_, at) => killed.add(`Concurrent note ${at} about pears`)));
  await killed.kill('SIGKILL');
  const again = await killableMemoryDaemon({ home });
  const { memories } = (await again.get('/memory/list')).body;
  expect(new Set(memories.map(({ id }) => id))).toEqual(new Set(ids));
  const found = (await again.post('/memory/query', { query: 'pears', limit: 50 })).body;
  expect(found.count).toBe(20);
});
