/** Unusable index files: reported, never used for an answer, and replaced. */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createCodeIndex } from '../../src/integrations/code-index/code-index.ts';
import { indexFolder } from '../../src/integrations/code-index/open-index.ts';
import { createEmbedders } from '../../src/integrations/embedders/embedders.ts';
import { localVector } from '../../src/projections/recall/vector.ts';
import { temporaryFolder } from '../support/folders.ts';
import { indexOf, sharedBench, writeFiles } from './support.ts';

const bench = sharedBench();
const index = () => indexOf(bench.daemon);
const embedders = createEmbedders({ env: {}, localVector });

it('a model that answers with other numbers than before is found by a search, though no file changed', async () => {
  const model = { provider: 'ollama', model: 'nomic-embed-text' };
  writeFiles(bench.workspace, { 'a.md': 'One.\n', 'b.md': 'Two.\n' });
  bench.fake.dimension = 8;
  await index().build(model);
  bench.fake.dimension = 6;
  const { status, body } = await index().search('one', model);
  expect([status, body.notes]).toEqual([200, [expect.stringMatching(/6 numbers and did with 8.*built anew/)]]);
  expect((await index().status()).body.available[0].dimension).toBe(6);
  expect((await index().search('two', model)).body.notes).toEqual([]);
});

describe('a file that cannot be used', () => {
  let path: string;
  beforeEach(async () => {
    writeFiles(bench.workspace, { 'a.md': 'One.\n', 'b.md': 'Two.\n' });
    path = (await index().build()).body.path;
  });
  const change = (edit: (bytes: Buffer) => Buffer): void => writeFileSync(path, edit(readFileSync(path)));
  const otherVector = (bytes: Buffer): Buffer => {
    bytes[300]! ^= 0xff;
    return bytes;
  };
  const olderVersion = (bytes: Buffer): Buffer => {
    bytes.writeUInt32LE(1, 8);
    return bytes;
  };

  // What else can be wrong with its bytes: file.test.ts.
  it.each<[string, (bytes: Buffer) => Buffer, RegExp]>([
    ['an older version', olderVersion, /format version is 1; this program reads 2/],
    ['a changed vector', otherVector, /vectors have another checksum/],
  ])('with %s is reported, and built anew', async (_, edit, reason) => {
    change(edit);
    const { body } = await index().status();
    expect(body).toMatchObject({ built: false, current: null, available: [] });
    expect(body.unusable).toEqual([{ path, reason: expect.stringMatching(reason) }]);
    const built = (await index().build()).body;
    expect(built).toMatchObject({ chunks: 2, embedded: 2, reused: 0 });
    expect(built.notes).toEqual([expect.stringMatching(reason)]);
    expect((await index().status()).body).toMatchObject({ built: true, unusable: [] });
  });

  it('because it was overwritten in its place is not listed any more, and again when it is put back', async () => {
    const intact = readFileSync(path);
    expect((await index().health()).status).toBe('indexed');
    change((bytes) => bytes.subarray(0, 100));
    expect((await index().health()).status).toBe('not_indexed');
    change(() => intact);
    expect((await index().health()).status).toBe('indexed');
  });

  it('is built anew by the search that meets it', async () => {
    change(olderVersion);
    const { status, body } = await index().search('one');
    expect(status).toBe(200);
    expect(body.results[0].path).toBe('a.md');
    expect(body.notes).toEqual([expect.stringMatching(/format version is 1.*built anew/)]);
    expect(bench.daemon.lines.some((line) => line.includes('format version is 1'))).toBe(true);
    expect((await index().search('one')).body.notes).toEqual([]);
  });

  it('is not searched either where only texts that nobody asked for are damaged', async () => {
    change((bytes) => {
      bytes[bytes.indexOf('Two.')]! ^= 1;
      return bytes;
    });
    const { body } = await index().search('one', { k: '1' });
    expect(body.notes).toEqual([expect.stringMatching(/texts have another checksum.*built anew/)]);
    expect((await index().search('two', { k: '1' })).body.results[0].text).toBe('Two.\n');
  });

  it('of another workspace or model is not taken for this one', async () => {
    const other = { provider: 'ollama', model: 'nomic-embed-text' };
    const { path: mistaken } = (await index().build(other)).body;
    copyFileSync(path, mistaken);
    const { unusable } = (await index().status()).body;
    expect(unusable).toEqual([{ path: mistaken, reason: 'it was made with another model' }]);
    const { status, body } = await index().search('one', other);
    expect([status, body.notes]).toEqual([200, [expect.stringMatching(/another model.*built anew/)]]);
    const workspace = temporaryFolder('workspace');
    const foreign = createCodeIndex({ workspace, home: bench.home, ephemeral: false }, embedders);
    const folder = indexFolder(join(bench.home, 'index'), realpathSync(workspace));
    mkdirSync(folder);
    copyFileSync(path, join(folder, basename(path)));
    expect((await foreign.verify()).unusable).toMatchObject([{ reason: 'it was made of another workspace' }]);
  });

  it('half written is never used', async () => {
    writeFileSync(path.replace(/\.idx$/, '.0badf00d.new'), readFileSync(path).subarray(0, 500));
    expect((await index().status()).body).toMatchObject({ built: true, unusable: [] });
    await index().build();
    expect(readdirSync(dirname(path))).toHaveLength(1);
  });

  // It was said to be built and switchable, though no search would use it.
  it('that another version of the program made is reported, and built anew by the search that meets it', async () => {
    const { workspace, home } = bench;
    const older = { recipe: () => 'local:older' };
    const choice = embedders.selected();
    const embedder = { ...embedders.open(choice), recipe: older.recipe() };
    const { signal } = new AbortController();
    const made = createCodeIndex({ workspace, home, ephemeral: false }, older);
    await made.build({ choice, embedder, signal, at: 1, progress: () => undefined });
    await made.close();
    const { body } = await index().status();
    expect(body).toMatchObject({ built: false, current: null, available: [] });
    expect(body.unusable).toEqual([{ path, reason: 'it was made by another version of the program' }]);
    expect((await index().health()).status).toBe('not_indexed');
    const found = await index().search('one');
    expect([found.status, found.body.notes]).toEqual([200, [expect.stringMatching(/another version.*built anew/)]]);
    expect((await index().status()).body).toMatchObject({ built: true, unusable: [] });
  });

  // It was an internal error, and no build could put a file there.
  it.each(['search', 'build'] as const)('because it is a folder is set aside by a %s', async (way) => {
    rmSync(path);
    mkdirSync(join(path, 'kept'), { recursive: true });
    const { body } = await index().status();
    expect(body).toMatchObject({ built: false, unusable: [{ path, reason: 'it is a folder, not a file' }] });
    const answer = way === 'search' ? await index().search('one') : await index().build();
    expect([answer.status, answer.body.notes]).toEqual([200, [expect.stringMatching(/it is a folder, not a file/)]]);
    expect((await index().status()).body).toMatchObject({ built: true, unusable: [] });
    const aside = readdirSync(dirname(path)).find((name) => name.endsWith('.aside'))!;
    expect(readdirSync(join(dirname(path), aside))).toEqual(['kept']);
  });
});
