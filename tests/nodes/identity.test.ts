/** The identity of a daemon: that of its home, and not of a copy of it. */
import { cpSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { nodeIdentity } from '../../src/integrations/nodes/identity.ts';
import { systemIds } from '../../src/integrations/system.ts';
import { temporaryFolder } from '../support/folders.ts';

const identityIn = (home: string, name?: string) => nodeIdentity(home, systemIds, name);

it('stays the same in its home, also when that is moved, and under a name that is set', async () => {
  const folder = temporaryFolder('identity');
  const home = temporaryFolder('home');
  const first = await identityIn(home);
  expect(first.isCopied).toBe(false);
  expect(await identityIn(home)).toEqual(first);
  expect(await identityIn(home, 'anna')).toEqual({ ...first, name: 'anna' });
  renameSync(home, join(folder, 'moved'));
  expect(await identityIn(join(folder, 'moved'))).toEqual(first);
});

it('is another one in a copy of the home, which keeps it', async () => {
  const home = temporaryFolder('home');
  const original = await identityIn(home);
  const copy = join(temporaryFolder('identity'), 'copy');
  cpSync(home, copy, { recursive: true });
  const own = await identityIn(copy);
  expect([own.id === original.id, own.isCopied]).toEqual([false, true]);
  expect([await identityIn(copy), await identityIn(home)]).toEqual([{ ...own, isCopied: false }, original]);
});

it('of an earlier program is kept', async () => {
  const home = temporaryFolder('home');
  const earlier = { id: '0123456789abcdef', name: 'node-012345' };
  writeFileSync(join(home, 'node.json'), JSON.stringify(earlier));
  const kept = { ...earlier, isCopied: false };
  expect([await identityIn(home), await identityIn(home)]).toEqual([kept, kept]);
  expect(JSON.parse(readFileSync(join(home, 'node.json'), 'utf8'))).toHaveProperty('home');
});

it.each([
  // exFAT, sshfs and other file systems in user space, with and without times of birth.
  ['another inode and the same birth', { home: '1' }, { isSame: true, isCopied: false }],
  ['another inode and no times of birth', { home: '1', born: '0' }, { isSame: false, isCopied: false }],
  ['another inode and birth', { home: '1', born: '1' }, { isSame: false, isCopied: true }],
  ['a birth for the first time', { born: undefined }, { isSame: true, isCopied: false }],
])('of a home with %s', async (_, change, expected) => {
  const home = temporaryFolder('home');
  const path = join(home, 'node.json');
  const { id } = await identityIn(home);
  const written = readFileSync(path, 'utf8');
  writeFileSync(path, JSON.stringify({ ...JSON.parse(written), ...change }));
  const { id: now, isCopied } = await identityIn(home);
  expect({ isSame: now === id, isCopied }).toEqual(expected);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ ...JSON.parse(written), id: now, name: expect.any(String) });
});
