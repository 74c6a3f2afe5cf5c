/** `daybook serve` and stop signals: at any moment after it reports that it listens, once or several times. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { startDaemon } from '../../src/daemon.ts';
import { readDiscovery } from '../../src/discovery.ts';
import { hangs, saysAfter } from '../fakes/providers/server.ts';
import { bench } from '../run/support.ts';
import { childDaemon, testDaemon } from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';
import { PROGRAM } from '../support/program.ts';
import { hasTerminal, startOnTerminal } from '../support/terminal.ts';
import { cli, startCli } from './support.ts';

// Found by a supervisor that stopped a daemon it had just started: the signals were listened for only when the views
// were folded, so they ended the process as they stood, the home still naming it.
it('SIGTERM right after `listening`: exit 0, the home names no daemon', async () => {
  const daemon = await childDaemon();
  expect(await daemon.kill('SIGTERM')).toBe(0);
  expect(existsSync(join(daemon.home, 'daemon.json'))).toBe(false);
  expect(existsSync(join(daemon.home, 'daemon.token'))).toBe(false);
});

// It went on folding, was ended as it stood 9 s later, and the home still named it.
it('SIGTERM while the views are folded: exit 0 without the rest of the log, the home names no daemon', async () => {
  const home = temporaryFolder('home');
  await (await testDaemon({ home })).stop();
  // Nothing can be folded as long as another program holds the file.
  const views = new Database(join(home, 'views.db'));
  views.prepare('BEGIN IMMEDIATE').run();
  const daemon = await childDaemon({ home });
  await expect.poll(async () => (await daemon.request('/v1/goals')).status).toBe(503);
  const ended = await daemon.kill('SIGTERM');
  views.close();
  expect([ended, existsSync(join(home, 'daemon.json')), existsSync(join(home, 'daemon.token'))]).toEqual([
    0,
    false,
    false,
  ]);
});

it('a start that is told to stop while it folds: it is refused with the reason, and the home is free', async () => {
  const home = temporaryFolder('home');
  await (await testDaemon({ home })).stop();
  const views = new Database(join(home, 'views.db'));
  views.prepare('BEGIN IMMEDIATE').run();
  const told = new AbortController();
  const lines: string[] = [];
  const starting = startDaemon({
    config: loadConfig({}, { home, port: 0, storage_ops_port: 'off' }, temporaryFolder('workspace')),
    env: {},
    announce: (line) => lines.push(line),
    until: told.signal,
  });
  await expect.poll(() => lines.join()).toContain('database is locked');
  told.abort(new Error('that is enough'));
  await expect(starting).rejects.toThrow('that is enough');
  views.close();
  expect(existsSync(join(home, 'daemon.json'))).toBe(false);
  await (await testDaemon({ home })).stop();
});

// The connection was cut in the middle of a sentence, as by a network that failed.
describe('a stop while a chat is answered', () => {
  const chat = (content: string) => ({
    method: 'POST',
    body: JSON.stringify({ messages: [{ role: 'user', content }] }),
  });
  const ERROR = 'Stream error: the model call was cut off';

  it('ends those that go on with their error', async () => {
    const { daemon, provider, close } = await bench();
    provider.script(hangs('Once upon'), hangs('Once upon'));
    const stream = await daemon.request('/chat/stream', chat('A long story'));
    const whole = daemon.request('/chat', chat('A long story'));
    await expect.poll(() => provider.requests.length).toBe(2);
    const [told, answer] = await Promise.all([stream.text(), whole, close()]);
    expect(told).toBe(`data: Once upon\n\nevent: error\ndata: ${ERROR}\n\n`);
    expect([answer.status, await answer.json()]).toEqual([500, { error: ERROR }]);
  });

  it('waits for one that is about to end', async () => {
    const { daemon, provider, close } = await bench();
    const { promise: told, resolve: tell } = Promise.withResolvers<void>();
    provider.script(saysAfter(told, 'The end.'));
    const stream = daemon.request('/chat/stream', chat('A short story'));
    await expect.poll(() => provider.requests.length).toBe(1);
    const closed = close();
    tell();
    expect(await (await stream).text()).toMatch(/\n\nevent: done\ndata: \n\n$/);
    await closed;
  });

  // It failed with ECONNREFUSED: the home still named the daemon, which took no connections any more.
  it('a command that comes meanwhile waits, and starts a daemon of its own', async () => {
    const daemon = await testDaemon();
    const stream = await daemon.request('/chat/stream', chat('rehearse: slow 1000'));
    const stopped = daemon.stop();
    const connects = () =>
      daemon.request('/health').then(
        () => true,
        () => false,
      );
    await expect.poll(connects).toBe(false);
    expect(await cli(['jobs'], { home: daemon.home })).toMatchObject({ code: 0, stderr: '' });
    await stopped;
    await stream.text();
  });
});

// Ctrl-C under `npm start` reaches the daemon twice: from the terminal and from npm.
it('SIGINT, and the same and another signal again and again: the stop is not cut short', async () => {
  const daemon = await childDaemon();
  await daemon.request('/health');
  const ended = daemon.kill('SIGINT');
  const again = setInterval(() => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) daemon.process.kill(signal);
  }, 2);
  expect(await ended).toBe(0);
  clearInterval(again);
  expect(existsSync(join(daemon.home, 'daemon.json'))).toBe(false);
});

// Node takes `nohup` back: the end of the terminal ended the daemon as it stood.
describe.skipIf(process.platform === 'win32')('the end of the terminal', () => {
  it.skipIf(!hasTerminal)('stops a daemon that was started on it', async () => {
    const home = temporaryFolder('home');
    const words = ['serve', '--port', '0', '--storage-ops-port', 'off'];
    const terminal = startOnTerminal(words, { env: { DAYBOOK_HOME: home } });
    await expect.poll(terminal.shown).toContain('listening');
    process.kill(readDiscovery(home)!.pid, 'SIGHUP');
    expect([await terminal.ended, existsSync(join(home, 'daemon.json'))]).toEqual([0, false]);
  });

  it('is nothing to one that has none, as under nohup', async () => {
    const daemon = await childDaemon();
    daemon.process.kill('SIGHUP');
    expect((await daemon.request('/health')).status).toBe(200);
    expect(await daemon.kill('SIGTERM')).toBe(0);
  });

  // It ended with the run, which nobody had told to stop.
  it('is nothing to a command that has none', async () => {
    const { home, workspace } = await testDaemon();
    const run = startCli(['run', 'rehearse: slow 40'], { home, cwd: workspace });
    await once(run.process.stdout!, 'data');
    run.process.kill('SIGHUP');
    expect((await run.ended).code).toBe(0);
  });
});

// `npm start & kill $!` ended npm and its shell, and left a daemon that held the home and the port.
describe.skipIf(process.platform === 'win32')('the end of the shell that a daemon runs under', () => {
  const homes: string[] = [];
  afterAll(() => {
    for (const home of homes) {
      const left = readDiscovery(home);
      if (left !== null) process.kill(left.pid, 'SIGKILL');
    }
  });
  async function orphaned(env: NodeJS.ProcessEnv, signal: 'SIGKILL' | 'SIGHUP' = 'SIGKILL'): Promise<string> {
    const home = temporaryFolder('home');
    homes.push(home);
    const all = { PATH: process.env.PATH, DAYBOOK_HOME: home, DAYBOOK_STORAGE_OPS_PORT: 'off', ...env };
    const command = `'${process.execPath}' '${PROGRAM}' serve --port 0; true`;
    const shell = spawn('sh', ['-c', command], { env: all, stdio: 'ignore' });
    await expect.poll(() => existsSync(join(home, 'daemon.json'))).toBe(true);
    // The end of a terminal is told to all its processes.
    if (signal === 'SIGHUP') process.kill(readDiscovery(home)!.pid, signal);
    shell.kill(signal);
    await once(shell, 'exit');
    return home;
  }

  it('is its own end under npm start', async () => {
    const home = await orphaned({ npm_lifecycle_event: 'start', npm_package_name: 'daybook' });
    await expect.poll(() => existsSync(join(home, 'daemon.json'))).toBe(false);
  });

  // `nohup npm start &` ended with the session, too.
  it('is nothing to one that was started otherwise, nor the end of the terminal to one without', async () => {
    const home = await orphaned({ npm_lifecycle_event: 'start', npm_package_name: 'shop' });
    const hungUp = await orphaned({ npm_lifecycle_event: 'start', npm_package_name: 'daybook' }, 'SIGHUP');
    // The other process has got the signal by this time.
    const npm = await orphaned({ npm_lifecycle_event: 'start', npm_package_name: 'daybook' });
    await expect.poll(() => existsSync(join(npm, 'daemon.json'))).toBe(false);
    expect([home, hungUp].map(readDiscovery)).not.toContain(null);
  });
});
