import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createScratchFolders } from '../../src/lib/scratch-folders.ts';
import { temporaryFolder } from '../support/folders.ts';

it('removes what an earlier process left, at the first use only', async () => {
  const parent = join(temporaryFolder('scratch'), 'jobs');
  mkdirSync(join(parent, 'job-left'), { recursive: true });
  const folders = createScratchFolders(parent);
  await folders.use(async (first) => {
    expect(readdirSync(parent)).toEqual([first.slice(parent.length + 1)]);
    await folders.use(async (second) => expect(second).not.toBe(first));
    expect(existsSync(first)).toBe(true);
  });
  expect(readdirSync(parent)).toEqual([]);
});

it('works once what prevented it is gone', async () => {
  const blocker = join(temporaryFolder('scratch'), 'file');
  writeFileSync(blocker, '');
  const folders = createScratchFolders(join(blocker, 'jobs'));
  await expect(folders.use(async () => 'used')).rejects.toThrow('ENOTDIR');
  rmSync(blocker);
  expect(await folders.use(async () => 'used')).toBe('used');
});

it('makes folders for their owner alone, and removes them when the work fails', async () => {
  const folders = createScratchFolders(join(temporaryFolder('scratch'), 'jobs'));
  let path = '';
  const work = folders.use(async (folder) => {
    path = folder;
    writeFileSync(join(folder, 'file'), 'x');
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    throw new Error('failed');
  });
  await expect(work).rejects.toThrow('failed');
  expect(existsSync(path)).toBe(false);
});
