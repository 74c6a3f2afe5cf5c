/** Vectors of an embedding provider for memories: made in the background, used by questions, removed by deletions. */
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { VectorStatus, VectorsUsed } from '../../src/client/generated/types.ts';
import { type FakeEmbedder, KEY, startFakeEmbedder, vectorOf } from '../embedding/fake.ts';
import type { TestDaemon } from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';
import { listening } from '../support/ports.ts';
import { runProgramHere } from '../support/program.ts';
import { until } from '../support/until.ts';
import { type Body, killableMemoryDaemon, type MemoryClient, memoryDaemonHere, type Reply } from './support.ts';

const PASSPHRASE = 'correct horse battery staple';

async function fake(): Promise<FakeEmbedder> {
  const made = await startFakeEmbedder('openai');
  onTestFinished(() => made.close());
  return made;
}

const chosen = (provider: string, model = 'any-model') => ({
  DAYBOOK_EMBEDDING_PROVIDER: provider,
  DAYBOOK_EMBEDDING_MODEL: model,
});

/** A daemon with the vectors of a provider. */
async function served() {
  const provider = await fake();
  return { provider, daemon: await memoryDaemonHere({ env: { ...provider.env, ...chosen('openai') } }) };
}

const healthOf = async ({ request }: Pick<TestDaemon, 'request'>): Promise<{ memory: { embedding: VectorStatus } }> =>
  (await (await request('/health')).json()) as { memory: { embedding: VectorStatus } };
const embeddingOf = ({ body }: Reply): VectorStatus => (body as Body & { embedding: VectorStatus }).embedding;
const vectorsOf = ({ body }: Reply): VectorsUsed | undefined => (body as Body & { vectors?: VectorsUsed }).vectors;

/** Looks until the stats say so; the test's own time limit ends it. */
function untilStats(client: MemoryClient, hold: (embedding: VectorStatus) => boolean): Promise<VectorStatus> {
  return until(async () => {
    const embedding = embeddingOf(await client.get('/memory/stats'));
    return hold(embedding) && embedding;
  });
}

const complete = ({ state, embedded, total }: VectorStatus): boolean => state === 'complete' && embedded === total;

const filesOf = (home: string): readonly string[] =>
  readdirSync(join(home, 'vectors')).filter((name) => name.endsWith('.db'));

function keysIn(home: string, file: string): readonly string[] {
  const database = new Database(join(home, 'vectors', file), { readonly: true });
  try {
    return database.prepare('SELECT key FROM signs ORDER BY key').pluck().all() as string[];
  } finally {
    database.close();
  }
}

const query = (client: MemoryClient, text: string, more = {}): Promise<Reply> =>
  client.post('/memory/query', { query: text, ...more });

// What each provider is asked, and answers: tests/embedding/wire.e2e.test.ts.
it('every memory and drawer gets a vector, and questions use them', async () => {
  const { daemon } = await served();
  const id = await daemon.add('The quick brown fox sleeps');
  await daemon.add('Taxes are due in April');
  const lines = Array.from({ length: 60 }, (_, at) => `Minute ${at} of the meeting: agreed on item ${at * 7}.`);
  await daemon.post('/memory/chunk', { content: lines.join('\n') });
  const embedding = await untilStats(daemon, complete);
  const total = (await daemon.get('/memory/stats')).body.total_drawers + 2;
  expect(embedding).toEqual({
    provider: 'openai',
    model: 'any-model',
    dimension: 8,
    embedded: total,
    total,
    state: 'complete',
  });
  const found = await query(daemon, 'quick brown fox', { drawers: 2 });
  expect(vectorsOf(found)).toEqual({ provider: 'openai', model: 'any-model', used: true });
  expect(found.body.results[0]!.id).toBe(id);
  expect(found.body.drawers).toHaveLength(2);
  expect(JSON.stringify(found.body)).not.toContain(KEY);
});

/** So many requests are refused; `reset` ends it. */
const DOWN = Array.from({ length: 500 }, () => ({ kind: 'refuse', status: 403, message: 'not today' }) as const);

const documents = (provider: FakeEmbedder): readonly string[] =>
  provider.seen.filter(({ body }) => body.input_type !== 'query').flatMap(({ texts }) => texts);

/** Bytes of a home's vectors, journals included. */
function bytesOf(home: string): Buffer {
  const folder = join(home, 'vectors');
  return Buffer.concat(readdirSync(folder).map((name) => readFileSync(join(folder, name))));
}

/** A vector as it lies in a plain file: its eight bytes behind the scale. */
function codeOf(text: string): Buffer {
  const vector = vectorOf(text, 8);
  const largest = Math.max(...vector);
  return Buffer.from(vector.map((each) => Math.round((each / largest) * 127)));
}

describe('a question', () => {
  it('finds what has none of its words, and is embedded once', async () => {
    const { provider, daemon } = await served();
    await daemon.add('Rent goes up in May');
    const id = await daemon.add('Whiskers purrs on the sofa');
    await daemon.add('The bicycle needs oil');
    await untilStats(daemon, complete);
    provider.reset();
    provider.trouble({ kind: 'vectors', vectors: [vectorOf('Whiskers purrs on the sofa', 8)] });
    const first = await query(daemon, 'Haustier');
    expect(first.body.results[0]!.id).toBe(id);
    expect(first.body.results[0]!.vector).toBeGreaterThan(0.99);
    const context = await daemon.post('/memory/context', { query: 'Haustier' });
    expect(vectorsOf(context)).toMatchObject({ used: true });
    expect((await query(daemon, 'Haustier')).body.results.map((each) => each.id)).toEqual(
      first.body.results.map((each) => each.id),
    );
    expect(provider.seen).toHaveLength(1);
  });

  it('keeps every term in its range', async () => {
    const { daemon } = await served();
    for (const text of ['one fox', 'two foxes', 'three hens', 'a fox, again: one fox']) await daemon.add(text);
    await untilStats(daemon, complete);
    for (const text of ['one fox', '???', 'a hen', '\u{1F98A}']) {
      for (const found of (await query(daemon, text)).body.results) {
        const { score, similarity, lexical, vector } = found;
        for (const term of [score, similarity, lexical, vector]) expect(term).toBeGreaterThanOrEqual(0);
        for (const term of [score, similarity, lexical, vector]) expect(term).toBeLessThanOrEqual(1);
      }
    }
  });

  it('is answered without a provider that hangs', async () => {
    const { provider, daemon } = await served();
    const id = await daemon.add('A memory about hinges');
    await untilStats(daemon, complete);
    provider.trouble({ kind: 'hang' });
    const found = await query(daemon, 'hinges');
    expect(vectorsOf(found)).toMatchObject({ used: false, fallback_reason: expect.stringContaining('3 s') });
    expect(found.body.results[0]!.id).toBe(id);
    expect(vectorsOf(await query(daemon, 'doors'))).toMatchObject({ used: false });
    expect(provider.seen.filter(({ texts }) => texts.includes('doors'))).toEqual([]);
  });
});

it('a daemon that stops answers the question under way without the provider, and waits for no batch', async () => {
  const { provider, daemon } = await served();
  await daemon.add('Lanterns hang in the harbour');
  await untilStats(daemon, complete);
  provider.trouble({ kind: 'hang' }, { kind: 'hang' });
  const asking = query(daemon, 'lanterns');
  await until(() => provider.seen.length >= 2);
  await daemon.add('Embedded by nobody');
  await daemon.stop();
  const { status, body } = await asking;
  expect([status, body.count]).toEqual([200, 2]);
  expect(vectorsOf({ status, body })).toMatchObject({ used: false });
});

describe('a provider that is down', () => {
  it('delays and fails no write, is named, and is taken up again by itself', async () => {
    const { provider, daemon } = await served();
    provider.trouble(...DOWN);
    const id = await daemon.add('Nobody embeds this yet');
    const waiting = await untilStats(daemon, ({ state }) => state === 'waiting');
    expect(waiting).toMatchObject({
      embedded: 0,
      total: 1,
      dimension: null,
      error: expect.stringContaining('OPENAI_API_KEY'),
    });
    expect(JSON.stringify(waiting)).not.toContain(KEY);
    const { memory } = await healthOf(daemon);
    expect(memory.embedding).toMatchObject({ state: 'waiting', embedded: 0 });
    const found = await query(daemon, 'nobody embeds');
    expect(vectorsOf(found)).toMatchObject({ used: false, fallback_reason: waiting.error });
    expect(found.body.results[0]!.id).toBe(id);
    provider.reset();
    expect(await untilStats(daemon, complete)).not.toHaveProperty('error');
    expect(vectorsOf(await query(daemon, 'nobody embeds'))).toMatchObject({ used: true });
  });

  it('leaves what it has not embedded to the built-in vectors, beside what it has', async () => {
    const { provider, daemon } = await served();
    const early = await daemon.add('Tulips grow behind the shed');
    await untilStats(daemon, complete);
    provider.trouble(...DOWN);
    const late = await daemon.add('Marmots whistle above the lake');
    expect(await untilStats(daemon, ({ state }) => state === 'waiting')).toMatchObject({ embedded: 1, total: 2 });
    provider.reset();
    const found = await query(daemon, 'marmots whistle');
    expect(vectorsOf(found)).toMatchObject({ used: true });
    expect(found.body.results.map((each) => each.id)).toEqual([late, early]);
  });

  it('is not asked at all while the built-in vectors are chosen, and nothing is said of it', async () => {
    const provider = await fake();
    const daemon = await memoryDaemonHere({ env: provider.env });
    await daemon.add('Local only');
    expect((await query(daemon, 'local')).body).not.toHaveProperty('vectors');
    const stats = await daemon.get('/memory/stats');
    expect(embeddingOf(stats)).toEqual({
      ...{ provider: 'local', model: 'hashed-512', dimension: 512 },
      ...{ embedded: 1, total: 1, state: 'complete' },
    });
    expect(stats.body.embedding_dim).toBe(512);
    expect(provider.seen).toEqual([]);
  });

  it.each([
    ['an unknown provider', { DAYBOOK_EMBEDDING_PROVIDER: 'abacus' }, 'abacus'],
    ['a missing key', { DAYBOOK_EMBEDDING_PROVIDER: 'voyage' }, 'VOYAGE_API_KEY'],
  ])('because of %s is said, and memories work', async (_, env, named) => {
    const daemon = await memoryDaemonHere({ env });
    const id = await daemon.add('Works all the same');
    const found = await query(daemon, 'works');
    expect(found.body.results[0]!.id).toBe(id);
    expect(vectorsOf(found)).toMatchObject({ used: false, fallback_reason: expect.stringContaining(named) });
    expect(embeddingOf(await daemon.get('/memory/stats'))).toMatchObject({ state: 'misconfigured', embedded: 0 });
  });
});

describe('vectors on disk', () => {
  it('are one file a model and dimension, for their owner alone, and what is deleted leaves all of them', async () => {
    const provider = await fake();
    const home = temporaryFolder('vectors');
    const first = await memoryDaemonHere({ home, env: { ...provider.env, ...chosen('openai', 'one') } });
    const gone = await first.add('Secret recipe for plum jam');
    const stays = await first.add('Bus line eleven');
    await untilStats(first, complete);
    await first.stop();
    provider.dimension = 16;
    const second = await memoryDaemonHere({ home, env: { ...provider.env, ...chosen('openai', 'two') } });
    expect(await untilStats(second, complete)).toMatchObject({ model: 'two', dimension: 16 });
    expect((await second.get('/memory/stats')).body.embedding_dim).toBe(16);
    expect(
      filesOf(home)
        .map((file) => /-(\d+)d\.db$/.exec(file)?.[1])
        .sort(),
    ).toEqual(['16', '8']);
    for (const file of filesOf(home)) {
      expect(keysIn(home, file)).toEqual([gone, stays].sort());
      expect(statSync(join(home, 'vectors', file)).mode & 0o777).toBe(0o600);
    }
    expect(bytesOf(home).includes(codeOf('Secret recipe for plum jam'))).toBe(true);
    await second.post('/memory/delete', { id: gone });
    for (const file of filesOf(home)) expect(keysIn(home, file)).toEqual([stays]);
    expect(bytesOf(home).includes(gone)).toBe(false);
    expect(bytesOf(home).includes(codeOf('Secret recipe for plum jam'))).toBe(false);
    await second.stop();
    provider.reset();
    const third = await memoryDaemonHere({ home, env: { ...provider.env, ...chosen('openai', 'one') } });
    expect(await untilStats(third, complete)).toMatchObject({ model: 'one', dimension: 8 });
    expect(provider.seen).toEqual([]);
  });

  it('of drawers go with their drawers', async () => {
    const { daemon } = await served();
    await daemon.post('/memory/chunk', { content: 'One drawer and no more', source: 's' });
    await untilStats(daemon, complete);
    const [drawer] = (await daemon.get('/memory/drawers?source=s')).body.drawers;
    expect((await daemon.post('/memory/delete', { id: drawer!.id })).body).toEqual({ ok: true });
    expect(embeddingOf(await daemon.get('/memory/stats'))).toMatchObject({ embedded: 0, total: 0 });
    expect(keysIn(daemon.home, filesOf(daemon.home)[0]!)).toEqual([]);
  });

  it('that were erased while being made are not kept', async () => {
    const { provider, daemon } = await served();
    provider.delayMs = 300;
    const id = await daemon.add('Gone before it is embedded');
    await until(() => provider.seen.length > 0);
    await daemon.post('/memory/delete', { id });
    await untilStats(daemon, complete);
    for (const file of filesOf(daemon.home)) expect(keysIn(daemon.home, file)).toEqual([]);
  });

  it('follow a model that changes its dimension, and never mix', async () => {
    const { provider, daemon } = await served();
    const id = await daemon.add('Herons stand in the reeds');
    await daemon.add('Invoices are in the drawer');
    await untilStats(daemon, complete);
    provider.dimension = 12;
    const before = await query(daemon, 'herons');
    expect(vectorsOf(before)).toMatchObject({ used: false, fallback_reason: expect.stringContaining('12') });
    expect(before.body.results[0]!.id).toBe(id);
    expect(await untilStats(daemon, (each) => each.dimension === 12 && complete(each))).toMatchObject({ embedded: 2 });
    expect(vectorsOf(await query(daemon, 'herons'))).toMatchObject({ used: true });
  });

  it('survive one answer of the wrong dimension', async () => {
    const { provider, daemon } = await served();
    await daemon.add('First');
    await untilStats(daemon, complete);
    provider.trouble({ kind: 'vectors', vectors: [[1, 2, 3]] });
    await daemon.add('Second');
    expect(await untilStats(daemon, (each) => each.dimension === 8 && complete(each))).toMatchObject({ embedded: 2 });
    expect(documents(provider).filter((text) => text === 'First').length).toBeLessThanOrEqual(2);
  });

  it.each([
    ['deleted', (path: string) => rmSync(path, { recursive: true })],
    ['damaged', (path: string) => readdirSync(path).map((name) => writeFileSync(join(path, name), 'not a database'))],
  ])('that are %s are made again', async (_, harm) => {
    const provider = await fake();
    const home = temporaryFolder('vectors');
    const env = { ...provider.env, ...chosen('openai') };
    const daemon = await memoryDaemonHere({ home, env });
    await daemon.add('Made twice');
    await untilStats(daemon, complete);
    await daemon.stop();
    harm(join(home, 'vectors'));
    const again = await memoryDaemonHere({ home, env });
    expect(await untilStats(again, complete)).toMatchObject({ embedded: 1, dimension: 8 });
    expect(vectorsOf(await query(again, 'made twice'))).toMatchObject({ used: true });
  });

  it('of entries that are not there any more are dropped at the start, whichever model is chosen', async () => {
    const provider = await fake();
    const home = temporaryFolder('vectors');
    const daemon = await memoryDaemonHere({ home, env: { ...provider.env, ...chosen('openai') } });
    const id = await daemon.add('Still there');
    await untilStats(daemon, complete);
    await daemon.stop();
    const [file] = filesOf(home);
    const database = new Database(join(home, 'vectors', file!));
    database.exec(`INSERT INTO signs SELECT id + 1, kind, 'stray', mark, signs FROM signs;
      INSERT INTO codes SELECT id + 1, code FROM codes`);
    database.close();
    expect(keysIn(home, file!)).toEqual([id, 'stray'].sort());
    await memoryDaemonHere({ home });
    await until(() => keysIn(home, file!).length <= 1);
    expect(keysIn(home, file!)).toEqual([id]);
  });

  it('are taken up after a kill where they were, and stay when the views are folded anew', async () => {
    const provider = await fake();
    const home = temporaryFolder('vectors');
    const env = { ...provider.env, ...chosen('openai') };
    // The batch that the first text begins and a whole one are answered, the third one is not.
    const { promise, resolve: go } = Promise.withResolvers<void>();
    provider.held = promise;
    provider.trouble({ kind: 'none' }, { kind: 'none' }, { kind: 'hang' });
    const killed = await killableMemoryDaemon({ home, env });
    for (let text = 0; text < 16; text += 1) {
      const words = Array.from({ length: 700 }, (_, at) => ((at * 7919 + text * 104_729) % 999_983).toString(36));
      await killed.post('/memory/chunk', { content: words.join(' '), source: `s${text}` });
    }
    go();
    const partly = await untilStats(killed, ({ embedded, total }) => embedded >= 32 && embedded < total);
    await killed.kill('SIGKILL');
    for (const suffix of ['', '-wal', '-shm']) rmSync(join(home, `views.db${suffix}`), { force: true });
    const back = await killableMemoryDaemon({ home, env });
    const { total } = await untilStats(back, complete);
    expect(total).toBe(partly.total);
    expect(documents(provider).length).toBeLessThanOrEqual(total + 32);
    expect(new Set(documents(provider)).size).toBe(total);
    const said = await runProgramHere(['memory'], { env: { DAYBOOK_HOME: home } });
    expect(said.stdout).toContain(`vectors of openai/any-model: ${total} of ${total}, complete`);
  });
});

/** An Ollama that counts how many requests it has at once, and takes no text that says poison. */
async function ollama() {
  const seen = { atOnce: 0, atOnceMax: 0, textsMax: 0 };
  const server = createServer((request, response) => {
    seen.atOnce += 1;
    seen.atOnceMax = Math.max(seen.atOnceMax, seen.atOnce);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { input } = JSON.parse(Buffer.concat(chunks).toString()) as { input: readonly string[] };
      seen.textsMax = Math.max(seen.textsMax, input.length);
      const isPoisoned = input.some((text) => text.includes('poison'));
      setTimeout(() => {
        seen.atOnce -= 1;
        response.writeHead(isPoisoned ? 400 : 200, { 'content-type': 'application/json' });
        const answer = { embeddings: input.map((text) => vectorOf(text, 8)) };
        response.end(JSON.stringify(isPoisoned ? { error: 'this input makes me ill' } : answer));
      }, 5);
    });
  });
  onTestFinished(() => {
    server.closeAllConnections();
    return new Promise((resolve) => void server.close(() => resolve()));
  });
  return { seen, env: { OLLAMA_HOST: `http://127.0.0.1:${await listening(server)}` } };
}

describe('a provider on this machine', () => {
  it('has one request of a few texts at a time, and a text it does not take holds up no other', async () => {
    const { seen, env } = await ollama();
    const daemon = await memoryDaemonHere({ env: { ...env, ...chosen('ollama') } });
    const texts = Array.from({ length: 60 }, (_, at) => ({
      content: `Entry ${at}: ${(at * 7919).toString(36)} is due`,
    }));
    texts[31] = { content: 'The poison of the arrow frog' };
    await daemon.post('/memory/import', { format: 'native', content: JSON.stringify(texts) });
    const embedding = await untilStats(daemon, ({ state }) => state === 'complete');
    expect(embedding).toMatchObject({ embedded: 59, total: 60, skipped: 1 });
    expect(seen).toMatchObject({ atOnceMax: 1, textsMax: 8 });
    const found = await query(daemon, 'arrow frog');
    expect(vectorsOf(found)).toMatchObject({ used: true });
    expect(found.body.results[0]!.content).toContain('arrow frog');
  });
});

it('views that are folded anew while vectors are made cost none and lose none', async () => {
  const { provider, daemon } = await served();
  provider.delayMs = 40;
  const texts = Array.from({ length: 90 }, (_, at) => ({
    content: `Entry ${at}: ${(at * 7919).toString(36)} is due`,
  }));
  await daemon.post('/memory/import', { format: 'native', content: JSON.stringify(texts) });
  await untilStats(daemon, ({ embedded }) => embedded > 0);
  expect((await daemon.post('/v1/views/rebuild')).status).toBeLessThan(300);
  expect(await untilStats(daemon, complete)).toMatchObject({ embedded: 90 });
  expect(documents(provider)).toHaveLength(90);
});

it('with encryption vectors lie sealed, are there again after a restart, and the plain ones are gone', async () => {
  const provider = await fake();
  const home = temporaryFolder('vectors');
  const env = { ...provider.env, ...chosen('openai') };
  const daemon = await memoryDaemonHere({ home, env });
  const id = await daemon.add('The wisteria grows over the gate');
  await untilStats(daemon, complete);
  expect(bytesOf(home).includes(codeOf('The wisteria grows over the gate'))).toBe(true);
  expect((await daemon.post('/memory/encryption', { passphrase: PASSPHRASE })).status).toBe(200);
  expect(bytesOf(home).includes(codeOf('The wisteria grows over the gate'))).toBe(false);
  await untilStats(daemon, complete);
  expect(filesOf(home)).toEqual([expect.stringMatching(/-8d\.sealed\.db$/)]);
  expect(bytesOf(home).includes(codeOf('The wisteria grows over the gate'))).toBe(false);
  expect(vectorsOf(await query(daemon, 'wisteria'))).toMatchObject({ used: true });
  await daemon.stop();
  provider.reset();
  // As if the process had ended before the plain vectors were thrown away.
  writeFileSync(join(home, 'vectors', 'openai-any-model-0123456789abcdef-8d.db'), 'vectors anybody can read');
  const locked = await memoryDaemonHere({ home, env });
  expect((await query(locked, 'wisteria')).status).toBe(503);
  const { memory } = await healthOf(locked);
  expect(memory.embedding).toMatchObject({ state: 'locked', embedded: 0 });
  expect(filesOf(home)).toEqual([expect.stringMatching(/-8d\.sealed\.db$/)]);
  expect((await locked.post('/memory/encryption', { passphrase: PASSPHRASE })).status).toBe(200);
  await untilStats(locked, complete);
  expect(documents(provider)).toEqual([]);
  const found = await query(locked, 'wisteria');
  expect(vectorsOf(found)).toMatchObject({ used: true });
  expect(found.body.results[0]!.id).toBe(id);
});
