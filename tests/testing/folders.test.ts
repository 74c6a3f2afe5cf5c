/** The state of a folder at the moment of a kill, while other threads write. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { crashImage } from '../../src/testing/folders.ts';
import { temporaryFolder } from '../support/folders.ts';

const IMAGES = 40;
const FILES = Array.from({ length: 60 }, (_, at) => `file-${String(at).padStart(3, '0')}`);

/** Writes files under a temporary name and renames them, 20 every millisecond. */
const RENAMING = `
  const { renameSync, writeFileSync } = require('node:fs');
  const { workerData: folder } = require('node:worker_threads');
  let count = 0;
  setInterval(() => {
    for (let at = 0; at < 20; at += 1) {
      count += 1;
      writeFileSync(folder + '/temporary-' + count, 'new');
      renameSync(folder + '/temporary-' + count, folder + '/renamed');
    }
  }, 1);
`;

it('a crash image has every file, although files vanish while it is made', async () => {
  const folder = temporaryFolder('image');
  for (const name of FILES) writeFileSync(join(folder, name), name);
  const worker = new Worker(RENAMING, { eval: true, workerData: folder });
  try {
    await expect.poll(() => readdirSync(folder).includes('renamed')).toBe(true);
    for (let at = 0; at < IMAGES; at += 1) {
      crashImage(folder, [FILES[0]!]);
      const names = readdirSync(`${folder}.crash`).filter((name) => name.startsWith('file-'));
      expect(names.sort()).toEqual(FILES.slice(1));
      rmSync(`${folder}.crash`, { recursive: true });
    }
  } finally {
    await worker.terminate();
  }
  const restore = crashImage(folder, []);
  writeFileSync(join(folder, FILES[0]!), 'later');
  restore();
  expect(readFileSync(join(folder, FILES[0]!), 'utf8')).toBe(FILES[0]);
});
