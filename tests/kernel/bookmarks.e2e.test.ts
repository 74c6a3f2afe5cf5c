/** `examples/embedded/bookmarks.ts` as a program of its own: it writes, reopens, lists, follows and refuses. */
import { execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../support/folders.ts';

const PROGRAM = join(import.meta.dirname, '../../examples/embedded/bookmarks.ts');
const run = promisify(execFile);

async function bookmarks(folder: string, ...args: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await run(process.execPath, [PROGRAM, folder, ...args]);
  return stdout.split('\n').filter((line) => line !== '');
}

it('what one process writes, the next one lists and deletes', async () => {
  const folder = temporaryFolder('embedded');
  expect(await bookmarks(folder, 'add', 'https://a.example', 'The', 'first')).toEqual([]);
  await bookmarks(folder, 'add', 'https://b.example', 'The', 'second');
  const listed = await bookmarks(folder, 'list');
  expect(listed.map((line) => line.replace(/^\S+ /, ''))).toEqual([
    'https://b.example The second',
    'https://a.example The first',
  ]);
  await bookmarks(folder, 'delete', listed[0]!.split(' ')[0]!);
  expect(await bookmarks(folder, 'list')).toEqual([listed[1]]);
});

it('a refusal and a bad address end with 1 and one sentence', async () => {
  const folder = temporaryFolder('embedded');
  await expect(bookmarks(folder, 'delete', 'nothing')).rejects.toMatchObject({
    code: 1,
    stderr: 'Bookmark not found\n',
  });
  await expect(bookmarks(folder, 'add', 'nowhere', 'A')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Invalid URL'),
  });
});

it('watching shows the stored events, then those that are added meanwhile', async () => {
  const folder = temporaryFolder('embedded');
  await bookmarks(folder, 'add', 'https://a.example', 'A');
  const child = spawn(process.execPath, [PROGRAM, folder, 'watch'], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill());
  const seen: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    seen.push(line);
    if (seen.length === 1) child.stdin.write('https://b.example B\n');
    else child.stdin.end();
  }
  expect(seen).toEqual([
    '1 BookmarkAdded {"title":"A","url":"https://a.example"}',
    '2 BookmarkAdded {"title":"B","url":"https://b.example"}',
  ]);
});

it('the program has at most 60 lines', () => {
  expect(readFileSync(PROGRAM, 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(60);
});
