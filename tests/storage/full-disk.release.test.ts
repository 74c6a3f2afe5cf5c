/**
 * A full disk under a real daemon: the log refuses appends with the reason, every read works, and the daemon recovers
 * by itself when there is room. Each test has a small file system of its own.
 */
import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, type TestContext } from 'vitest';
import { childDaemon, type KillableDaemon, killableDaemon, type TestDaemonOptions } from '../support/daemon.ts';
import { IS_LONG } from '../support/depth.ts';
import { temporaryFolder } from '../support/folders.ts';
import { type SmallDisk, smallDisk } from '../support/small-disk.ts';

const FULL = 'The disk is full: nothing can be written until there is room again. Reads go on.';
const MEGABYTES = 48;
const ENGINES = ['cow', 'lsm', 'embedded_kv'] as const;
const SIGNALS = ['SIGKILL', 'SIGTERM'] as const;

/** Skips the test where no disk can be mounted. */
function mounted(test: TestContext): SmallDisk {
  const disk = smallDisk(MEGABYTES);
  if (disk === null) return test.skip('no disk can be mounted here');
  onTestFinished(() => disk.remove());
  return disk;
}

const workspace = temporaryFolder('workspace');

/** In a process of its own where it is killed. */
async function daemonOn(
  disk: SmallDisk,
  env: TestDaemonOptions['env'] = {},
  start: (options: TestDaemonOptions) => Promise<KillableDaemon> = childDaemon,
): Promise<KillableDaemon> {
  const daemon = await start({ home: join(disk.path, 'home'), workspace, env });
  onTestFinished(async () => void (await daemon.kill('SIGKILL')));
  return daemon;
}

const reserveOf = ({ path }: SmallDisk): string => join(path, 'home', 'data', 'reserve');
const heldBytes = (disk: SmallDisk): number => statSync(reserveOf(disk), { throwIfNoEntry: false })?.size ?? 0;
/** The reserve takes a quarter of a small disk. */
const isWhole = (disk: SmallDisk) =>
  expect.poll(() => heldBytes(disk), { timeout: 15_000 }).toBe((MEGABYTES / 4) * 1_048_576);

async function makeGoal(
  daemon: KillableDaemon,
  title: string,
  length = 3_000,
): Promise<{ status: number; error?: string }> {
  const body = JSON.stringify({ title, statement: 'x'.repeat(length) });
  const answer = await daemon.request('/v1/goals', { method: 'POST', body });
  const { error } = (await answer.json()) as { error?: string };
  return { status: answer.status, ...(error !== undefined && { error }) };
}

async function titles(daemon: KillableDaemon): Promise<string[]> {
  const answer = await daemon.request('/v1/goals?limit=500');
  const { goals } = (await answer.json()) as { goals: { title: string }[] };
  return goals.map(({ title }) => title);
}

/** The status of every GET that reads and needs no more than its path, by path. `GET /pair` records an offer. */
async function readStatuses(daemon: KillableDaemon): Promise<Record<string, number>> {
  const { paths } = (await (await daemon.request('/openapi.json')).json()) as { paths: Record<string, object> };
  const plain = Object.keys(paths).filter((path) => 'get' in paths[path]! && !/[{]|stream|ws$|^\/pair$/.test(path));
  const statuses: Record<string, number> = {};
  for (const path of plain) {
    const ended = new AbortController();
    const { status } = await daemon.request(path, { signal: ended.signal });
    ended.abort();
    statuses[path] = status;
  }
  return statuses;
}

/** Writes goals one after the other until one is refused; answers the titles of those that were acknowledged. */
async function writeUntilRefused(daemon: KillableDaemon, prefix: string, length?: number) {
  const acknowledged: string[] = [];
  for (;;) {
    const title = `${prefix} ${acknowledged.length}`;
    const answer = await makeGoal(daemon, title, length);
    if (answer.status !== 201) return { acknowledged, answer };
    acknowledged.push(title);
  }
}

const isReadable = (daemon: KillableDaemon) =>
  expect.poll(async () => (await daemon.request('/v1/goals')).status, { timeout: 15_000 }).toBe(200);

const writesAgain = (daemon: KillableDaemon) =>
  expect.poll(() => makeGoal(daemon, 'room again'), { timeout: 15_000 }).toEqual({ status: 201 });

describe('a disk that becomes full while goals are written', () => {
  it.for(ENGINES)(
    '%s: reads go on, writes say why, and both end by themselves',
    {
      timeout: 60_000,
    },
    async (backend, test) => {
      const disk = mounted(test);
      const daemon = await daemonOn(disk, { DAYBOOK_PERSISTENCE_BACKEND: backend }, killableDaemon);
      const before = await readStatuses(daemon);
      await isWhole(disk);
      const writers = Array.from({ length: 8 }, (_, writer) => writeUntilRefused(daemon, `goal ${writer}`, 50_000));
      disk.fill();
      const written = await Promise.all(writers);
      const acknowledged = written.flatMap((each) => each.acknowledged);
      for (const { answer } of written) expect(answer).toEqual({ status: 503, error: FULL });
      expect(await titles(daemon)).toEqual(expect.arrayContaining(acknowledged));
      expect(await readStatuses(daemon)).toEqual(before);
      const health = await (await daemon.request('/health')).json();
      expect(health).toMatchObject({ status: 'degraded', log: { failure: FULL }, views: { unavailable: null } });
      expect(await (await daemon.request('/v1/storage/stats')).json()).toMatchObject({ failure: FULL });

      disk.makeRoom();
      await writesAgain(daemon);
      expect(await titles(daemon)).toEqual(expect.arrayContaining([...acknowledged, 'room again']));
      expect(await (await daemon.request('/health')).json()).toMatchObject({ status: 'ok' });
      expect(await (await daemon.request('/v1/storage/stats')).json()).toMatchObject({ failure: null });
      await isWhole(disk);
      expect(await daemon.kill('SIGTERM')).toBe(0);
    },
  );

  it.for(ENGINES)(
    'filled by the daemon itself, %s: there is room for all the rest',
    {
      timeout: 60_000,
    },
    async (backend, test) => {
      const disk = mounted(test);
      const daemon = await daemonOn(disk, { DAYBOOK_PERSISTENCE_BACKEND: backend }, killableDaemon);
      await isWhole(disk);
      const { answer, acknowledged } = await writeUntilRefused(daemon, 'large', 400_000);
      expect(answer).toEqual({ status: 503, error: FULL });
      expect((await titles(daemon)).sort()).toEqual(acknowledged.sort());
      const health = await (await daemon.request('/health')).json();
      expect(health).toMatchObject({ log: { failure: FULL }, views: { unavailable: null } });
      expect(await daemon.kill('SIGTERM')).toBe(0);
    },
  );
});

describe('a start on a full disk', () => {
  async function filled(test: TestContext, signal: NodeJS.Signals) {
    const disk = mounted(test);
    const first = await daemonOn(disk);
    await isWhole(disk);
    for (const title of ['one', 'two']) await makeGoal(first, title);
    const statuses = await readStatuses(first);
    await first.kill(signal);
    return { disk, statuses };
  }

  async function servesReads(disk: SmallDisk, statuses: Record<string, number>): Promise<KillableDaemon> {
    const daemon = await daemonOn(disk);
    await isReadable(daemon);
    expect((await titles(daemon)).sort()).toEqual(['one', 'two']);
    expect(await readStatuses(daemon)).toEqual(statuses);
    expect(await makeGoal(daemon, 'three')).toEqual({ status: 503, error: FULL });
    return daemon;
  }

  it.for(IS_LONG ? SIGNALS : SIGNALS.slice(0, 1))(
    'uses the reserve, after %s',
    { timeout: 60_000 },
    async (signal, test) => {
      const { disk, statuses } = await filled(test, signal);
      disk.fill();
      const daemon = await servesReads(disk, statuses);
      expect(daemon.stderr()).not.toContain('memory');
      expect(heldBytes(disk)).toBeGreaterThan(0);
      disk.makeRoom();
      await writesAgain(daemon);
    },
  );

  it.for(IS_LONG ? SIGNALS : SIGNALS.slice(1))(
    'without any reserve left, after %s',
    { timeout: 60_000 },
    async (signal, test) => {
      const { disk, statuses } = await filled(test, signal);
      rmSync(reserveOf(disk));
      disk.fill();
      const daemon = await servesReads(disk, statuses);
      await expect(daemonOn(disk)).rejects.toThrow('holds it on a full disk');
      disk.makeRoom();
      await writesAgain(daemon);
      await expect.poll(() => readFileSync(join(disk.path, 'home', 'daemon.token'), 'utf8')).toBe(daemon.token);
      await daemon.kill('SIGTERM');

      const next = await daemonOn(disk);
      await isReadable(next);
      expect(await titles(next)).toContain('room again');
      expect(next.stderr()).not.toContain('memory');
    },
  );
});
