/** The program when a standard stream is not what it expects: a closed pipe, a full disk, a folder. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { childDaemon } from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';
import { PROGRAM } from '../support/program.ts';

// `npm start 2>&1 | head -2`, and the first peer of a room that sent nonsense ended the daemon as it stood.
it('a daemon keeps running after the reader of its standard error has ended', async () => {
  const daemon = await childDaemon();
  daemon.process.stderr!.destroy();
  for (const room of ['one', 'two']) {
    const peer = new WebSocket(`${daemon.url.replace('http', 'ws')}/ws/collab/${room}?token=${daemon.token}`);
    await once(peer, 'open');
    // Of this the daemon says a line.
    peer.send(Buffer.from([0, 2, 255, 255, 255]));
    await expect.poll(async () => (await daemon.request(`/collab/rooms/${room}/peers`)).status).toBe(200);
    peer.close();
    await once(peer, 'close');
  }
  expect((await daemon.request('/health')).status).toBe(200);
  expect(await daemon.kill('SIGTERM')).toBe(0);
});

/** The exit code and standard error of `daybook … <redirection>` in a shell. */
async function inShell(words: string, redirection: string) {
  const command = `'${process.execPath}' '${PROGRAM}' ${words} ${redirection}`;
  const env = { PATH: process.env.PATH, DAYBOOK_HOME: temporaryFolder('home') };
  const shell = spawn('bash', ['-c', `set -o pipefail; ${command}`], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  shell.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [code] = (await once(shell, 'close')) as [number | null];
  return { code, stderr };
}

it('standard output without a reader is no failure', async () => {
  expect(await inShell('help log', '| head -0')).toEqual({ code: 0, stderr: '' });
});

it('a check that failed without a reader of its report is a failure', async () => {
  const home = temporaryFolder('home');
  writeFileSync(join(home, 'config.json'), '{');
  expect(await inShell(`doctor --json --home '${home}'`, '| head -0')).toEqual({ code: 1, stderr: '' });
});

// It was an exception with its stack.
it.skipIf(process.platform !== 'linux')('standard output on a full disk is one sentence and exit code 1', async () => {
  const { code, stderr } = await inShell('help log', '> /dev/full');
  expect(stderr).toMatch(/^daybook: Standard output cannot be written: .*ENOSPC.*\n$/);
  expect(code).toBe(1);
});

// Node reads a folder as an empty file: the text of the room was replaced by nothing.
it.skipIf(process.platform === 'win32')('a folder as standard input is refused', async () => {
  const stderr = 'daybook: Standard input is a folder; a file is expected.\n';
  expect(await inShell('room write standup', '< /')).toEqual({ code: 2, stderr });
});

it.skipIf(process.platform !== 'linux')('a full disk under standard error changes no exit code', async () => {
  expect(await inShell('nonsense', '2> /dev/full')).toEqual({ code: 2, stderr: '' });
});
