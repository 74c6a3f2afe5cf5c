/** A start that cannot be: one sentence on stderr, an exit code, and nothing left behind. */
import { existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/folders.ts';
import { cli } from './support.ts';

const place = temporaryFolder('start');
const start = (home: string) => cli(['serve', '--port', '0', '--storage-ops-port', 'off'], { home, cwd: place });

// These said `EEXIST: file already exists, mkdir '…'` and `ENOENT: no such file or directory, stat '…'`.
it.each([
  ['a file', (path: string) => writeFileSync(path, 'x')],
  ['a link to nowhere', (path: string) => symlinkSync(join(place, 'nowhere'), path)],
  ['a folder that cannot be made', () => undefined],
])('a home that is %s', async (name, make) => {
  const home = name.endsWith('made') ? '/proc/daybook' : join(place, name);
  make(home);
  expect(await start(home)).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^daybook: The home \S.* is no folder and cannot be made one \(\w+\); set DAYBOOK_HOME/,
    ),
  });
});

it('wrong settings start nothing: exit code 2, a line a fault', async () => {
  const home = temporaryFolder('settings');
  writeFileSync(join(home, 'config.json'), '{"runs_max": null, "rate_public": "many"}');
  expect(await start(home)).toEqual({
    code: 2,
    stdout: '',
    stderr: [
      `daybook: rate_public in ${home}/config.json: must be a whole number from 1 to 1000000000`,
      `runs_max in ${home}/config.json: must be a whole number from 1 to 64`,
      '',
    ].join('\n'),
  });
  expect(existsSync(join(home, 'data'))).toBe(false);
});
