/**
 * A data directory that is moved or replaced while a process has it open is detected; other changes are not reported.
 */
import { copyFileSync, cpSync, mkdirSync, readdirSync, readlinkSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { StorageError } from '../../src/storage/errors.ts';
import { DISK_BACKENDS, type DiskBackend } from '../../src/storage/marker.ts';
import { openStorage } from '../../src/storage/open.ts';
import { temporaryFolder } from '../support/folders.ts';
import { event, to } from './log-helpers.ts';

async function opened(backend: DiskBackend) {
  const directory = join(temporaryFolder('place'), 'data');
  const config = { cow: { wal_buffer_size: 65_536 }, lsm: { memtable_bytes: 65_536, wal_segment_bytes: 65_536 } };
  const storage = await openStorage({ directory, backend, config });
  onTestFinished(() => storage.close().catch(() => undefined));
  let number = 0;
  const append = async (events: number): Promise<void> => {
    for (const end = number + events; number < end; number += 1) {
      await storage.log.append([to('thing-a', [event(number, { text: 'x'.repeat(1_000) })])]);
    }
  };
  return { storage, directory, append, problem: () => storage.place!.problem };
}

/** The same bytes at the same path, in another file. */
function replace(path: string): void {
  copyFileSync(path, `${path}.copy`);
  renameSync(`${path}.copy`, path);
}

describe.each(DISK_BACKENDS)('%s', (backend) => {
  it('reports no changes of its own: new segments, checkpoints, compaction, a backup', async () => {
    const { storage, append, problem, directory } = await opened(backend);
    for (let round = 0; round < 3; round += 1) {
      await append(150);
      expect(problem()).toBeNull();
      await storage.engine.compact();
      expect(problem()).toBeNull();
    }
    await storage.engine.backup(join(directory, '..', 'backup'));
    expect(problem()).toBeNull();
  });

  it('notices a directory that was moved, removed or replaced by its copy, until it is back', async () => {
    const { directory, append, problem } = await opened(backend);
    await append(3);
    const elsewhere = `${directory}-elsewhere`;
    renameSync(directory, elsewhere);
    expect(problem()).toMatch(/^The data directory was changed while it is open: It was moved, removed or replaced\./);
    cpSync(elsewhere, directory, { recursive: true });
    expect(problem()).toMatch(/: It was moved/);
    rmSync(directory, { recursive: true });
    mkdirSync(directory);
    expect(problem()).toMatch(/: It was moved/);
    rmSync(directory, { recursive: true });
    renameSync(elsewhere, directory);
    expect(problem()).toBeNull();
  });

  it('refuses appends to a directory that was moved or replaced by its copy, until it is back', async () => {
    const { storage, directory, append } = await opened(backend);
    const appends = (): Promise<unknown> =>
      append(1).then(
        () => 'accepted',
        (error: StorageError) => error.code,
      );
    await append(3);
    const elsewhere = `${directory}-elsewhere`;
    renameSync(directory, elsewhere);
    await expect.poll(appends).toBe('STORAGE_MOVED');
    cpSync(elsewhere, directory, { recursive: true });
    await expect.poll(() => storage.log.failure?.message).toContain('Nothing is written until it is back');
    const { position } = storage.log.head();
    expect(await appends()).toBe('STORAGE_MOVED');
    expect(storage.log.head().position).toBe(position);
    rmSync(directory, { recursive: true });
    renameSync(elsewhere, directory);
    await expect.poll(appends).toBe('accepted');
    expect(storage.log.failure).toBeNull();
  });

  it('notices that the store, or a file that it writes, was replaced', async () => {
    const { directory, append, problem } = await opened(backend);
    await append(3);
    const store = join(directory, 'store-1');
    renameSync(store, `${store}-elsewhere`);
    expect(problem()).toContain(': data/store-1 was moved');
    renameSync(`${store}-elsewhere`, store);
    expect(problem()).toBeNull();
    const written = /^(?:tree\.db|wal-\d+\.log|data\.sqlite)$/;
    for (const name of readdirSync(store).filter((each) => written.test(each))) {
      const path = join(store, name);
      copyFileSync(path, `${path}.copy`);
      renameSync(path, `${path}.kept`);
      renameSync(`${path}.copy`, path);
      expect(problem()).toContain(`: data/store-1/${name} was moved, removed or replaced`);
      renameSync(`${path}.kept`, path);
      expect(problem()).toBeNull();
    }
  });
});

it('notices another marker: a restore or a migration has taken place', async () => {
  const { directory, problem } = await opened('cow');
  replace(join(directory, 'daybook.json'));
  expect(problem()).toContain(': data/daybook.json was moved');
});

it('an ephemeral store has no place', async () => {
  const storage = await openStorage({ directory: '', ephemeral: true });
  onTestFinished(() => storage.close().catch(() => undefined));
  expect(storage.place).toBeNull();
});

// A file system in user space may number a file anew once nobody has it open: nothing was moved then.
it.skipIf(process.platform !== 'linux')('keeps what it compares open, and closes it with the store', async () => {
  const { storage, directory } = await opened('cow');
  const compared = [directory, join(directory, 'daybook.json'), join(directory, 'store-1')];
  expect(openPaths()).toEqual(expect.arrayContaining(compared));
  await storage.close();
  expect(openPaths().filter((path) => path.startsWith(directory))).toEqual([]);
});

function openPaths(): string[] {
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      return [readlinkSync(join('/proc/self/fd', descriptor))];
    } catch {
      return [];
    }
  });
}
