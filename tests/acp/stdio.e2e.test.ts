/** `daybook acp` over stdio: sessions, prompts, permissions, cancelling, and the files and terminal of the editor. */
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { methods, PROTOCOL_VERSION } from '@agentclientprotocol/sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { callsTool, hangs, refuses, says } from '../fakes/providers/server.ts';
import { ended, listed } from '../run/approval-support.ts';
import { sharedBench } from '../run/support.ts';
import { temporaryFolder } from '../support/folders.ts';
import { until } from '../support/until.ts';
import { type Editor, openEditor } from './editor.ts';

const on = sharedBench();
let editor: Editor;
beforeAll(async () => {
  editor = await openEditor({ home: on.daemon.home });
});
beforeEach(() => editor.forget());
afterAll(() => editor.close());

const file = (name: string): string => join(on.daemon.workspace, name);

describe('a session', () => {
  it('says what it can do, and is a run of the daemon under the same id', async () => {
    const again = await editor.agent.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION });
    expect(again).toMatchObject({
      protocolVersion: 1,
      agentInfo: { name: 'daybook' },
      agentCapabilities: { loadSession: true },
    });
    const sessionId = await editor.newSession(on.daemon.workspace);
    on.provider.script(says('Hello ', 'editor.'));
    expect(await editor.prompt(sessionId, 'greet')).toEqual({ stopReason: 'end_turn' });
    expect(editor.text()).toBe('Hello editor.');
    expect(await on.job(sessionId)).toMatchObject({
      task: 'greet',
      status: 'complete',
      workspace: on.daemon.workspace,
    });
  });
  it('takes further prompts as the same run, one at a time', async () => {
    const sessionId = await editor.newSession(on.daemon.workspace);
    on.provider.script(says('first'), says('second'));
    await editor.prompt(sessionId, 'one');
    const both = await Promise.allSettled([editor.prompt(sessionId, 'two'), editor.prompt(sessionId, 'three')]);
    expect(both.map((each) => each.status)).toEqual(['fulfilled', 'rejected']);
    expect(JSON.stringify(on.provider.requests.at(-1)!.body.messages)).toContain('one');
    expect(await on.job(sessionId)).toMatchObject({ task: 'one', summary: 'second' });
  });
  it('can be loaded by another editor, which sees what was said and done', async () => {
    const first = await openEditor({ home: on.daemon.home });
    const sessionId = await first.newSession(on.daemon.workspace);
    writeFileSync(file('seen.txt'), 'content of the file');
    on.provider.script(callsTool({ name: 'read_file', input: { path: 'seen.txt' } }), says('I saw it.'));
    await first.prompt(sessionId, 'look');
    await first.close();
    await editor.agent.request(methods.agent.session.load, { sessionId, cwd: on.daemon.workspace, mcpServers: [] });
    const kinds = editor.updates.map((update) => update.sessionUpdate);
    expect(kinds).toEqual(['user_message_chunk', 'tool_call', 'tool_call_update', 'agent_message_chunk']);
    expect(editor.updates[2]).toMatchObject({
      status: 'completed',
      content: [{ content: { text: 'content of the file' } }],
    });
    on.provider.script(says('Still here.'));
    await editor.prompt(sessionId, 'and now?');
    expect(editor.text()).toBe('I saw it.Still here.');
  });
  it.each([
    [
      'load of an unknown session',
      methods.agent.session.load,
      { sessionId: 'f'.repeat(32), cwd: '/tmp', mcpServers: [] },
    ],
    ['load of a strange id', methods.agent.session.load, { sessionId: '../x', cwd: '/tmp', mcpServers: [] }],
    [
      'a prompt to an unknown session',
      methods.agent.session.prompt,
      { sessionId: 'none', prompt: [{ type: 'text', text: 'x' }] },
    ],
    ['a folder that is not absolute', methods.agent.session.new, { cwd: 'here', mcpServers: [] }],
    ['a folder that does not exist', methods.agent.session.new, { cwd: '/nowhere/at/all', mcpServers: [] }],
  ])('%s is an error', async (_name, method, params) => {
    await expect(editor.agent.request(method as string, params)).rejects.toThrow();
  });
  it('refuses what it did not offer: images, nothing at all, unknown modes', async () => {
    const sessionId = await editor.newSession(on.daemon.workspace);
    const image = { type: 'image', data: 'aGk=', mimeType: 'image/png' } as const;
    await expect(editor.agent.request(methods.agent.session.prompt, { sessionId, prompt: [image] })).rejects.toThrow();
    await expect(editor.prompt(sessionId, '  ')).rejects.toThrow();
    await expect(editor.agent.request(methods.agent.session.setMode, { sessionId, modeId: 'wild' })).rejects.toThrow();
  });
  it('takes links and embedded files as text', async () => {
    const sessionId = await editor.newSession(on.daemon.workspace);
    on.provider.script(says('ok'));
    const link = { type: 'resource_link', name: 'a.ts', uri: 'file:///a.ts' } as const;
    const resource = { type: 'resource', resource: { uri: 'file:///b.ts', text: 'let b' } } as const;
    await editor.agent.request(methods.agent.session.prompt, { sessionId, prompt: [link, resource] });
    expect((await on.job(sessionId)).task).toMatch(/\[a\.ts\]\(file:\/\/\/a\.ts\)[\s\S]*file:\/\/\/b\.ts[\s\S]*let b/);
  });
});

it('sessions of the daemon are listed by folder, resumed without being shown, and closed', async () => {
  const sessionId = await editor.newSession(on.daemon.workspace);
  on.provider.script(says('one'), says('two'));
  await editor.prompt(sessionId, 'listed');
  const { cwd } = { cwd: on.daemon.workspace };
  for (const folder of [cwd, `${cwd}/`]) {
    const list = await editor.agent.request(methods.agent.session.list, { cwd: folder });
    expect(list.sessions[0]).toMatchObject({ sessionId, cwd, title: 'listed' });
  }
  const unknown = editor.agent.request(methods.agent.session.list, { cursor: 'none' });
  await expect(unknown).rejects.toMatchObject({ code: -32602, data: { cursor: 'must come from an earlier list' } });
  expect((await editor.agent.request(methods.agent.session.list, { cwd: '/elsewhere' })).sessions).toEqual([]);
  editor.forget();
  await editor.agent.request(methods.agent.session.resume, { sessionId, cwd });
  expect(editor.updates).toEqual([]);
  expect(await editor.prompt(sessionId, 'again')).toEqual({ stopReason: 'end_turn' });
  await editor.agent.request(methods.agent.session.close, { sessionId });
  await expect(editor.prompt(sessionId, 'closed')).rejects.toThrow();
});

describe('how a prompt ends', () => {
  it('with the plan shown, and the steps that are left named', async () => {
    const sessionId = await editor.newSession(on.daemon.workspace);
    const steps = [
      { description: 'one', status: 'done' },
      { description: 'two', status: 'pending' },
    ];
    on.provider.script(callsTool({ name: 'update_plan', input: { steps } }), says('I stop.'));
    expect(await editor.prompt(sessionId, 'plan')).toEqual({ stopReason: 'end_turn' });
    expect(editor.updates).toContainEqual({
      sessionUpdate: 'plan',
      entries: [
        { content: 'one', priority: 'medium', status: 'completed' },
        { content: 'two', priority: 'medium', status: 'pending' },
      ],
    });
    expect(editor.text()).toContain('two');
  });
  it('with an error when the run fails', async () => {
    const sessionId = await editor.newSession(on.daemon.workspace);
    on.provider.script(refuses(400, 'the model is out'));
    await expect(editor.prompt(sessionId, 'x')).rejects.toThrow('the model is out');
  });
  it('cancelled: the run and its model call end, and the session accepts the next prompt', async () => {
    const sessionId = await editor.newSession(on.daemon.workspace);
    on.provider.script(hangs('working'));
    const under = editor.prompt(sessionId, 'long');
    await until(async () => editor.text() || undefined);
    await editor.agent.notify(methods.agent.session.cancel, { sessionId });
    expect(await under).toEqual({ stopReason: 'cancelled' });
    expect((await on.job(sessionId)).status).toBe('cancelled');
    await on.provider.requests.at(-1)!.abandoned;
    on.provider.script(says('again'));
    expect(await editor.prompt(sessionId, 'more')).toEqual({ stopReason: 'end_turn' });
  });
  it.each(['SIGTERM', 'SIGINT'] as const)('with the editor: %s cancels what runs, in good order', async (signal) => {
    const leaving = await openEditor({ home: on.daemon.home });
    const sessionId = await leaving.newSession(on.daemon.workspace);
    on.provider.script(hangs('working'));
    const under = leaving.prompt(sessionId, 'long').catch(() => 'gone');
    await until(async () => leaving.text() || undefined);
    const exit = once(leaving.child, 'exit');
    leaving.child.kill(signal);
    expect(await exit).toEqual([0, null]);
    await under;
    expect((await on.job(sessionId)).status).toBe('cancelled');
  });
  it('with the editor: closing its pipe cancels what runs and ends the program', async () => {
    const leaving = await openEditor({ home: on.daemon.home });
    const sessionId = await leaving.newSession(on.daemon.workspace);
    on.provider.script(hangs('working'));
    const under = leaving.prompt(sessionId, 'long').catch(() => 'gone');
    await until(async () => leaving.text() || undefined);
    expect(await leaving.close()).toBe(0);
    await under;
    expect((await ended(on, sessionId)).status).toBe('cancelled');
    expect(leaving.stderr()).toBe('');
  });
});

describe('permission', () => {
  const write = (name: string) => callsTool({ name: 'write_file', input: { path: name, content: 'x' } });

  it('is asked for what the policy gates, and given once or until the run ends', async () => {
    const sessionId = await editor.newSession(on.daemon.workspace);
    const answers = ['allow_once', 'allow_run'];
    editor.decide = () => answers.shift() ?? 'deny';
    on.provider.script(write('p1.txt'), write('p2.txt'), write('p3.txt'), says('done'));
    await editor.prompt(sessionId, 'write');
    expect(editor.permissions).toHaveLength(2);
    expect(editor.permissions[0]).toMatchObject({
      sessionId,
      toolCall: {
        toolCallId: 'step-1',
        kind: 'edit',
        title: 'write_file p1.txt',
        locations: [{ path: file('p1.txt') }],
      },
      options: [{ kind: 'allow_once' }, { kind: 'allow_always' }, { kind: 'reject_once' }],
    });
    expect(['p1.txt', 'p2.txt', 'p3.txt'].map((name) => existsSync(file(name)))).toEqual([true, true, true]);
    const first = editor.toolUpdates().filter((update) => (update as { toolCallId: string }).toolCallId === 'step-1');
    expect(first.map((update) => (update as { status?: string }).status)).toEqual([
      'pending',
      'in_progress',
      'completed',
    ]);
  });
  it('names the file where it is, also when the model gave its whole path', async () => {
    const sessionId = await editor.newSession(on.daemon.workspace);
    on.provider.script(
      callsTool({ name: 'write_file', input: { path: file('whole.txt'), content: 'w' } }),
      says('written'),
    );
    expect(await editor.prompt(sessionId, 'write it')).toEqual({ stopReason: 'end_turn' });
    expect(editor.permissions).toMatchObject([
      {
        toolCall: {
          locations: [{ path: file('whole.txt') }],
          content: [{ type: 'diff', path: file('whole.txt'), newText: 'w' }],
        },
      },
    ]);
    expect(existsSync(file('whole.txt'))).toBe(true);
  });
  it('denied: the tool does not run and the model gets the reason', async () => {
    const sessionId = await editor.newSession(on.daemon.workspace);
    editor.decide = () => 'deny';
    on.provider.script(write('p4.txt'), says('then not'));
    expect(await editor.prompt(sessionId, 'write')).toEqual({ stopReason: 'end_turn' });
    expect(existsSync(file('p4.txt'))).toBe(false);
    expect(editor.toolUpdates().at(-1)).toMatchObject({ toolCallId: 'step-1', status: 'failed' });
  });
  it('is not asked in a mode that allows it', async () => {
    const sessionId = await editor.newSession(on.daemon.workspace);
    await editor.agent.request(methods.agent.session.setMode, { sessionId, modeId: 'auto-edit' });
    on.provider.script(write('p5.txt'), says('done'));
    await editor.prompt(sessionId, 'write');
    expect(editor.permissions).toEqual([]);
    expect((await on.job(sessionId)).approval).toBe('auto-edit');
  });
  it('given elsewhere meanwhile ends the question', async () => {
    const sessionId = await editor.newSession(on.daemon.workspace);
    editor.decide = () => new Promise(() => undefined);
    on.provider.script(write('p6.txt'), says('done'));
    const under = editor.prompt(sessionId, 'write');
    const [asked] = await until(async () => {
      const found = await listed(on, `?session_id=${sessionId}`);
      return editor.permissions.length > 0 ? found : undefined;
    });
    await on.daemon.request(`/approvals/${asked!.id}`, { method: 'POST', body: '{"decision":"allow_once"}' });
    expect(await under).toEqual({ stopReason: 'end_turn' });
  });
  it('answered by cancelling cancels the prompt', async () => {
    const sessionId = await editor.newSession(on.daemon.workspace);
    editor.decide = () => 'cancelled';
    on.provider.script(write('p7.txt'));
    expect(await editor.prompt(sessionId, 'write')).toEqual({ stopReason: 'cancelled' });
    expect(await listed(on, `?session_id=${sessionId}`)).toMatchObject([{ status: 'cancelled' }]);
  });
});

describe('without a daemon', () => {
  const fake = () => ({
    OPENAI_API_KEY: 'sk-fake',
    OPENAI_BASE_URL: on.provider.url,
    DAYBOOK_PROVIDER: 'openai',
    DAYBOOK_MODEL: 'fake-model',
  });
  it('two editors that open at once share one, and the one that is left continues with another', async () => {
    const home = temporaryFolder('acp-home');
    const [one, two] = await Promise.all([openEditor({ home, env: fake() }), openEditor({ home, env: fake() })]);
    const sessions = [await one.newSession(on.daemon.workspace), await two.newSession(on.daemon.workspace)] as const;
    for (const [index, of] of [one, two].entries()) {
      on.provider.script(says('shared'));
      expect(await of.prompt(sessions[index]!, 'hi')).toEqual({ stopReason: 'end_turn' });
    }
    const url = () => (JSON.parse(readFileSync(join(home, 'daemon.json'), 'utf8')) as { url: string }).url;
    const shared = url();
    // The daemon is one of the two’s; whichever it is, the other has to do without it or keeps it.
    expect(await one.close()).toBe(0);
    on.provider.script(says('still'));
    expect(await two.prompt(sessions[1], 'and now?')).toEqual({ stopReason: 'end_turn' });
    const third = await openEditor({ home, env: fake() });
    expect(await two.close()).toBe(0);
    on.provider.script(says('here'));
    expect(await third.prompt(await third.newSession(on.daemon.workspace), 'and now?')).toEqual({
      stopReason: 'end_turn',
    });
    expect(url()).not.toBe(shared);
    expect(await third.close()).toBe(0);
    for (const name of ['daemon.json', 'daemon.token']) expect(existsSync(join(home, name))).toBe(false);
  });
});
