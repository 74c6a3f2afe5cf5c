/**
 * The daily backup of a running store, from the clock to the folder: when it is made, and the message when it fails.
 */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openStorage, type Storage } from '../../src/storage/open.ts';
import { checkStorageConfig } from '../../src/storage/ops/config.ts';
import { createStorageOps, type StorageOps } from '../../src/storage/ops/ops.ts';
import { RETRY_PAUSE_MS, START_PAUSE_MS } from '../../src/storage/ops/schedule.ts';
import { event, fill } from '../storage/log-helpers.ts';
import { temporaryFolder } from '../support/folders.ts';
import { freePort } from '../support/ports.ts';
import { until } from '../support/until.ts';
import { TestClock } from './clock.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let home: string;
let storage: Storage;
let lines: string[];
let running: StorageOps[];

beforeEach(async () => {
  home = temporaryFolder('daily');
  storage = await openStorage({ directory: join(home, 'data'), backend: 'embedded_kv' });
  lines = [];
  running = [];
});
afterEach(async () => {
  for (const ops of running) await ops.stop();
  await storage.close();
});

async function start(clock: TestClock, settings: { backup?: object; port?: number } = {}): Promise<StorageOps> {
  const ops = createStorageOps({
    storage,
    place: { directory: join(home, 'data'), home },
    config: checkStorageConfig({ backup: settings.backup ?? {} }, join(home, 'storage.json')),
    port: settings.port ?? null,
    version: '0',
    admitsHost: () => true,
    views: () => null,
    report: (line) => lines.push(line),
    clock,
  });
  running.push(ops);
  await ops.start();
  return ops;
}

const kept = (): string[] => {
  try {
    return readdirSync(join(home, 'backups')).sort();
  } catch {
    return [];
  }
};

/** The backup itself takes real time: waits for its log line. */
async function noticed(count: number): Promise<void> {
  await until(() => lines.length >= count);
}

describe('the daily backup', () => {
  it('is made at 02:00, verified, and reported', async () => {
    await fill(storage.log, 3);
    const clock = new TestClock('2026-11-20T23:00');
    await start(clock, { backup: { at: '02:00' } });
    await clock.pass(START_PAUSE_MS);
    await noticed(1);
    const [missed] = kept();
    await clock.pass(3 * HOUR);
    await noticed(2);
    expect(kept()).toHaveLength(2);
    expect(kept()[0]).toBe(missed);
    expect(lines[1]).toMatch(/^backup \S+ made and verified, 3 events$/);
    const made = new Date(kept()[1]!.replace(/-(\d\d)-(\d\d)Z$/, ':$1:$2Z'));
    expect([made.getHours(), made.getMinutes()]).toEqual([2, 0]);
  });

  it('of an empty log is none, and of a log younger than 02:00 neither', async () => {
    const firstEvent = event(1).at;
    const clock = new TestClock(new Date(firstEvent - 30 * HOUR).toISOString());
    await start(clock);
    await clock.pass(30 * HOUR);
    await fill(storage.log, 1);
    await clock.pass(10 * MINUTE);
    expect([kept(), lines]).toEqual([[], []]);
  });

  it('that fails is reported in the log, in readiness and in metrics, and is repeated until it succeeds', async () => {
    await fill(storage.log, 3);
    writeFileSync(join(home, 'backups'), 'a file where the folder should be');
    const clock = new TestClock('2026-11-21T12:00');
    const port = await freePort();
    const ops = await start(clock, { backup: { max_age_hours: 1 }, port });
    const page = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text();
    await clock.pass(START_PAUSE_MS);
    await noticed(1);
    expect(lines[0]).toMatch(/^The daily backup failed: .*backups/);
    expect(await page('/metrics')).toMatch(/^daybook_storage_backup_failing 1$/m);
    expect(await page('/metrics')).toMatch(/^daybook_storage_backup_failures_total 1$/m);
    expect(await page('/ready?verbose')).toContain('[+]backup ok');
    clock.jump(2 * HOUR);
    expect(await page('/ready?verbose')).toMatch(
      /\[-\]backup failed: No backup was made and verified for 2 hours\. .*backups/,
    );

    rmSync(join(home, 'backups'));
    await clock.pass(RETRY_PAUSE_MS);
    await noticed(2);
    expect(kept()).toHaveLength(1);
    expect(await page('/ready?verbose')).toContain('[+]backup ok');
    expect(await page('/metrics')).toMatch(/^daybook_storage_backup_failing 0$/m);
    expect(ops.port()).toBe(port);
  });

  it('is not made where it is switched off', async () => {
    await fill(storage.log, 3);
    const clock = new TestClock('2026-11-21T12:00');
    await start(clock, { backup: { enabled: false } });
    await clock.pass(50 * HOUR);
    expect([kept(), lines]).toEqual([[], []]);
  });

  it('under way when the service stops is given up, and leaves nothing that looks like a backup', async () => {
    await fill(storage.log, 500);
    const clock = new TestClock('2026-11-21T12:00');
    const ops = await start(clock);
    await clock.pass(START_PAUSE_MS);
    await ops.stop();
    expect([kept(), lines]).toEqual([[], []]);
  });

  it('whose copy takes long does not keep the service from stopping', async () => {
    await fill(storage.log, 3);
    const copy = Promise.withResolvers<never>();
    vi.spyOn(storage.engine, 'backup').mockReturnValue(copy.promise);
    const clock = new TestClock('2026-11-21T12:00');
    const ops = await start(clock);
    await clock.pass(START_PAUSE_MS);
    await ops.stop();
    copy.reject(new Error('The engine is closed.'));
    await vi.waitUntil(() => kept().length === 0);
    expect(lines).toEqual([]);
  });
});
