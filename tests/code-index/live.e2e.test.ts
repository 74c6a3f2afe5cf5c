/** Following a build, the end of the daemon during a build, and the command line. */
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isAlive } from '../../examples/demo/support.ts';
import type { BuildMessage } from '../../src/integrations/code-index/build-worker.ts';
import { openPrevious } from '../../src/integrations/code-index/previous-index.ts';
import { startBoundedProcess } from '../../src/lib/bounded-process.ts';
import { readSse } from '../../src/testing/server-sent-events.ts';
import { cliHere } from '../cli/support.ts';
import { type FakeEmbedder, startFakeEmbedder } from '../embedding/fake.ts';
import { type ChildDaemon, childDaemon } from '../support/daemon.ts';
import { firstRows } from '../support/depth.ts';
import { temporaryFolder } from '../support/folders.ts';
import { hasTerminal, startOnTerminal } from '../support/terminal.ts';
import { until } from '../support/until.ts';
import { indexOf, writeFiles } from './support.ts';

const OLLAMA = { provider: 'ollama', model: 'nomic-embed-text' };
const QUERY = new URLSearchParams(OLLAMA).toString();

const SIGNALS = firstRows<NodeJS.Signals>(1, ['SIGKILL', 'SIGTERM']);

/** Answers to the requests for a window of 256 texts, whose vectors are kept together. */
const WINDOW = Array.from({ length: 8 }, () => ({ kind: 'none' }) as const);

let home: string;
let workspace: string;
let fake: FakeEmbedder;
let daemon: ChildDaemon;

const start = async (): Promise<ChildDaemon> => childDaemon({ home, workspace, env: fake.env });
const files = (count: number): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`f${at}.md`, `File ${at}.\n\n${'Words of it. '.repeat(100)}\n`]),
  );

/** The processes that a process started; none where the system does not tell. */
function childrenOf(pid: number): readonly number[] {
  const path = `/proc/${pid}/task/${pid}/children`;
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split(' ').filter(Boolean).map(Number) : [];
}

beforeAll(async () => {
  home = temporaryFolder('home');
  workspace = temporaryFolder('workspace');
  fake = await startFakeEmbedder('ollama');
  writeFiles(workspace, files(300));
  daemon = await start();
});
afterAll(async () => {
  await daemon.kill('SIGKILL');
  await fake.close();
});

/** The stream of a build that has begun. */
async function begun(): Promise<Response> {
  await until(async () => (await indexOf(daemon).status()).body.last_build?.state === 'building');
  return daemon.request(`/index/stream?${QUERY}`);
}

/** Begins a build that gets no vector before `go`; answers its stream. */
async function heldBuild() {
  const { promise, resolve: go } = Promise.withResolvers<void>();
  fake.held = promise;
  const building = indexOf(daemon).build(OLLAMA);
  return { building, stream: await begun(), go };
}

describe('GET /index/stream', () => {
  it('says where the index stands, how far a build is, and how it ended', async () => {
    const before = await daemon.request(`/index/stream?${QUERY}`);
    expect(before.headers.get('content-type')).toContain('text/event-stream');
    expect((await readSse(before)).map(({ data }) => JSON.parse(data))).toEqual([{ type: 'idle' }]);
    fake.delayMs = 20;
    const { building, stream, go } = await heldBuild();
    go();
    const news = (await readSse(stream)).map(({ data }) => JSON.parse(data));
    const { body } = await building;
    expect(news[0].type).toBe('building');
    expect(news.at(-1)).toEqual({ type: 'built', chunks: body.chunks, files: 300, notes: [] });
    const progress = news.filter(({ type, phase }) => type === 'building' && phase !== undefined);
    expect(progress.length).toBeGreaterThan(1);
    for (const each of progress) {
      expect(each).toMatchObject({ files_total: 300, files_done: expect.any(Number), chunks_done: expect.any(Number) });
    }
    const done = progress.map(({ files_done }) => files_done);
    expect(done).toEqual(done.toSorted((a, b) => a - b));
  });

  it('is over for a reader of its last event, until the next build', async () => {
    const ended = await readSse(await daemon.request(`/index/stream?${QUERY}`));
    const headers = { 'last-event-id': ended.at(-1)!.id! };
    const again = () => daemon.request(`/index/stream?${QUERY}`, { headers });
    expect((await again()).status).toBe(204);
    writeFiles(workspace, { 'more.md': 'More.\n' });
    const { building, stream, go } = await heldBuild();
    await stream.body?.cancel();
    const live = await again();
    expect(live.status).toBe(200);
    go();
    expect(JSON.parse((await readSse(live)).at(-1)!.data)).toMatchObject({ type: 'built' });
    await building;
    expect((await again()).status).toBe(200);
  });

  it('tells of a failure', async () => {
    writeFiles(workspace, { 'new.md': 'New.\n' });
    fake.trouble({ kind: 'refuse', status: 400, message: 'no such model' });
    const { building, stream, go } = await heldBuild();
    go();
    const news = await readSse(stream);
    expect((await building).status).toBe(500);
    expect(JSON.parse(news.at(-1)!.data)).toEqual({
      type: 'failed',
      message: expect.stringContaining('no such model'),
    });
  });

  it('of an unknown provider is refused', async () => {
    expect((await daemon.request('/index/stream?provider=x&model=y')).status).toBe(400);
  });
});

/** The status once a started daemon has taken up the work of the one before. It listens earlier. */
function recovered() {
  return until(async () => {
    const { body } = await indexOf(daemon).status();
    return body.last_build.state !== 'building' && body;
  });
}

describe('the end of the daemon in the middle of a build', () => {
  const killInBuild = async (signal: NodeJS.Signals): Promise<number> => {
    const seen = fake.seen.length;
    fake.trouble({ kind: 'hang' });
    writeFiles(workspace, { [`${signal}-${seen}.md`]: `About ${signal} ${seen}.\n` });
    indexOf(daemon)
      .build(OLLAMA)
      .catch(() => undefined);
    await until(() => fake.seen.length > seen);
    const children = childrenOf(daemon.pid);
    await daemon.kill(signal);
    for (const pid of children) await until(() => !isAlive(pid));
    daemon = await start();
    return children.length;
  };

  it.each(SIGNALS)('by %s leaves the index of before', async (signal) => {
    const processes = await killInBuild(signal);
    if (process.platform === 'linux') expect(processes).toBe(1);
    const body = await recovered();
    expect(body.last_build).toMatchObject({
      model: OLLAMA,
      state: 'interrupted',
      message: expect.stringContaining('the daemon was'),
    });
    expect(body.unusable).toEqual([]);
    expect(body.available).toHaveLength(1);
    expect((await indexOf(daemon).search('file 7', { ...OLLAMA, k: '1' })).body.results).toHaveLength(1);
    const built = await indexOf(daemon).build(OLLAMA);
    expect(built.body.embedded).toBeLessThanOrEqual(3);
    const folder = join(home, 'index', readdirSync(join(home, 'index'))[0]!);
    expect(readdirSync(folder)).toHaveLength(1);
  });
});

describe('vectors that were made and paid for before', () => {
  it.each(SIGNALS)('%s are there for the next build', async (signal) => {
    const fresh = Object.entries(files(600)).map(([path, text]) => [`A/${path}`, `${signal} ${text}`]);
    writeFiles(workspace, Object.fromEntries(fresh));
    const before = fake.texts().length;
    fake.trouble(...WINDOW, { kind: 'none' }, { kind: 'none' }, { kind: 'hang' });
    indexOf(daemon)
      .build(OLLAMA)
      .catch(() => undefined);
    await until(() => fake.texts().length - before > 320);
    const children = childrenOf(daemon.pid);
    await daemon.kill(signal);
    for (const pid of children) await until(() => !isAlive(pid));
    daemon = await start();
    expect((await recovered()).last_build.state).toBe('interrupted');
    await indexOf(daemon).build(OLLAMA);
    const again = fake.texts().filter((text, at, all) => at >= before && all.indexOf(text, before) < at);
    // Only those of the unanswered requests.
    expect(again.length).toBeLessThan(256);
    expect(fake.texts().length - before - again.length).toBeGreaterThanOrEqual(600);
    rmSync(join(workspace, 'A'), { recursive: true });
  });

  it('are there also when the daemon ended between two requests for vectors', async () => {
    const [root, folder] = [temporaryFolder('workspace'), temporaryFolder('index')];
    writeFiles(root, files(600));
    const meta = { ...OLLAMA, dimensions: null, workspace: root, recipe: 'as of now' };
    const beside = import.meta.resolve('../../src/integrations/code-index/build.ts');
    const worker = startBoundedProcess(beside, './build-worker', { heapMebibytesMax: 512 });
    worker.child.on('message', (message: BuildMessage) => {
      if (message.type !== 'embed') return;
      worker.send({ vectors: message.texts.map(() => Float32Array.of(1, 2, 3)) });
      worker.child.disconnect();
    });
    const ended = once(worker.child, 'exit');
    worker.send({
      walk: { root, from: '.', home, includeIgnored: false },
      ...{ meta, builtAt: 1, dimension: null },
      path: join(folder, 'a.idx'),
      part: join(folder, 'a.new'),
      kept: join(folder, 'a.kept'),
    });
    await ended;
    expect(readdirSync(folder)).toEqual(['a.kept']);
    const { previous } = await openPrevious({ path: join(folder, 'a.kept'), ...meta });
    expect(previous?.size).toBe(256);
    await previous?.close();
  });
});

describe('daybook index', () => {
  const run = (...words: readonly string[]) => cliHere(['index', ...words], { home, cwd: workspace });

  it.skipIf(!hasTerminal)('shows a bar on a terminal, and gives the terminal back on Ctrl-C', async () => {
    writeFiles(
      workspace,
      Object.fromEntries(Object.entries(files(600)).map(([path, text]) => [`B/${path}`, `B ${text}`])),
    );
    fake.delayMs = 100;
    const words = ['index', 'build', '--provider', OLLAMA.provider, '--model', OLLAMA.model];
    const terminal = startOnTerminal(words, { cwd: workspace, env: { HOME: home, DAYBOOK_HOME: home } });
    await expect.poll(terminal.shown, { timeout: 20_000 }).toMatch(/Indexing .* of 9\d\d.*Indexing /s);
    terminal.type('\u0003');
    expect(await terminal.ended).toBe(130);
    const shown = terminal.shown();
    // The cursor and the wrapping of lines: given back after they were last taken.
    for (const what of ['[?25', '[?7'])
      expect(shown.lastIndexOf(`${what}h`)).toBeGreaterThan(shown.lastIndexOf(`${what}l`));
    expect(shown).not.toMatch(/INF|NULL|NF.? left|NaN/);
    fake.delayMs = 0;
    expect((await indexOf(daemon).build(OLLAMA)).status).toBe(200);
    rmSync(join(workspace, 'B'), { recursive: true });
  });

  it('builds, shows and searches', async () => {
    const built = await run('build');
    const folder = realpathSync(workspace);
    expect(built.stdout).toMatch(new RegExp(`^${folder}\n\\d+ chunks of \\d+ files, \\d+ embedded, in .*\n`));
    expect(existsSync(built.stdout.trim().split('\n').at(-1)!)).toBe(true);
    expect((await run('status')).stdout).toMatch(
      new RegExp(`^${folder}\nlocal/hashed-512 \\(512d, local\\): built\nCHUNKS`),
    );
    const found = await run('search', 'file 42', '--limit', '1');
    expect(found.stdout).toMatch(/^f42\.md:1-3 /);
    expect(JSON.parse((await run('search', 'file 42', '--limit', '2', '--json')).stdout).results).toHaveLength(2);
  });

  it.each([
    [['build', '--provider', 'ollama'], 2, '--provider and --model go together'],
    [['build', '--provider', 'nope', '--model', 'x'], 1, 'unknown embedding provider'],
    [['search', 'x', '--limit', 'many'], 2, '--limit must be a whole number'],
    [['search', 'x', '--limit', '0'], 2, '--limit must be a whole number from 1 to 100'],
    [['search'], 2, 'missing required argument'],
  ])('%j ends with %i', async (words, code, said) => {
    expect(await run(...words)).toMatchObject({ code, stderr: expect.stringContaining(said) });
  });
});
