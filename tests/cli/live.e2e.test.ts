/** `daybook approvals`, `chat`, `room` and `top` on a real daemon. */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { createClient } from '../../src/client/client.ts';
import { connectRoom } from '../../src/client/yjs.ts';
import { daemonHere, sharedDaemon } from '../support/daemon.ts';
import { hasTerminal, startOnTerminal } from '../support/terminal.ts';
import { cli, cliHere, jsonLines, startCli } from './support.ts';

const daemon = sharedDaemon();

async function daybook(words: readonly string[], input: string | Uint8Array = '') {
  const { home, workspace } = daemon;
  return cliHere(words, { home, cwd: workspace, input });
}

interface Figures {
  readonly uptime_seconds: number;
}

/** In a process whose clock is set back by an hour at each reading. */
function underFallingClock(words: readonly string[]) {
  const { home, workspace } = daemon;
  const script = 'let time = Date.now(); Date.now = () => (time -= 3_600_000);';
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(script)}`;
  return cli(words, { home, cwd: workspace, env: { NODE_OPTIONS } });
}

/** A run that waits for an answer. */
async function waitingRun(name: string): Promise<string> {
  const words = ['run', `rehearse: write ${name} x`, '--interactive', '--approval', 'suggest', '--detach'];
  const session = (await daybook(words)).stdout.trim();
  await expect.poll(async () => (await daybook(['approvals'])).stdout).toContain(session.slice(0, 12));
  return session;
}

test('approvals are listed and answered by the beginning of their id', async () => {
  expect((await daybook(['approvals'])).stdout).toBe('Nothing waits for an answer.\n');
  const session = await waitingRun('a.txt');
  const { stdout } = await daybook(['approvals']);
  expect(stdout).toMatch(
    /^ID +STATUS +RUN +EXPIRES IN +TOOL +INPUT\napr-\w{16}-1 +pending +\w{12} +10 min +write_file +\{"content"/,
  );
  const id = /apr-\w+-\d+/.exec(stdout)![0];
  // Completed, the beginning of an id would answer whatever approval of the run waits by then.
  expect((await daybook(['completion', '--ids', 'approvals'])).stdout).toBe(`${id}\twrite_file\n`);
  expect((await daybook(['approvals', 'answer', 'apr-zz', 'deny'])).stderr).toContain("no waiting approval 'apr-zz'");
  expect((await daybook(['approvals', 'answer', id, 'allow'])).code).toBe(2);
  const answered = await daybook(['approvals', 'answer', id, 'allow-once']);
  expect(answered.stdout).toBe(`write_file of run ${session.slice(0, 12)}: allowed\n`);
  await expect.poll(() => existsSync(join(daemon.workspace, 'a.txt'))).toBe(true);
  const [decided] = JSON.parse((await daybook(['approvals', '--all', '--json'])).stdout).approvals;
  const late = await daybook(['approvals', 'answer', decided.id, 'deny']);
  expect([late.code, late.stderr]).toEqual([1, expect.stringContaining('already')]);
});

test('watch prints what waits, then each change, until it is interrupted', async () => {
  const session = await waitingRun('b.txt');
  const { home } = daemon;
  const watching = startCli(['approvals', 'watch', '--json'], { home });
  await watching.says('"pending"');
  const [{ id }] = jsonLines<{ id: string }>(watching.stdout()) as [{ id: string }];
  await daybook(['approvals', 'answer', id, 'deny', '--reason', 'Not there']);
  await watching.says('"denied"');
  watching.process.kill('SIGINT');
  const { code, stdout } = await watching.ended;
  expect(code).toBe(0);
  expect(jsonLines(stdout)).toMatchObject([
    { id, status: 'pending', session_id: session },
    { id, status: 'denied', reason: 'Not there' },
  ]);
});

test('chat answers a message, and standard input; --json has the pieces', async () => {
  const { code, stdout } = await daybook(['chat', 'Hello']);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/You wrote: “Hello”.*\n$/)]);
  const pieces = jsonLines<{ type: string; content?: string }>(
    (await daybook(['chat', '-', '--json'], 'From a pipe')).stdout,
  );
  expect(pieces.map(({ content }) => content ?? '').join('')).toContain('You wrote: “From a pipe”');
  expect(pieces.at(-1)).toEqual({ type: 'complete' });
  expect((await daybook(['chat'])).stderr).toBe('daybook: Give a message, or - to read it from standard input.\n');
  expect((await daybook(['chat', '-'], ' \n')).code).toBe(2);
});

test('chat says when another model answers than the one that was asked for', async () => {
  const asked = async (provider: string) =>
    (await daybook(['chat', 'x', '--provider', provider, '--model', 'm'])).stderr;
  expect(await asked('nobody')).toBe(
    'daybook: the daemon cannot ask nobody/m; its own model answers instead. See daybook doctor.\n',
  );
  expect(await asked('Rehearsal')).toBe('');
});

test('a room is written, read, and followed while somebody else writes', async () => {
  expect((await daybook(['room', 'write', 'standup'], 'one\ntwo 🎈\n')).stdout).toBe(
    'standup: text: 11 characters, 11 added, 0 removed\n',
  );
  const changed = await daybook(['room', 'write', 'standup', '--json'], 'one\ntwo 🎉\n');
  expect(JSON.parse(changed.stdout)).toMatchObject({ added: 2, removed: 2 });
  await daybook(['room', 'write', 'standup', '--append'], 'three\n');
  expect((await daybook(['room', 'show', 'stand'])).stdout).toBe('one\ntwo 🎉\nthree\n');
  // The text without its carriage returns, written again, replaced the changes of others.
  await daybook(['room', 'write', 'windows'], 'one\r\ntwo\r\n');
  expect((await daybook(['room', 'show', 'windows'])).stdout).toBe('one\r\ntwo\r\n');
  // Each byte of another encoding became a �, for everybody in the room.
  const latin = Buffer.from('café', 'latin1');
  expect(await daybook(['room', 'write', 'standup'], latin)).toEqual({
    code: 1,
    stdout: '',
    stderr: 'daybook: Standard input has bytes that are not UTF-8.\n',
  });
  // It reported the characters as added, with exit code 0, and the room did not have them.
  expect(await daybook(['room', 'write', 'standup', '--append'], 'x'.repeat(2_200_000))).toEqual({
    code: 1,
    stdout: '',
    stderr: 'daybook: This text is full: it has 2 MiB at most. The last change was not kept.\n',
  });
  expect((await daybook(['room', 'show', 'standup'])).stdout).toBe('one\ntwo 🎉\nthree\n');
  expect((await daybook(['room', 'show', 'standpu'])).stderr).toContain("Did you mean 'standup'?");
  expect((await daybook(['room', 'list', '--all'])).stdout).toBe(
    'ROOM     STATE   PEERS\nstandup  closed\nwindows  closed\n',
  );

  const following = startCli(['room', 'show', 'standup', '--follow', '--json'], { home: daemon.home });
  await following.says('three');
  const doc = new Y.Doc();
  const client = createClient({ url: daemon.url, token: daemon.token });
  const ann = connectRoom(client, 'standup', { Y, doc, name: 'ann' });
  await ann.synced;
  doc.getText('text').insert(0, 'zero\n');
  await following.says('zero');
  expect((await daybook(['room', 'list'])).stdout).toMatch(/standup +open +.*ann/);
  following.process.kill('SIGINT');
  const last = jsonLines<object>((await following.ended).stdout).at(-1);
  // It ended when the change was sent: the updates of a room with peers wait for 200 ms until they are recorded.
  await daybook(['room', 'write', 'standup', '--append'], 'four\n');
  const { events } = await client.log.list({ query: { stream: 'room_text-standup' } });
  const recorded = new Y.Doc();
  for (const { data } of events) Y.applyUpdate(recorded, Buffer.from(String(Object.values(data ?? {})[0]), 'base64'));
  expect(recorded.getText('text').toString()).toBe('zero\none\ntwo 🎉\nthree\nfour\n');
  ann.close();
  expect(last).toEqual({ room_id: 'standup', peers: ['ann'], texts: { text: 'zero\none\ntwo 🎉\nthree\n' } });
});

// It was shown as empty. Writing put characters between the paragraphs, or left some of the old text behind a picture.
test('content of an editor in a room is named and not written over', async () => {
  const doc = new Y.Doc();
  const ann = connectRoom(createClient({ url: daemon.url, token: daemon.token }), 'board', { Y, doc, name: 'ann' });
  await ann.synced;
  doc.getXmlFragment('page').insert(0, [new Y.XmlElement('paragraph')]);
  doc.getMap('state').set('title', 'Board');
  doc.getText('text').insert(0, 'seen: it');
  doc.getText('text').insertEmbed(5, { image: 'plan.png' });
  const shown = ['page', 'state', 'text'].map(
    (name) => `daybook: ${name} has content of an editor that is not shown.\n`,
  );
  await expect.poll(async () => (await daybook(['room', 'show', 'board'])).stderr).toBe(shown.join(''));
  for (const name of ['page', 'state', 'text']) {
    expect(await daybook(['room', 'write', 'board', '--text', name], 'it\n')).toEqual({
      code: 1,
      stdout: '',
      stderr: `daybook: ${name} has content of an editor besides text; it is not changed.\n`,
    });
  }
  const { stdout } = await daybook(['room', 'show', 'board', '--json']);
  ann.close();
  expect(JSON.parse(stdout)).toMatchObject({ texts: { text: 'seen: it' } });
});

test('a room that the rate limit keeps a command from says so', async () => {
  const limited = await daemonHere({ env: { DAYBOOK_RATE_PUBLIC: '1' } });
  await fetch(`${limited.url}/health`);
  const writing = startCli(['room', 'write', 'standup'], { home: limited.home });
  writing.process.stdin.end('one');
  const [said] = (await once(writing.process.stderr, 'data')) as [string];
  expect(said).toBe('daybook: the rate limit of the daemon is reached; waiting for it.\n');
  writing.process.kill('SIGKILL');
  await writing.ended;
});

test('top shows the runs that go on, and prints a line of figures for each refresh', async () => {
  const { stdout: session } = await daybook(['run', 'rehearse: slow 1000', '--detach']);
  const { stdout } = await daybook(['top']);
  expect(stdout).toMatch(/^daybook \S+ · up .*\n\nevents +\d+\nlatency +\d+\.\d ms · median/);
  expect(stdout).toMatch(new RegExp(`\\n${session.slice(0, 12)} +(running|queued) +.* rehearse: slow 1000\\n`));
  const lines = jsonLines<Figures>(
    (await underFallingClock(['top', '--json', '--count', '2', '--interval', '1'])).stdout,
  );
  for (const { uptime_seconds } of lines) expect(uptime_seconds).toBeGreaterThanOrEqual(0);
  expect(lines).toMatchObject([
    { status: 'ok', running: expect.any(Number), events_per_second: null, store: { backend: 'cow' } },
    { status: 'ok', views_behind: 0, events_per_second: expect.any(Number), latency_ms: expect.any(Number) },
  ]);
  await daybook(['jobs', 'cancel', session.trim()]);
});

test('top every second asks little, so that it stays below the limits of requests', async () => {
  const limited = await daemonHere({ env: { DAYBOOK_RATE_AUTHENTICATED: '6', DAYBOOK_RATE_PUBLIC: '1' } });
  const { home, workspace } = limited;
  const { stdout, stderr } = await cliHere(['top', '--json', '--count', '4', '--interval', '1'], {
    home,
    cwd: workspace,
  });
  const lines = jsonLines(stdout);
  expect([lines.length, stderr]).toEqual([4, '']);
  expect(lines.every((line) => !('error' in (line as object)))).toBe(true);
});

describe.skipIf(!hasTerminal)('on a terminal', () => {
  const start = (...words: string[]) => {
    const { home, workspace } = daemon;
    return startOnTerminal(words, { cwd: workspace, env: { HOME: home, DAYBOOK_HOME: home } });
  };
  const says = async (terminal: ReturnType<typeof start>, text: string) =>
    expect.poll(terminal.shown, { timeout: 20_000 }).toContain(text);

  test('a conversation has turns; Ctrl-C ends an answer, Ctrl-D the conversation', async () => {
    const terminal = start('chat');
    await says(terminal, 'you > ');
    terminal.type('rehearse: slow 1000\r');
    await says(terminal, 'Slowly, 2 of 1000.');
    terminal.type('\u0003');
    await says(terminal, '— interrupted');
    terminal.type('And now?\r');
    await says(terminal, 'You wrote: “And now?”');
    terminal.type('A line that is pasted,\rand another.\r');
    await says(terminal, 'and another.”');
    terminal.type('\u0004');
    expect(await terminal.ended).toBe(0);
  });

  // What was typed before the question allowed a call that nobody had seen.
  test('watch asks about what waits, and sends the answer', async () => {
    const terminal = start('approvals', 'watch');
    await says(terminal, 'Nothing waits for an answer');
    terminal.type('y\ry');
    const session = await waitingRun('c.txt');
    await says(terminal, 'Run it?');
    terminal.type('n\r');
    const denied = expect.objectContaining({ session_id: session, status: 'denied' });
    await expect
      .poll(async () => JSON.parse((await daybook(['approvals', '--all', '--json'])).stdout).approvals)
      .toContainEqual(denied);
    terminal.type('\u0003');
    expect(await terminal.ended).toBe(0);
  });

  test('top has a screen of its own; its last picture stays on the terminal', async () => {
    const terminal = start('top');
    await says(terminal, 'No run is going on.');
    terminal.type('\u0003');
    expect(await terminal.ended).toBe(0);
    expect(terminal.shown().startsWith('\u001b[?1049h')).toBe(true);
    expect(terminal.shown().split('\u001b[?1049l').at(-1)).toContain('No run is going on.');
  });
});
