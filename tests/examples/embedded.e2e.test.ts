/** The programs of examples/embedded, as processes. */
import { execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../support/folders.ts';

const FOLDER = join(import.meta.dirname, '../../examples/embedded');
const BOOKMARKS = join(FOLDER, 'bookmarks.ts');
const run = promisify(execFile);

it.each(['getting-started.ts', 'level.ts'])('%s prints what its comments say', async (program) => {
  const text = readFileSync(join(FOLDER, program), 'utf8');
  const said = [...text.matchAll(/^ *console\.log\(.*\); \/\/ (.*)$/gm)].map(([, line]) => line);
  const { stdout } = await run(process.execPath, [join(FOLDER, program)], { cwd: temporaryFolder('docs') });
  expect(stdout.trimEnd().split('\n')).toEqual(said);
  expect(said.length).toBe(text.match(/console\.log/g)!.length);
});

it('bookmarks.ts lists and deletes what an earlier process wrote, refuses, and follows', async () => {
  const folder = temporaryFolder('embedded');
  const bookmarks = async (...args: readonly string[]): Promise<readonly string[]> => {
    const { stdout } = await run(process.execPath, [BOOKMARKS, folder, ...args]);
    return stdout.split('\n').filter((line) => line !== '');
  };
  expect(await bookmarks('add', 'https://a.example', 'The', 'first')).toEqual([]);
  await bookmarks('add', 'https://b.example', 'The', 'second');
  const listed = await bookmarks('list');
  expect(listed.map((line) => line.replace(/^\S+ /, ''))).toEqual([
    'https://b.example The second',
    'https://a.example The first',
  ]);
  await bookmarks('delete', listed[0]!.split(' ')[0]!);
  expect(await bookmarks('list')).toEqual([listed[1]]);
  await expect(bookmarks('delete', 'nothing')).rejects.toMatchObject({ code: 1, stderr: 'Bookmark not found\n' });
  const badAddress = { code: 1, stderr: expect.stringContaining('Invalid URL') };
  await expect(bookmarks('add', 'nowhere', 'A')).rejects.toMatchObject(badAddress);

  const child = spawn(process.execPath, [BOOKMARKS, folder, 'watch'], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill());
  const seen: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    seen.push(line);
    if (seen.length === 3) child.stdin.write('https://c.example C\n');
    if (seen.length === 4) child.stdin.end();
  }
  expect(seen).toEqual([
    '1 BookmarkAdded {"title":"The first","url":"https://a.example"}',
    '2 BookmarkAdded {"title":"The second","url":"https://b.example"}',
    '3 BookmarkDeleted {}',
    '4 BookmarkAdded {"title":"C","url":"https://c.example"}',
  ]);
});
