/** A home on a read-only file system: an archive, or a disk that the system has mounted again after an error. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { lockToRead } from '../../src/storage/lock.ts';
import { DISK_BACKENDS } from '../../src/storage/marker.ts';
import { testDaemon } from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';
import { type SmallDisk, smallDisk } from '../support/small-disk.ts';
import { cliHere, jsonLines } from './support.ts';

const probe = smallDisk(1);
probe?.remove();

it.skipIf(probe === null)('a directory that another machine held when it ended is named with a way out', () => {
  const disk = smallDisk(1)!;
  onTestFinished(() => disk.remove());
  const holder = { pid: 7, host: 'another', started: null, since: 0, guard: true };
  writeFileSync(join(disk.path, 'daybook.lock'), JSON.stringify(holder));
  expect(() => lockToRead(disk.path)).toThrow(`delete ${join(disk.path, 'daybook.lock')}.`);
  disk.protect();
  expect(() => lockToRead(disk.path)).toThrow(
    'if that machine no longer uses it, use a copy of it without daybook.lock.',
  );
});

describe.skipIf(probe === null).each(DISK_BACKENDS)('a home of %s that cannot be written', (backend) => {
  let disk: SmallDisk;
  let home: string;
  let temporary: string;

  beforeEach(async () => {
    disk = smallDisk(64)!;
    home = join(disk.path, 'home');
    temporary = temporaryFolder('copies');
    const daemon = await testDaemon({ home, flags: { backend } });
    for (const title of ['One', 'Two']) {
      await daemon.request('/v1/goals', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ title }),
      });
    }
    await daemon.stop();
    disk.protect();
  });
  afterEach(() => disk.remove());

  const run = (...words: string[]) => cliHere(words, { home, cwd: temporary, env: { TMPDIR: temporary } });

  it('is verified, read, exported, backed up and salvaged from a copy, which is removed', async () => {
    const events = jsonLines<{ readonly position: number }>((await run('storage', 'read', '--json')).stdout);
    const [last] = events.slice(-1);
    const verified = await run('log', 'verify', '--views', '--json');
    expect(JSON.parse(verified.stdout)).toMatchObject({
      ok: true,
      position: last!.position,
      views: { differences: [] },
    });
    expect(verified.stderr).toContain('is on a read-only file system, so a copy in');
    const stored = await run('storage', 'verify', '--json');
    expect(JSON.parse(stored.stdout)).toMatchObject({ ok: true, head: last!.position, backend });
    expect((await run('storage', 'export', '--out', 'log.jsonl')).code).toBe(0);
    expect((await run('storage', 'backup', '--to', 'backup')).code).toBe(0);
    expect((await run('storage', 'salvage', '--to', 'salvaged')).code).toBe(0);
    expect(readdirSync(temporary).sort()).toEqual(['backup', 'log.jsonl', 'salvaged']);
  });

  it('refuses what would change it, and says why', async () => {
    const compacted = await run('storage', 'compact');
    expect([compacted.code, compacted.stderr]).toEqual([2, expect.stringContaining('read-only file system')]);
    const rebuilt = await run('log', 'rebuild');
    expect([rebuilt.code === 0, rebuilt.stderr]).toEqual([false, expect.stringContaining('read-only file system')]);
    expect(existsSync(join(home, 'views.db'))).toBe(true);
  });
});
