/** A workspace, a daemon on it, and the index routes in one call each. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type FakeEmbedder, startFakeEmbedder } from '../embedding/fake.ts';
import { type Asked, ask, type Reply } from '../support/asking.ts';
import { type TestDaemon, testDaemon } from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into field by field.
export type Answered = Reply<any>;

export function writeFiles(workspace: string, files: Readonly<Record<string, string | Buffer>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), content);
  }
}

export function indexOf(daemon: Asked) {
  const get = (path: string): Promise<Answered> => ask(daemon, 'GET', path);
  return {
    build: (body: object = {}): Promise<Answered> => ask(daemon, 'POST', '/index/build', body),
    status: () => get('/index/status'),
    health: async () => (await get('/health')).body.embedding,
    search: (q: string, more: Readonly<Record<string, string>> = {}) =>
      get(`/index/search?${new URLSearchParams({ q, ...more })}`),
    paths: async (q: string, more: Readonly<Record<string, string>> = {}): Promise<string[]> => {
      const query = new URLSearchParams({ q, k: '100', ...more });
      const { body } = await get(`/index/search?${query}`);
      return [...new Set<string>(body.results.map((hit: { path: string }) => hit.path))].sort();
    },
  };
}

export interface Bench {
  readonly home: string;
  readonly workspace: string;
  daemon: TestDaemon;
  readonly fake: FakeEmbedder;
  /** Stops the daemon and starts another on the same home. */
  restart(env?: Readonly<Record<string, string>>): Promise<void>;
}

/** One daemon and one Ollama for a file's tests; each test finds an empty workspace and no index. */
export function sharedBench(): Bench {
  const bench = { home: '', workspace: '' } as { -readonly [Key in keyof Bench]: Bench[Key] };
  let isChanged = false;
  bench.restart = async (env = {}) => {
    isChanged = Object.keys(env).length > 0;
    await bench.daemon.stop();
    bench.daemon = await testDaemon({ ...bench, env: { ...bench.fake.env, ...env } });
  };
  beforeAll(async () => {
    bench.home = temporaryFolder('home');
    bench.workspace = temporaryFolder('workspace');
    bench.fake = await startFakeEmbedder('ollama');
    bench.daemon = await testDaemon({ home: bench.home, workspace: bench.workspace, env: bench.fake.env });
  });
  beforeEach(async () => {
    if (isChanged) await bench.restart();
    for (const name of readdirSync(bench.workspace))
      rmSync(join(bench.workspace, name), { recursive: true, force: true });
    rmSync(join(bench.home, 'index'), { recursive: true, force: true });
    bench.fake.reset();
  });
  afterAll(async () => {
    await bench.daemon.stop();
    await bench.fake.close();
  });
  return bench;
}
