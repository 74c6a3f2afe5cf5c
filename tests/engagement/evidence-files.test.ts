/** Walking real folders and fingerprinting real files. */
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Fingerprint } from '../../src/events/engagement/events.ts';
import { createEvidenceFiles } from '../../src/integrations/evidence/evidence-files.ts';
import { WALK_LIMITS, walk } from '../../src/integrations/evidence/walk.ts';
import type { Visitor } from '../../src/ports/evidence-files.ts';
import { temporaryFolder } from '../support/folders.ts';

function workspace(files: Readonly<Record<string, string>>): string {
  const root = temporaryFolder('evidence');
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return root;
}

const files = createEvidenceFiles({ home: '/nonexistent/home' });
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const take: Visitor = () => 'take';

describe('a walk', () => {
  it('visits regular files in the order of their names, each with its size', async () => {
    const root = workspace({ 'b.md': '22', 'a/z.md': '1', 'a/B.md': '', 'c/d/e.txt': '4444' });
    const walk = await files.walk(root, take);
    expect(walk).toEqual({
      filesScanned: 4,
      taken: [
        { path: join(root, 'a/B.md'), relative: 'a/B.md', bytes: 0 },
        { path: join(root, 'a/z.md'), relative: 'a/z.md', bytes: 1 },
        { path: join(root, 'b.md'), relative: 'b.md', bytes: 2 },
        { path: join(root, 'c/d/e.txt'), relative: 'c/d/e.txt', bytes: 4 },
      ],
      cutShort: [],
    });
  });

  it.each([
    ...'.git node_modules target dist build out vendor .venv venv __pycache__ .next .nuxt .gradle'.split(' '),
    ...'.idea .mypy_cache .pytest_cache Pods DerivedData NODE_MODULES Build'.split(' '),
  ])('does not enter %s', async (name) => {
    const root = workspace({ [`${name}/a.md`]: '', [`deep/${name}/b.md`]: '', 'c.md': '' });
    const walk = await files.walk(root, take);
    expect(walk!.taken.map(({ relative }) => relative)).toEqual(['c.md']);
    expect(walk!.cutShort).toEqual([]);
  });

  it('visits neither credential stores nor Daybook’s own home', async () => {
    const root = workspace({ '.ssh/id': '', 'a/.AWS/key': '', 'a/.netrc': '', 'home/log.md': '', 'homely.md': '' });
    const homely = createEvidenceFiles({ home: join(root, 'home') });
    const walk = await homely.walk(root, take);
    expect(walk!.taken.map(({ relative }) => relative)).toEqual(['homely.md']);
    expect(await homely.walk(join(root, 'home'), take)).toMatchObject({ taken: [] });
  });

  it('follows no symbolic link, to a file, a folder or itself', async () => {
    const outside = workspace({ 'secret.md': 'x' });
    const root = workspace({ 'here.md': '' });
    symlinkSync(join(outside, 'secret.md'), join(root, 'link.md'));
    symlinkSync(outside, join(root, 'folder'));
    symlinkSync(root, join(root, 'loop'));
    const walk = await files.walk(root, take);
    expect(walk!.taken.map(({ relative }) => relative)).toEqual(['here.md']);
    expect(walk!.filesScanned).toBe(1);
  });

  it(`goes ${WALK_LIMITS.depth} folders deep, and says that there is more below`, async () => {
    const deepest = 'd/'.repeat(WALK_LIMITS.depth);
    const within = await files.walk(workspace({ [`${deepest}in.md`]: '' }), take);
    expect(within!.taken).toHaveLength(1);
    expect(within!.cutShort).toEqual([]);
    const beyond = await files.walk(workspace({ [`${deepest}in.md`]: '', [`${deepest}d/out.md`]: '' }), take);
    expect(beyond!.taken).toHaveLength(1);
    expect(beyond!.cutShort).toHaveLength(1);
  });

  it('ends where its visitor says so', async () => {
    const root = workspace({ 'a.md': '', 'b.md': '', 'c.md': '' });
    const seen: string[] = [];
    const walk = await files.walk(root, (relative) => {
      seen.push(relative);
      return relative === 'b.md' ? 'stop' : 'take';
    });
    expect(seen).toEqual(['a.md', 'b.md']);
    expect(walk!.taken.map(({ relative }) => relative)).toEqual(['a.md']);
  });

  it('stops after so many files, in one folder or in many, and says so', async () => {
    const limits = { ...WALK_LIMITS, files: 3 };
    const flat = workspace({ a: '', b: '', c: '', d: '' });
    const spread = workspace({ '1/a': '', '2/b': '', '3/c': '', '4/d': '' });
    for (const root of [flat, spread]) {
      const over = await walk(root, () => 'skip', limits);
      expect(over).toMatchObject({ filesScanned: 3, cutShort: ['The scan stopped after 3 files.'] });
    }
    rmSync(join(flat, 'd'));
    rmSync(join(spread, '4'), { recursive: true });
    for (const root of [flat, spread]) {
      expect(await walk(root, () => 'skip', limits)).toMatchObject({ filesScanned: 3, cutShort: [] });
    }
  });

  it('stops after so many folders, and says so', async () => {
    const root = workspace({ '1/a': '', '2/b': '', '3/c': '' });
    const over = await walk(root, take, { ...WALK_LIMITS, folders: 3 });
    expect(over).toMatchObject({ filesScanned: 2, cutShort: ['The scan stopped after 3 folders.'] });
  });

  it.runIf(process.env.DAYBOOK_LONG === '1')('takes 40,000 files and no more', async () => {
    const root = temporaryFolder('evidence');
    for (let n = 0; n <= WALK_LIMITS.files; n += 1) writeFileSync(join(root, `${n}`), '');
    expect(await files.walk(root, () => 'skip')).toMatchObject({
      filesScanned: 40_000,
      cutShort: [expect.any(String)],
    });
  });

  it.skipIf(process.getuid?.() === 0)('leaves out a folder it may not read, and says so', async () => {
    const root = workspace({ 'a.md': '', 'closed/b.md': '' });
    chmodSync(join(root, 'closed'), 0o000);
    const walk = await files.walk(root, take);
    chmodSync(join(root, 'closed'), 0o700);
    expect(walk!.taken).toHaveLength(1);
    expect(walk!.cutShort).toHaveLength(1);
  });

  it('needs a directory', async () => {
    const root = workspace({ 'a.md': '' });
    expect(await files.walk(join(root, 'a.md'), take)).toBeUndefined();
    expect(await files.walk(join(root, 'none'), take)).toBeUndefined();
  });
});

describe('a fingerprint', () => {
  it('is the real path, size and SHA-256 of a regular file, through a link too', async () => {
    const root = workspace({ 'a.md': 'héllo' });
    symlinkSync(join(root, 'a.md'), join(root, 'link'));
    const expected = { path: join(root, 'a.md'), size_bytes: 6, sha256: sha256('héllo') };
    expect(await files.fingerprint(join(root, 'a.md'))).toEqual(expected);
    expect(await files.fingerprint(join(root, 'link'))).toEqual(expected);
  });
  it('is not made of what is no file, of credentials, and of Daybook’s own home', async () => {
    const root = workspace({ '.ssh/id': 'key', 'home/token': 'token', 'a.md': '' });
    symlinkSync(join(root, '.ssh/id'), join(root, 'innocent.md'));
    const homely = createEvidenceFiles({ home: join(root, 'home') });
    for (const name of ['', 'none', '.ssh/id', 'innocent.md', 'home/token', 'a.md/b', 'nul\0']) {
      expect(await homely.fingerprint(join(root, name))).toBeNull();
    }
    expect(await homely.fingerprint('/dev/zero')).toBeNull();
  });
});

describe('a comparison', () => {
  it('tells same, changed in size, changed in content, and missing', async () => {
    const root = workspace({ same: 'x', longer: 'x', other: 'x', gone: 'x', folder: 'x' });
    const names = ['same', 'longer', 'other', 'gone', 'folder'];
    const before = await Promise.all(names.map((name) => files.fingerprint(join(root, name))));
    appendFileSync(join(root, 'longer'), 'y');
    writeFileSync(join(root, 'other'), 'z');
    rmSync(join(root, 'gone'));
    rmSync(join(root, 'folder'));
    mkdirSync(join(root, 'folder'));
    expect(await files.compare(before.map((one) => one!))).toEqual([
      'same',
      'changed',
      'changed',
      'missing',
      'changed',
    ]);
  });
  it('follows a link at the place of a workspace that was moved, also when the file is read', async () => {
    const parent = workspace({ 'work/a.md': 'a', 'work/b.md': 'b' });
    const names = ['a.md', 'b.md'];
    const before = await Promise.all(names.map((name) => files.fingerprint(join(parent, 'work', name))));
    const [a, b] = before.map((one) => one!) as [Fingerprint, Fingerprint];
    renameSync(join(parent, 'work'), join(parent, 'moved'));
    symlinkSync(join(parent, 'moved'), join(parent, 'work'));
    writeFileSync(join(parent, 'moved/b.md'), 'B');
    expect(await files.compare([a, b])).toEqual(['same', 'changed']);
    expect(await files.read(a)).toEqual(Buffer.from('a'));
    expect(await files.read(b)).toBeNull();
  });
  it('sees a change that came right after the attaching', async () => {
    const path = join(workspace({ a: 'before' }), 'a');
    for (let n = 0; n < 50; n += 1) {
      writeFileSync(path, 'before');
      const before = (await files.fingerprint(path))!;
      writeFileSync(path, 'after!');
      expect(await files.compare([before])).toEqual(['changed']);
    }
  });
  it('sees a change that left size and modification time as they were', async () => {
    const root = workspace({ a: 'before' });
    const path = join(root, 'a');
    const long = new Date('2020-01-01T00:00:00Z');
    utimesSync(path, long, long);
    // Only a file that has been left alone for a moment is remembered, and then read no more.
    await new Promise((resolve) => setTimeout(resolve, 150));
    const before = (await files.fingerprint(path))!;
    expect(await files.compare([before])).toEqual(['same']);
    writeFileSync(path, 'AFTER!');
    utimesSync(path, long, long);
    expect(await files.compare([before])).toEqual(['changed']);
  });
});
