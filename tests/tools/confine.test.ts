/** Path confinement: no path that a model or a client names leads out of the workspace or to credentials. */
import { mkdirSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type ConfinedPath,
  ConfinementError,
  confine,
  type Intent,
  openDirectory,
  openFile,
} from '../../src/integrations/tools/confine.ts';
import { isInside } from '../../src/lib/paths.ts';
import { codePoint } from '../support/text.ts';
import { bench } from './helper.ts';

function setUp() {
  const { outside, workspace, home, put } = bench();
  const place = { workspace, home };
  const accepted = async (path: string, intent: Intent = 'read'): Promise<ConfinedPath> => {
    const found = await confine(place, path, intent);
    if (!found.ok) throw new Error(`refused: ${found.reason}`);
    return found;
  };
  const refused = async (path: string, intent: Intent = 'read'): Promise<string> => {
    const found = await confine(place, path, intent);
    if (found.ok) throw new Error(`accepted: ${found.absolute}`);
    return found.reason;
  };
  return { outside, workspace, home, put, place, accepted, refused };
}

describe('paths inside', () => {
  test('a relative path, an absolute one and one through dots are the same place', async () => {
    const { workspace, put, accepted } = setUp();
    put('a/b.txt', 'x');
    const expected = { absolute: join(workspace, 'a/b.txt'), relative: 'a/b.txt', exists: true };
    for (const path of ['a/b.txt', './a/../a//b.txt', join(workspace, 'a/b.txt'), 'a/b.txt/']) {
      expect(await accepted(path)).toMatchObject(expected);
    }
    expect(await accepted('.')).toMatchObject({ absolute: workspace, relative: '.' });
  });

  test('a file that does not exist yet knows which directories are missing', async () => {
    const { workspace, put, accepted } = setUp();
    put('a/x', '');
    const found = await accepted('a/b/c/d.txt', 'write');
    expect(found).toMatchObject({ exists: false, parent: join(workspace, 'a'), missing: ['b', 'c'], name: 'd.txt' });
  });

  test('a link that stays inside is followed to its real place', async () => {
    const { workspace, put, accepted } = setUp();
    put('real/file.txt', 'x');
    symlinkSync('real', join(workspace, 'alias'));
    expect(await accepted('alias/file.txt', 'write')).toMatchObject({ relative: 'real/file.txt', exists: true });
    expect(await accepted('alias/new.txt', 'write')).toMatchObject({ relative: 'real/new.txt', exists: false });
  });

  test('the workspace may itself be reached through a link, by either name', async () => {
    const { outside, workspace, home, put } = setUp();
    put('f', 'x');
    symlinkSync(workspace, join(outside, 'link'));
    const place = { workspace: join(outside, 'link'), home };
    for (const path of ['f', join(outside, 'link', 'f'), join(workspace, 'f')]) {
      expect(await confine(place, path, 'read')).toMatchObject({ ok: true, relative: 'f' });
    }
  });
});

describe('paths outside', () => {
  test.each(['..', '../x', 'a/../../x', '/etc/passwd', '/', '../workspace-2/x'])('%s is refused', async (path) => {
    const { refused } = setUp();
    expect(await refused(path)).toContain('outside the workspace');
  });

  test('a neighbour whose name begins with the name of the workspace is outside', async () => {
    const { workspace, refused } = setUp();
    mkdirSync(`${workspace}-2`);
    expect(await refused(`${workspace}-2`)).toContain('outside the workspace');
  });

  test('links to a file, to a directory, in a chain and as a parent of a new file', async () => {
    const { outside, workspace, refused } = setUp();
    writeFileSync(join(outside, 'secret'), 's');
    mkdirSync(join(outside, 'dir'));
    symlinkSync(join(outside, 'secret'), join(workspace, 'file-link'));
    symlinkSync('../dir', join(workspace, 'dir-link'));
    symlinkSync('dir-link', join(workspace, 'chain'));
    for (const path of ['file-link', 'dir-link', 'chain', 'dir-link/new.txt', 'chain/a/b/new.txt']) {
      expect(await refused(path, 'write')).toContain('leads outside');
    }
  });

  test('a dangling link is refused, not taken for a file that may be made', async () => {
    const { outside, workspace, refused } = setUp();
    symlinkSync(join(outside, 'not-yet'), join(workspace, 'dangling'));
    expect(await refused('dangling', 'write')).toContain('leads nowhere');
    expect(await refused('dangling/child', 'write')).toContain('leads nowhere');
  });

  test('a circle of links', async () => {
    const { workspace, refused } = setUp();
    symlinkSync('b', join(workspace, 'a'));
    symlinkSync('a', join(workspace, 'b'));
    expect(await refused('a')).toContain('circle');
  });

  test('a refusal says nothing about where things really are', async () => {
    const { outside, workspace, refused } = setUp();
    symlinkSync(outside, join(workspace, 'out'));
    const reasons = [await refused('out'), await refused('../x'), await refused('out/home')];
    for (const reason of reasons) expect(reason).not.toContain(outside);
  });
});

describe('names', () => {
  test.each([
    ['nothing', '', 'empty'],
    ['blanks', '  ', 'empty'],
    ['a NUL byte', 'a\0b', 'NUL'],
    ['256 letters', 'x'.repeat(256), 'longer than 255'],
    ['256 bytes in 128 letters', 'é'.repeat(128), 'longer than 255'],
    ['too many names', 'a/'.repeat(2_100), 'longer than 4096'],
    ['half a surrogate pair', '\ud800', 'well-formed'],
  ])('%s is refused', async (_what, path, why) => {
    const { refused } = setUp();
    expect(await refused(path)).toContain(why);
  });

  test.each(['.ssh/id_rsa', '.aws/credentials', '.gnupg', 'deep/.SSH/config', '.netrc', '.ssh./x'])(
    'credentials in %s are neither read nor written',
    async (path) => {
      const { refused } = setUp();
      expect(await refused(path, 'read')).toContain('credentials');
      expect(await refused(path, 'write')).toContain('credentials');
    },
  );

  test('a link with a harmless name does not open a credential folder', async () => {
    const { workspace, put, refused } = setUp();
    put('.ssh/id', 'key');
    symlinkSync('.ssh', join(workspace, 'notes'));
    expect(await refused('notes/id')).toContain('credentials');
  });

  test.each(['.git/hooks/pre-commit', '.git/config', '.GIT/config', 'sub/.git', '.g\u200cit/config', 'git~1/config'])(
    '%s is not written',
    async (path) => {
      const { refused } = setUp();
      expect(await refused(path, 'write')).toContain("Git's own");
    },
  );

  test('git files may be read, and names that only resemble .git may be written', async () => {
    const { put, accepted } = setUp();
    put('.git/HEAD', 'ref: x');
    expect(await accepted('.git/HEAD')).toMatchObject({ exists: true });
    expect(await accepted('.gitignore', 'write')).toMatchObject({ exists: false });
    expect(await accepted('.github/workflows/a.yml', 'write')).toMatchObject({ exists: false });
  });

  test("Daybook's home is off limits even inside the workspace, and through a link", async () => {
    const { workspace } = setUp();
    const home = join(workspace, 'state');
    mkdirSync(home);
    symlinkSync('state', join(workspace, 'alias'));
    for (const path of ['state', 'state/daemon.token', 'alias/daemon.token', 'STATE/../state/x']) {
      expect(await confine({ workspace, home }, path, 'read')).toMatchObject({ ok: false });
    }
    expect(await confine({ workspace, home }, 'state2', 'read')).toMatchObject({ ok: true });
  });

  test('process files of the system stay closed when the workspace is the whole disk', async () => {
    const { home } = setUp();
    const found = await confine({ workspace: '/', home }, 'proc/self/environ', 'read');
    expect(found).toMatchObject({ ok: false });
  });

  test('a workspace that is missing or a file is said to be so', async () => {
    const { home, workspace, put } = setUp();
    put('file', '');
    for (const name of ['gone', 'file']) {
      const found = await confine({ workspace: join(workspace, name), home }, 'x', 'read');
      expect(found).toEqual({ ok: false, reason: 'The workspace does not exist or is not a directory.' });
    }
  });
});

describe('after the check', () => {
  test('a file that became a link is not opened', async () => {
    const { outside, workspace, put, accepted } = setUp();
    put('f', 'mine');
    writeFileSync(join(outside, 'secret'), 's');
    const found = await accepted('f');
    rmSync(join(workspace, 'f'));
    symlinkSync(join(outside, 'secret'), join(workspace, 'f'));
    await expect(openFile(found.absolute)).rejects.toThrow(ConfinementError);
  });

  test('a parent that became a link to a like-named file outside is noticed', async () => {
    const { outside, workspace, put, accepted } = setUp();
    put('d/f', 'mine');
    mkdirSync(join(outside, 'other'));
    writeFileSync(join(outside, 'other/f'), 'secret');
    const file = await accepted('d/f');
    const directory = await accepted('d');
    renameSync(join(workspace, 'd'), join(workspace, 'moved'));
    symlinkSync(join(outside, 'other'), join(workspace, 'd'));
    await expect(openFile(file.absolute)).rejects.toThrow('replaced');
    await expect(openDirectory(directory.absolute)).rejects.toThrow();
  });
});

test('property: whatever the path, what is accepted is really inside and not forbidden', async () => {
  const { outside, workspace, put, place } = setUp();
  put('a/b/file', 'x');
  put('.ssh/key', 'k');
  put('.git/config', 'c');
  symlinkSync(outside, join(workspace, 'out'));
  symlinkSync('..', join(workspace, 'a/up'));
  symlinkSync('../..', join(workspace, 'a/upup'));
  symlinkSync('a/b', join(workspace, 'in'));
  symlinkSync('/', join(workspace, 'root'));
  symlinkSync('.ssh', join(workspace, 'keys'));
  symlinkSync(join(outside, 'missing'), join(workspace, 'dangling'));
  const known = ['a', 'b', 'up', 'upup', 'in', 'out', 'root', 'keys', 'dangling', 'file', '.ssh', '.git', 'config'];
  const dots = ['..', '.', '', '...', 'home', 'workspace', 'etc', 'proc', '~', '\\', 'new'];
  const part = fc.oneof(fc.constantFrom(...known, ...dots), fc.string({ maxLength: 4, unit: codePoint }));
  const paths = fc.record({
    parts: fc.array(part, { minLength: 1, maxLength: 7 }),
    start: fc.constantFrom('', '/', `${workspace}/`, `${outside}/`),
    intent: fc.constantFrom<Intent>('read', 'write'),
  });
  await fc.assert(
    fc.asyncProperty(paths, async ({ parts, start, intent }) => {
      const found = await confine(place, start + parts.join('/'), intent);
      if (!found.ok) {
        expect(found.reason).not.toMatch(/undefined|Error/);
        return;
      }
      expect(isInside(workspace, found.absolute)).toBe(true);
      expect(isInside(workspace, realpathSync(found.exists ? found.absolute : found.parent))).toBe(true);
      if (found.exists) expect(realpathSync(found.absolute)).toBe(found.absolute);
      const names = found.absolute.split(sep);
      for (const name of ['..', '.ssh', ...(intent === 'write' ? ['.git'] : [])]) expect(names).not.toContain(name);
    }),
    { numRuns: 400 },
  );
});
