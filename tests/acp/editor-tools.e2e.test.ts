/** `daybook acp` with an editor that offers its files and its terminal: which tools use them, and with which limits. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { methods, type SessionUpdate } from '@agentclientprotocol/sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { callsTool, says } from '../fakes/providers/server.ts';
import { sharedBench } from '../run/support.ts';
import { until } from '../support/until.ts';
import { type Editor, openEditor } from './editor.ts';

const on = sharedBench();
let editor: Editor;
const EDITOR = { fs: { readTextFile: true, writeTextFile: true }, terminal: true };
const args = ['--approval', 'full-auto'];
beforeAll(async () => {
  editor = await openEditor({ home: on.daemon.home, capabilities: EDITOR, args });
});
beforeEach(() => editor.forget());
afterAll(() => editor.close());

const file = (name: string): string => join(on.daemon.workspace, name);

describe('the editor’s files', () => {
  it('are read and edited with what is not saved yet', async () => {
    const sessionId = await editor.newSession(on.daemon.workspace);
    writeFileSync(file('open.txt'), 'on disk\n');
    editor.unsaved.set(file('open.txt'), 'in the editor\n');
    on.provider.script(
      callsTool({ name: 'read_file', input: { path: 'open.txt' } }),
      callsTool({ name: 'edit_file', input: { path: 'open.txt', old_string: 'in the', new_string: 'from the' } }),
      callsTool({ name: 'write_file', input: { path: 'fresh.txt', content: 'new' } }),
      says('done'),
    );
    await editor.prompt(sessionId, 'edit');
    expect(editor.asked).toEqual([
      `read ${file('open.txt')}`,
      `read ${file('open.txt')}`,
      `write ${file('open.txt')}`,
      `write ${file('fresh.txt')}`,
    ]);
    expect(readFileSync(file('open.txt'), 'utf8')).toBe('from the editor\n');
    const told = on.provider.requests.at(-1)!.body.messages as { role: string; content: unknown }[];
    expect(JSON.stringify(told.filter((message) => message.role === 'tool')[0])).toContain('in the editor');
    expect(await on.job(sessionId)).toMatchObject({ files_modified: ['fresh.txt', 'open.txt'], steps_completed: 3 });
  });
  it.each([
    ['outside', '../outside.txt'],
    ['credentials', '.ssh/id'],
    ['git’s own', '.git/config'],
  ])('are kept as confined as the daemon’s: %s', async (_name, path) => {
    const sessionId = await editor.newSession(on.daemon.workspace);
    on.provider.script(callsTool({ name: 'write_file', input: { path, content: 'x' } }), says('ok'));
    await editor.prompt(sessionId, 'try');
    expect(editor.asked).toEqual([]);
    expect(editor.toolUpdates().at(-1)).toMatchObject({ status: 'failed' });
  });
  it('that the editor cannot read are a failed call', async () => {
    const sessionId = await editor.newSession(on.daemon.workspace);
    on.provider.script(callsTool({ name: 'read_file', input: { path: 'no-such.txt' } }), says('ok'));
    await editor.prompt(sessionId, 'read');
    expect(editor.toolUpdates().at(-1)).toMatchObject({ status: 'failed' });
  });
  it.each([
    ['nothing', {}, []],
    ['only reading', { fs: { readTextFile: true } }, ['read']],
    ['only writing', { fs: { writeTextFile: true } }, ['write']],
  ])('are left alone when the editor offers %s', async (_name, capabilities, used) => {
    const other = await openEditor({ home: on.daemon.home, capabilities, args });
    const sessionId = await other.newSession(on.daemon.workspace);
    writeFileSync(file('plain.txt'), 'a');
    on.provider.script(
      callsTool({ name: 'read_file', input: { path: 'plain.txt' } }),
      callsTool({ name: 'edit_file', input: { path: 'plain.txt', old_string: 'a', new_string: 'b' } }),
      callsTool({ name: 'write_file', input: { path: 'plain.txt', content: 'c' } }),
      callsTool({ name: 'bash', input: { command: 'cat plain.txt' } }),
      says('ok'),
    );
    await other.prompt(sessionId, 'all');
    await other.close();
    expect(other.asked.map((line) => line.split(' ', 1)[0])).toEqual(used);
    expect(readFileSync(file('plain.txt'), 'utf8')).toBe('c');
    expect(await on.job(sessionId)).toMatchObject({ steps_completed: 4 });
  });
  it('are given back when the session is closed before its first prompt begins', async () => {
    const sessionId = await editor.newSession(on.daemon.workspace);
    writeFileSync(file('plain.txt'), 'a');
    const prompt = editor.prompt(sessionId, 'too late');
    await editor.agent.request(methods.agent.session.close, { sessionId });
    expect(await prompt).toEqual({ stopReason: 'cancelled' });
    on.provider.script(callsTool({ name: 'read_file', input: { path: 'plain.txt' } }), says('ok'));
    await on.start({ task: 'read', session_id: sessionId, workspace_root: on.daemon.workspace });
    expect((await on.events(sessionId)).at(-1)).toMatchObject({ type: 'complete' });
    expect(editor.asked).toEqual([]);
  });
});

describe('the editor’s terminal', () => {
  it('runs commands, with their exit code, output and changed files', async () => {
    const sessionId = await editor.newSession(on.daemon.workspace);
    on.provider.script(
      callsTool({ name: 'bash', input: { command: 'echo hello; echo x > made.txt; exit 3' } }),
      says('ok'),
    );
    await editor.prompt(sessionId, 'run');
    expect(editor.asked).toEqual(['terminal echo hello; echo x > made.txt; exit 3', 'release']);
    const last = editor.toolUpdates().at(-1) as Extract<SessionUpdate, { sessionUpdate: 'tool_call_update' }>;
    expect(last.status).toBe('failed');
    expect(JSON.stringify(last.content)).toMatch(/exit code 3.*hello/);
    expect((await on.job(sessionId)).files_modified).toEqual(['made.txt']);
  });
  it('ends a command that takes too long, and one whose prompt is cancelled', async () => {
    const sessionId = await editor.newSession(on.daemon.workspace);
    on.provider.script(
      callsTool({ name: 'bash', input: { command: 'echo begun; sleep 60', timeout_seconds: 1 } }),
      says('ok'),
    );
    await editor.prompt(sessionId, 'slow');
    expect(JSON.stringify(editor.toolUpdates().at(-1))).toMatch(/ended after 1 s.*begun/);
    on.provider.script(callsTool({ name: 'bash', input: { command: 'sleep 61' } }));
    const under = editor.prompt(sessionId, 'slower');
    await until(async () => (editor.asked.includes('terminal sleep 61') ? true : undefined));
    await editor.agent.notify(methods.agent.session.cancel, { sessionId });
    expect(await under).toEqual({ stopReason: 'cancelled' });
    await until(async () => (editor.asked.filter((line) => line === 'release').length === 2 ? true : undefined));
  });
});
