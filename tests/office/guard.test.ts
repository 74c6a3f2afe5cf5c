/** Path checks: credential stores are refused by name, behind links, and when they do not exist yet. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { guardPath, openDocument } from '../../src/integrations/documents/guard.ts';
import { PortError } from '../../src/ports/port-error.ts';
import { temporaryFolder } from '../support/folders.ts';

const root = temporaryFolder('guard');
const base = join(root, 'workspace');
const home = join(root, 'home');
const shared = join(home, 'office', 'cache');

beforeAll(() => {
  for (const folder of ['.ssh', '.awsness', 'sub', '.SSH-not', '.Claude'])
    mkdirSync(join(base, folder), { recursive: true });
  mkdirSync(shared, { recursive: true });
  mkdirSync(join(root, 'outside'));
  const files = [
    'a.txt',
    'ü ß.txt',
    'sub/b.txt',
    '.ssh/key',
    '.awsness/c.txt',
    'config.json',
    'ID_RSA',
    '.Claude/x',
    'lost.txt',
  ];
  for (const file of files) writeFileSync(join(base, file), 'x');
  writeFileSync(join(home, 'office', 'cache', 'out.pdf'), 'x');
  writeFileSync(join(home, 'views.db'), 'x');
  writeFileSync(join(root, 'outside', 'o.txt'), 'x');
  const links = {
    link: '.ssh/key',
    folder: '.ssh',
    dead: 'nowhere',
    deadly: '.ssh/none',
    ring: 'ring',
    out: '../outside',
    // Its target is `outside/../lost.txt`, not the file of this name beside the link `out`.
    '../outside/astray': '../lost.txt',
  };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(base, name));
});

async function look(path: string, more: { within?: string } = {}): Promise<string> {
  return guardPath({ path, base, home, shared, ...more }).catch((error: unknown) => {
    if (error instanceof PortError) return error.fault;
    throw error;
  });
}

describe('a path', () => {
  it.each([
    ['a.txt', join(base, 'a.txt')],
    ['ü ß.txt', join(base, 'ü ß.txt')],
    ['sub/../a.txt', join(base, 'a.txt')],
    [join(base, 'sub/b.txt'), join(base, 'sub/b.txt')],
    ['.awsness/c.txt', join(base, '.awsness/c.txt')],
    ['out/o.txt', join(root, 'outside/o.txt')],
    [join(shared, 'out.pdf'), join(shared, 'out.pdf')],
    ['none.txt', 'not_found'],
    ['a.txt/below', 'not_found'],
    ['dead', 'not_found'],
    ['ring', 'not_found'],
    ['out/astray', 'not_found'],
    ['.ssh/key', 'forbidden'],
    ['.SSH/key', 'forbidden'],
    ['.ssh/none/deeper', 'forbidden'],
    ['link', 'forbidden'],
    ['folder/key', 'forbidden'],
    ['deadly', 'forbidden'],
    ['.Claude/x', 'forbidden'],
    ['config.json', 'forbidden'],
    ['ID_RSA', 'forbidden'],
    ['sub/credentials', 'forbidden'],
    [join(home, 'views.db'), 'forbidden'],
    [join(home, 'none'), 'forbidden'],
    ['/proc/self/environ', 'forbidden'],
    ['/etc/shadow', 'forbidden'],
    ['/etc/none', 'forbidden'],
    ['', 'invalid'],
    ['  ', 'invalid'],
    ['a\0b', 'invalid'],
    ['x'.repeat(5_000), 'invalid'],
    ['x'.repeat(300), 'invalid'],
  ])('%j is %s', async (path, expected) => {
    expect(await look(path)).toBe(expected);
  });

  it.each([
    ['a.txt', join(base, 'a.txt')],
    [join(root, 'outside/o.txt'), 'forbidden'],
    ['out/o.txt', 'forbidden'],
    ['../outside/none', 'forbidden'],
    ['sub/../../outside/o.txt', 'forbidden'],
    [`${base}-beside/a.txt`, 'forbidden'],
    ['none.txt', 'not_found'],
  ])('%j inside the workspace is %s', async (path, expected) => {
    expect(await look(path, { within: base })).toBe(expected);
  });

  it('is named in a refusal only by what is on the list', async () => {
    await expect(guardPath({ path: 'sub/../.ssh/my secret', base, home })).rejects.toThrow(
      'path leads into the credential store .ssh.',
    );
  });
});

describe('opening', () => {
  it.each([
    ['sub', 'unsupported'],
    ['none.txt', 'not_found'],
  ])('%s is %s', async (name, fault) => {
    await expect(openDocument(join(base, name))).rejects.toMatchObject({ fault });
  });

  it('follows no link that was put there meanwhile', async () => {
    symlinkSync(join(base, '.ssh/key'), join(base, 'swapped'));
    await expect(openDocument(join(base, 'swapped'))).rejects.toBeInstanceOf(PortError);
  });
});
