/** `daybook open --json`: the address, and whether a browser was started. */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sharedDaemon } from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';
import { cliHere } from './support.ts';

const daemon = sharedDaemon();

interface Opened {
  readonly url: string;
  readonly browser_started: boolean;
}

test('--print --json is the address, and starts no browser', async () => {
  const { code, stdout, stderr } = await cliHere(['open', '--print', '--json'], { home: daemon.home });
  expect([code, stderr]).toEqual([0, '']);
  const opened = JSON.parse(stdout) as Opened;
  expect(opened).toEqual({ url: expect.stringMatching(/\/web#pair=[0-9a-f]{32}$/), browser_started: false });
  expect(opened.url.startsWith(daemon.url)).toBe(true);
});

test.skipIf(process.platform !== 'linux')('--json says that a browser was started, with the same address', async () => {
  const folder = temporaryFolder('opener');
  const seen = join(folder, 'seen');
  const opener = join(folder, 'xdg-open');
  writeFileSync(opener, `#!/bin/sh\necho "$1" > '${seen}'\n`);
  chmodSync(opener, 0o755);
  writeFileSync(seen, '');
  const { code, stdout } = await cliHere(['open', '--json'], { home: daemon.home, env: { PATH: folder } });
  const opened = JSON.parse(stdout) as Opened;
  expect([code, opened.browser_started]).toEqual([0, true]);
  await expect.poll(() => readFileSync(seen, 'utf8')).toBe(`${opened.url}\n`);
});

test.skipIf(process.platform !== 'linux')(
  'an opener that finds no browser is a failure, with the way to the address',
  async () => {
    const folder = temporaryFolder('opener');
    const opener = join(folder, 'xdg-open');
    writeFileSync(opener, '#!/bin/sh\nexit 3\n');
    chmodSync(opener, 0o755);
    expect(await cliHere(['open'], { home: daemon.home, env: { PATH: folder } })).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('daybook open --print'),
    });
  },
);

test.skipIf(process.platform !== 'linux')('an opener that is the browser itself is not waited for', async () => {
  const folder = temporaryFolder('opener');
  const browser = join(folder, 'pid');
  const opener = join(folder, 'xdg-open');
  writeFileSync(opener, `#!/bin/sh\necho $$ > '${browser}'\nexec /bin/sleep 600\n`);
  chmodSync(opener, 0o755);
  const { code, stdout } = await cliHere(['open'], { home: daemon.home, env: { PATH: folder } });
  process.kill(Number(readFileSync(browser, 'utf8')));
  expect([code, stdout]).toEqual([0, expect.stringContaining('opening in your browser')]);
});

test('without a program that opens a browser it fails, and says how to get the address', async () => {
  const env = { PATH: temporaryFolder('empty') };
  expect(await cliHere(['open', '--json'], { home: daemon.home, env })).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('daybook open --print'),
  });
});
