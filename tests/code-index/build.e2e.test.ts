/** Index builds on real files: selected files, reused parts, and failures. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { daemonHere } from '../support/daemon.ts';
import { until } from '../support/until.ts';
import { indexOf, sharedBench, writeFiles } from './support.ts';

const bench = sharedBench();
const index = () => indexOf(bench.daemon);

const OLLAMA = { provider: 'ollama', model: 'nomic-embed-text' };
const NONE_SKIPPED = { binary: 0, generated: 0, secret: 0, too_large: 0, unreadable: 0, over_limit: 0 };

async function eventTypes(): Promise<string[]> {
  const { events } = (await (await bench.daemon.request('/v1/events')).json()) as { events: { type: string }[] };
  return events.map(({ type }) => type);
}

it('before the first build nothing is built', async () => {
  expect((await index().status()).body).toEqual({
    workspace: realpathSync(bench.workspace),
    selected: { provider: 'local', model: 'hashed-512' },
    description: 'local/hashed-512 (512d, local)',
    built: false,
    current: null,
    available: [],
    unusable: [],
    last_build: null,
  });
  expect((await index().search('anything')).status).toBe(404);
});

describe('a build', () => {
  it('answers when the index is on disk', async () => {
    writeFiles(bench.workspace, { 'a.ts': 'export const alpha = 1;\n', 'docs/b.md': '# Beta\n\nAbout it.\n' });
    const { status, body } = await index().build();
    expect(status).toBe(200);
    expect(body).toEqual({
      workspace: realpathSync(bench.workspace),
      model: { provider: 'local', model: 'hashed-512' },
      chunks: 2,
      files: 2,
      dimension: 512,
      path: expect.any(String),
      embedded: 2,
      reused: 0,
      skipped: NONE_SKIPPED,
      notes: [],
    });
    expect(statSync(body.path).isFile()).toBe(true);
    expect(readdirSync(dirname(body.path))).toHaveLength(1);
    const now = Math.floor(Date.now() / 1000);
    const { body: shown } = await index().status();
    expect(shown.built).toBe(true);
    expect(shown.current).toEqual({
      format_version: 2,
      model: { provider: 'local', model: 'hashed-512' },
      dimension: 512,
      chunk_count: 2,
      file_count: 2,
      built_at: expect.any(Number),
    });
    expect(Math.abs(shown.current.built_at - now)).toBeLessThan(60);
    expect(shown.available).toEqual([shown.current]);
    expect(shown.last_build).toMatchObject({ state: 'built', message: null });
    expect(await index().health()).toMatchObject({
      status: 'indexed',
      dimensions: 512,
      chunks: 2,
      files: 2,
      other_indexes: [],
    });
  });

  it('of an empty workspace is an index without a dimension', async () => {
    expect((await index().build()).body).toMatchObject({ chunks: 0, files: 0, dimension: null });
    expect((await index().status()).body).toMatchObject({ built: true, current: { dimension: null, chunk_count: 0 } });
    expect((await index().search('anything')).body.results).toEqual([]);
  });

  it('takes what git does not ignore, text that people wrote, and no secrets', async () => {
    execFileSync('git', ['init', '-q', bench.workspace]);
    writeFiles(bench.workspace, {
      '.gitignore': 'out/\n*.log\n!keep.log\n',
      'src/.gitignore': '/local.ts\n',
      'src/a.ts': 'const wanted = 1;\n',
      'src/local.ts': 'const wanted = 2;\n',
      'out/b.ts': 'const wanted = 3;\n',
      'x.log': 'wanted\n',
      'keep.log': 'wanted\n',
      '.env': 'TOKEN=wanted\n',
      'node_modules/m/index.js': 'const wanted = 4;\n',
      'package-lock.json': '{"wanted":1}\n',
      'gen.ts': '// @generated\nconst wanted = 5;\n',
      'blob.dat2': Buffer.from('wanted\0wanted'),
      'large.txt': `wanted ${'word '.repeat(110_000)}`,
      '.github/ci.yml': 'name: wanted\n',
      'ünïcödé name.md': 'wanted\n',
    });
    symlinkSync('/etc/passwd', join(bench.workspace, 'link.txt'));
    const { body } = await index().build();
    expect(body.skipped).toEqual({ ...NONE_SKIPPED, binary: 1, generated: 2, secret: 1, too_large: 1 });
    const found = ['.github/ci.yml', '.gitignore', 'keep.log', 'src/.gitignore', 'src/a.ts', 'ünïcödé name.md'];
    expect(body.files).toBe(found.length);
    expect(await index().paths('wanted')).toEqual(found.filter((path) => !path.endsWith('.gitignore')));
  });

  it('never reads its own home inside the workspace', async () => {
    const inner = join(bench.workspace, 'home');
    const other = await daemonHere({ home: inner, workspace: bench.workspace });
    writeFiles(bench.workspace, { 'a.ts': 'const wanted = 1;\n' });
    expect((await indexOf(other).build()).body.files).toBe(1);
  });
});

describe('the next build', () => {
  it('embeds what changed only', async () => {
    const big = (name: string): string => `export function ${name}() {\n${`  call${name}(1);\n`.repeat(60)}}\n`;
    writeFiles(bench.workspace, { 'a.ts': big('one') + big('two') + big('three'), 'b.ts': big('four') });
    expect((await index().build(OLLAMA)).body).toMatchObject({ chunks: 4, embedded: 4, reused: 0, dimension: 8 });
    const asked = bench.fake.texts().length;
    expect((await index().build(OLLAMA)).body).toMatchObject({ chunks: 4, embedded: 0, reused: 4, notes: [] });
    expect(bench.fake.texts()).toHaveLength(asked);

    writeFiles(bench.workspace, { 'a.ts': big('one') + big('changed') + big('three') });
    expect((await index().build(OLLAMA)).body).toMatchObject({ chunks: 4, embedded: 1, reused: 3 });
    expect(bench.fake.texts().slice(asked)).toEqual([`search_document: ${big('changed')}`]);

    renameSync(join(bench.workspace, 'b.ts'), join(bench.workspace, 'c.ts'));
    expect((await index().build(OLLAMA)).body).toMatchObject({ chunks: 4, embedded: 0, reused: 4 });
    const { body } = await index().search('callfour', OLLAMA);
    expect(body.results[0].path).toBe('c.ts');

    rmSync(join(bench.workspace, 'a.ts'));
    expect((await index().build(OLLAMA)).body).toMatchObject({ chunks: 1, files: 1, embedded: 0 });
  });

  it('embeds the same text once', async () => {
    writeFiles(bench.workspace, { 'a.md': 'The same.\n', 'b.md': 'The same.\n', 'c/d.md': 'The same.\n' });
    expect((await index().build(OLLAMA)).body).toMatchObject({ chunks: 3, embedded: 1, reused: 2 });
    expect(bench.fake.texts()).toEqual(['search_document: The same.\n']);
  });

  it('keeps the indexes of other models, to be used without embedding again', async () => {
    writeFiles(bench.workspace, { 'a.ts': 'export const alpha = 1;\n' });
    await index().build();
    await index().build(OLLAMA);
    const { body } = await index().status();
    expect(body.available.map(({ model }: { model: object }) => model)).toEqual([
      { provider: 'local', model: 'hashed-512' },
      OLLAMA,
    ]);
    expect(await index().health()).toMatchObject({
      status: 'indexed',
      provider: 'local',
      other_indexes: ['ollama/nomic-embed-text'],
    });
    const asked = bench.fake.texts().length;
    await bench.restart({ DAYBOOK_EMBEDDING_PROVIDER: 'ollama' });
    expect((await index().status()).body).toMatchObject({ built: true, current: { model: OLLAMA, dimension: 8 } });
    expect((await index().build()).body).toMatchObject({ embedded: 0, reused: 1 });
    expect(bench.fake.texts()).toHaveLength(asked);
    expect(await index().health()).toMatchObject({ dimensions: 8, other_indexes: ['local/hashed-512'] });
  });

  it('tells a shorter dimension from the model’s own', async () => {
    writeFiles(bench.workspace, { 'a.md': 'Text.\n' });
    const gemma = { DAYBOOK_EMBEDDING_PROVIDER: 'ollama', DAYBOOK_EMBEDDING_MODEL: 'embeddinggemma' };
    await bench.restart({ ...gemma, DAYBOOK_EMBEDDING_DIMENSIONS: '128' });
    expect((await index().build()).body).toMatchObject({ model: { dimensions: 128 }, dimension: 128 });
    await bench.restart(gemma);
    expect(await index().health()).toMatchObject({
      status: 'not_indexed',
      other_indexes: ['ollama/embeddinggemma (128d)'],
    });
  });

  it('embeds everything again when the model answers with another dimension', async () => {
    writeFiles(bench.workspace, { 'a.md': 'One.\n', 'b.md': 'Two.\n' });
    await index().build(OLLAMA);
    bench.fake.dimension = 16;
    writeFiles(bench.workspace, { 'c.md': 'Three.\n' });
    const { body } = await index().build(OLLAMA);
    expect(body).toMatchObject({ chunks: 3, embedded: 3, reused: 0, dimension: 16 });
    expect(body.notes).toEqual(['The model answers with 16 numbers and did with 8; everything was embedded again.']);

    bench.fake.dimension = 8;
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`0${at}.md`, `New ${at}.\n`]));
    writeFiles(bench.workspace, many);
    expect((await index().build(OLLAMA)).body).toMatchObject({ chunks: 303, embedded: 303, reused: 0, dimension: 8 });
  });
});

describe('builds at the same time', () => {
  it('of one index are one build', async () => {
    writeFiles(bench.workspace, { 'a.md': 'One.\n', 'b.md': 'Two.\n' });
    const before = await eventTypes();
    bench.fake.delayMs = 150;
    const all = await Promise.all(Array.from({ length: 5 }, () => index().build(OLLAMA)));
    for (const each of all) expect(each).toEqual(all[0]);
    expect(bench.fake.seen).toHaveLength(1);
    expect((await eventTypes()).slice(before.length)).toEqual(['IndexBuildRequested', 'IndexBuilt']);
  });

  it('of several indexes all come to their end', async () => {
    writeFiles(bench.workspace, { 'a.md': 'One.\n' });
    const [local, ollama] = await Promise.all([index().build(), index().build(OLLAMA)]);
    expect([local.body.dimension, ollama.body.dimension]).toEqual([512, 8]);
  });

  it('a caller that disconnects does not end it', async () => {
    writeFiles(bench.workspace, { 'a.md': 'One.\n' });
    bench.fake.delayMs = 200;
    const leave = new AbortController();
    const left = bench.daemon.request('/index/build', {
      method: 'POST',
      body: JSON.stringify(OLLAMA),
      signal: leave.signal,
    });
    await until(() => bench.fake.seen.length > 0);
    leave.abort();
    await expect(left).rejects.toThrow();
    expect((await index().build(OLLAMA)).status).toBe(200);
    expect(bench.fake.seen).toHaveLength(1);
  });
});

describe('a build that fails', () => {
  it('leaves the index of before, and says why', async () => {
    writeFiles(bench.workspace, { 'a.md': 'One.\n' });
    await index().build(OLLAMA);
    writeFiles(bench.workspace, { 'b.md': 'Two.\n' });
    bench.fake.trouble({ kind: 'refuse', status: 400, message: 'the model went away' });
    const failed = await index().build(OLLAMA);
    expect([failed.status, failed.body]).toEqual([500, { error: expect.stringContaining('the model went away') }]);
    const { body } = await index().search('one', OLLAMA);
    expect(body.results.map(({ path }: { path: string }) => path)).toEqual(['a.md']);
    expect(readdirSync(join(bench.home, 'index', readdirSync(join(bench.home, 'index'))[0]!))).toHaveLength(1);
    expect((await index().build(OLLAMA)).body).toMatchObject({ chunks: 2, embedded: 1 });
  });

  it('keeps the vectors that it made for the next one', async () => {
    const files = Object.fromEntries(Array.from({ length: 600 }, (_, at) => [`f${at}.md`, `Text of file ${at}.\n`]));
    writeFiles(bench.workspace, files);
    const isLate = () => bench.fake.texts().length > 400;
    bench.fake.trouble(...Array.from({ length: 14 }, () => ({ kind: 'none' }) as const));
    bench.fake.trouble({ kind: 'refuse', status: 402, message: 'the quota is used up' });
    const failed = await index().build(OLLAMA);
    expect([failed.status, failed.body.error]).toEqual([500, expect.stringContaining('the quota is used up')]);
    expect(isLate()).toBe(true);
    expect((await index().status()).body).toMatchObject({ available: [], unusable: [] });
    expect((await index().search('text', OLLAMA)).status).toBe(404);
    const built = (await index().build(OLLAMA)).body;
    expect(built).toMatchObject({ chunks: 600, files: 600 });
    expect(built.reused).toBeGreaterThanOrEqual(256);
    expect(readdirSync(dirname(built.path))).toHaveLength(1);
  });

  it('earlier than the one before it does not throw away what that one kept', async () => {
    const none = (count: number) => Array.from({ length: count }, () => ({ kind: 'none' }) as const);
    const refused = { kind: 'refuse', status: 402, message: 'the quota is used up' } as const;
    const files = Array.from({ length: 900 }, (_, at) => [`f${String(at).padStart(3, '0')}.md`, `Text ${at}.\n`]);
    writeFiles(bench.workspace, Object.fromEntries(files));
    // 256 texts are asked for at a time, in eight requests.
    bench.fake.trouble(...none(16), refused);
    expect((await index().build(OLLAMA)).status).toBe(500);
    writeFiles(bench.workspace, { 'f000.md': 'New.\n', 'f300.md': 'New, too.\n' });
    bench.fake.trouble(...none(1), refused);
    expect((await index().build(OLLAMA)).status).toBe(500);
    expect((await index().build(OLLAMA)).body).toMatchObject({ chunks: 900, reused: 510, embedded: 390 });
  });

  it('because the workspace is gone does not empty the index', async () => {
    writeFiles(bench.workspace, { 'a.md': 'One.\n' });
    await index().build();
    renameSync(bench.workspace, `${bench.workspace}-away`);
    expect((await index().build()).body.error).toContain('the workspace is gone');
    renameSync(`${bench.workspace}-away`, bench.workspace);
    expect((await index().status()).body.current.chunk_count).toBe(1);
  });

  // A loop of links was 503 with the words and the path of the system.
  it('because the workspace leads nowhere says the same', async () => {
    const away = `${bench.workspace}-away`;
    renameSync(bench.workspace, away);
    symlinkSync(bench.workspace, bench.workspace);
    const failed = await index().build();
    rmSync(bench.workspace);
    renameSync(away, bench.workspace);
    expect([failed.status, failed.body.error]).toEqual([500, expect.stringContaining('the workspace is gone')]);
  });

  it('because its folder is no folder says so without a path', async () => {
    await index().build();
    const folder = dirname((await index().build()).body.path);
    rmSync(folder, { recursive: true });
    writeFileSync(folder, '');
    const failed = await index().build();
    rmSync(folder);
    expect([failed.status, failed.body.error]).toEqual([
      500,
      'The index could not be built: its folder cannot be written (EEXIST).',
    ]);
  });

  it.skipIf(process.getuid?.() === 0)('because nothing can be written says so', async () => {
    await index().build();
    const folder = dirname((await index().build()).body.path);
    chmodSync(folder, 0o500);
    const failed = await index().build();
    chmodSync(folder, 0o700);
    expect(failed.status).toBe(500);
    expect(failed.body.error).toContain('could not be built');
  });

  it.each([
    [{ provider: 'nope', model: 'x' }, /provider: unknown/],
    [{ provider: 'ollama', model: '' }, /model: must not be empty/],
    [{ provider: 'openai', model: 'x' }, /OPENAI_API_KEY/],
    [{ provider: 3, model: 'x' }, /provider/],
    [[], /body/],
  ])('%j is refused before anything is begun', async (body, message) => {
    const before = await eventTypes();
    const refused = await index().build(body);
    expect([refused.status, refused.body.error]).toEqual([400, expect.stringMatching(message)]);
    expect(await eventTypes()).toEqual(before);
  });

  it('without a body is refused', async () => {
    expect((await bench.daemon.request('/index/build', { method: 'POST' })).status).toBe(400);
  });
});
