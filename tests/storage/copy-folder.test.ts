/** The folder of a home with a copy of a log in a database, and the file that names the log. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { copyFolder, isCopy, logDirectory, readSource, writeSource } from '../../src/storage/copy-folder.ts';
import { memoryFolder } from '../support/folders.ts';

let home: string;
let folder: string;
beforeEach(() => {
  home = memoryFolder('copy-folder');
  folder = copyFolder(home);
});

describe('the log of a home', () => {
  it('is in its own data directory without such a folder, and with a folder that names no log', () => {
    expect([readSource(folder), logDirectory(home)]).toEqual([null, join(home, 'data')]);
    mkdirSync(folder);
    expect([readSource(folder), logDirectory(home)]).toEqual([null, join(home, 'data')]);
  });

  it('is in the copy when the folder names a log', () => {
    mkdirSync(folder);
    writeSource(folder, 'a1');
    expect([readSource(folder), logDirectory(home)]).toEqual(['a1', join(folder, 'data')]);
    expect(isCopy(logDirectory(home))).toBe(true);
  });

  it.each(['', '{"log_', 'null', '{}', '{"log_id":5}'])('is not guessed when the file holds %j', (text) => {
    mkdirSync(folder);
    writeFileSync(join(folder, 'source.json'), text);
    const damaged = expect.objectContaining({ code: 'STORAGE_CORRUPT', file: 'source.json' });
    expect(() => readSource(folder)).toThrow(damaged);
    expect(() => logDirectory(home)).toThrow(damaged);
  });

  it('is not guessed when the folder cannot be read', () => {
    symlinkSync(folder, folder);
    expect(() => logDirectory(home)).toThrow(expect.objectContaining({ code: 'STORAGE_IO' }));
  });
});
