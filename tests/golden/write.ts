/**
 * Writes the golden files of a release: a log with at least one event of every type, made by that release's own program
 * through its public interfaces, and its read models of that log.
 *
 *     git archive <release> | tar -x -C /tmp/release && ln -s $PWD/node_modules /tmp/release/node_modules
 *     node tests/golden/write.ts /tmp/release tests/golden/<version>
 *
 * Events that no request causes within seconds (see `APPENDED`) are appended with `daybook storage append`.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startFakeOpenAi } from '../fakes/providers/openai.ts';
import { callsTool, type FakeProvider, hangs, rateLimits, refuses, says } from '../fakes/providers/server.ts';
import { converge, FILE, join as joinRoom } from '../room/client.ts';
import { APPENDED } from './appended.ts';
import { dumpTables, viewsText } from './dump.ts';

const SECRET = 'golden webhook secret';
const DIFF =
  'diff --git a/a.txt b/a.txt\nindex 5626abf..814f4a4 100644\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1,2 @@\n one\n+two\n';
const FINDINGS = JSON.stringify({
  summary: 'It adds a line.',
  findings: [{ file: 'a.txt', line: 2, severity: 'high', title: 'Off by one', detail: 'two is too many' }],
});

interface Golden {
  readonly home: string;
  readonly workspace: string;
  readonly program: string;
  readonly model: FakeProvider;
  readonly forge: { readonly url: string; readonly port: number };
}

// biome-ignore lint/suspicious/noExplicitAny: answers of many routes; a step reads the fields of its own.
type Body = any;

interface Daemon {
  readonly url: string;
  readonly token: string;
  readonly child: ChildProcess;
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Body>;
}

async function startDaemon(golden: Golden, env: NodeJS.ProcessEnv = {}): Promise<Daemon> {
  const child = spawn(process.execPath, [golden.program, 'serve', '--port', '0'], {
    cwd: golden.workspace,
    env: { ...environment(golden), ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  while (!/^listening /m.test(stderr) || !/^token /m.test(stderr)) {
    if (child.exitCode !== null) throw new Error(`The daemon ended before it listened:\n${stderr}`);
    await sleep(20);
  }
  const url = /^listening (\S+)$/m.exec(stderr)![1]!;
  const token = /^token (\S+)$/m.exec(stderr)![1]!;
  return {
    url,
    token,
    child,
    async send(method, path, body, headers = {}) {
      const init = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };
      const all = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers };
      const response = await fetch(url + path, { method, headers: all, ...init });
      const text = await response.text();
      if (!response.ok) console.error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`);
      return text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text;
    },
  };
}

function environment({ home, model, forge }: Golden): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    HOME: home,
    DAYBOOK_HOME: home,
    DAYBOOK_STORAGE_OPS_PORT: 'off',
    DAYBOOK_RATE_AUTHENTICATED: '1000000',
    DAYBOOK_RATE_PUBLIC: '1000000',
    DAYBOOK_PROVIDER: 'openai',
    DAYBOOK_MODEL: 'fake-model',
    OPENAI_API_KEY: 'sk-fake',
    OPENAI_BASE_URL: model.url,
    DAYBOOK_WEBHOOK_SECRET: SECRET,
    DAYBOOK_FORGE_HOSTS: `127.0.0.1:${forge.port}`,
    DAYBOOK_APPROVAL_TIMEOUT_SECS: '5',
    DAYBOOK_VAULT_PASSPHRASE: 'golden vault passphrase',
  };
}

async function stop({ child }: Daemon, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  const ended = new Promise((done) => child.once('exit', done));
  child.kill(signal);
  await ended;
}

/** Starts a run and waits for its end. */
async function run(on: Daemon, body: object, path = '/agent'): Promise<string> {
  const { session_id } = await on.send('POST', path, body);
  await on.send('GET', `/stream/${session_id}?after=0`);
  return session_id;
}

async function until<Value>(look: () => Promise<Value | undefined>): Promise<Value> {
  for (let tries = 0; tries < 1_500; tries += 1) {
    const found = await look();
    if (found !== undefined) return found;
    await sleep(20);
  }
  throw new Error('It did not come.');
}

function waiting(on: Daemon, session: string): Promise<{ id: string }> {
  const path = `/approvals?session_id=${session}&status=pending`;
  return until(async () => (await on.send('GET', path)).approvals[0]);
}

async function runs(on: Daemon, golden: Golden): Promise<void> {
  const { model, workspace } = golden;
  writeFileSync(join(workspace, 'a.txt'), 'alpha\n');
  const plan = (...statuses: string[]) =>
    callsTool({
      name: 'update_plan',
      input: { steps: statuses.map((status, at) => ({ description: `step ${at}`, status })) },
    });
  const reads = callsTool({ name: 'read_file', input: { path: 'a.txt' } });
  const misses = callsTool({ name: 'read_file', input: { path: 'missing.txt' } });
  model.script(plan('in_progress', 'pending'), reads, plan('done', 'done'), says('It says alpha.'));
  const first = await run(on, { task: 'What is in a.txt?', reasoning: 'high' });
  model.script(reads, says('Still alpha.'));
  await run(on, { task: 'And now?', resume_session_id: first });
  model.script(says('From the middle.'));
  await run(on, { step: 1, task: 'Another way?' }, `/jobs/${first}/fork`);
  model.script(plan('pending', 'pending'), says('So far.'));
  await run(on, { task: 'Leave something' });
  model.script(rateLimits(0), says('After a while.'));
  await run(on, { task: 'Try twice' });
  model.script(refuses(401, 'no such key'));
  await run(on, { task: 'Fail' });
  model.script(...Array.from({ length: 4 }, () => misses), says('Nothing there.'));
  await run(on, { task: 'Stumble', max_step_extensions: 0 });
  model.script(...Array.from({ length: 51 }, () => reads), says('Long.'));
  await run(on, { task: 'Go on for long', max_step_extensions: 1 });
  await interrupted(on, golden);
  await approvals(on, model);
}

async function interrupted(on: Daemon, { model, workspace }: Golden): Promise<void> {
  const cancelled = async (body: object, isUnderWay: (types: readonly string[]) => boolean): Promise<void> => {
    const { session_id } = await on.send('POST', '/agent', body);
    await until(async () => (isUnderWay(await typesOf(on, `run-${session_id}`)) ? true : undefined));
    await on.send('POST', `/jobs/${session_id}/cancel`);
    await on.send('GET', `/stream/${session_id}?after=0`);
  };
  model.script(hangs('One moment'));
  await cancelled({ task: 'Hang' }, (types) => types.includes('ModelFramesReceived'));
  model.script(callsTool({ name: 'bash', input: { command: 'echo begun > begun.txt; sleep 30' } }));
  await cancelled({ task: 'Take long', approval: 'full-auto' }, () => existsSync(join(workspace, 'begun.txt')));
  await recorded(on, 'ToolLeftChanges');
}

async function typesOf(on: Daemon, stream: string): Promise<readonly string[]> {
  const { events } = await on.send('GET', `/v1/events?stream=${encodeURIComponent(stream)}&limit=5000`);
  return (events as { type: string }[]).map(({ type }) => type);
}

async function approvals(on: Daemon, model: FakeProvider): Promise<void> {
  const writes = callsTool({ name: 'write_file', input: { path: 'b.txt', content: 'beta' } });
  for (const decision of ['allow_once', 'deny'] as const) {
    model.script(writes, says('Done.'));
    const { session_id } = await on.send('POST', '/agent', { task: `Ask: ${decision}`, interactive: true });
    const { id } = await waiting(on, session_id);
    await on.send('POST', `/approvals/${id}`, { decision, reason: 'for the record' });
    await on.send('GET', `/stream/${session_id}?after=0`);
  }
  model.script(writes, says('Nobody came.'));
  await run(on, { task: 'Ask in vain', interactive: true });
  model.script(writes);
  const { session_id } = await on.send('POST', '/agent', { task: 'Ask and leave', interactive: true });
  await waiting(on, session_id);
  await on.send('POST', `/jobs/${session_id}/cancel`);
}

async function goals(on: Daemon, { model, workspace }: Golden): Promise<void> {
  const goal = await on.send('POST', '/v1/goals', { title: 'Ship it', statement: 'All of it', workspace, tags: ['a'] });
  const child = await on.send('POST', '/v1/goals', { title: 'A part', parent_goal_id: goal.id });
  await on.send('PATCH', `/v1/goals/${child.id}`, { title: 'Another part', status: 'paused' });
  const steps = [{ description: 'Look', tool: 'read_file' }];
  model.script(says(JSON.stringify({ goal: 'Ship it', steps, estimated_files: [], risks: ['time'] })));
  await on.send('POST', `/v1/goals/${goal.id}/plan`);
  await on.send('POST', `/v1/goals/${goal.id}/link`, { kind: 'note', target_id: 'n1', note: 'see there' });
  await on.send('PUT', '/v1/goals/current', { goal_id: goal.id, workspace });
  model.script(says('Linked.'));
  await run(on, { task: 'Work toward the goal' });
  await on.send('PUT', '/v1/goals/current', { goal_id: child.id });
  await on.send('DELETE', `/v1/goals/${child.id}`);
}

async function engagements(on: Daemon): Promise<void> {
  const open = async (name: string): Promise<string> =>
    (await on.send('POST', '/engagements', { name, client: 'Acme', summary: 'Move it.' })).engagement.id;
  const id = await open('Ledger migration');
  const { deliverables } = await on.send('GET', `/engagements/${id}/deliverables`);
  const one = `/engagements/${id}/deliverables/${deliverables[0].id}`;
  await on.send('PATCH', one, { status: 'ready', owner: 'Ann', notes: 'n', reason: 'as agreed' });
  const extra = { phase: 'build', key: 'extra', title: 'Extra' };
  await on.send('POST', `/engagements/${id}/deliverables`, extra);
  await on.send('POST', `/engagements/${id}/deliverables`, { ...extra, title: 'Extra, revised' });
  const { evidence } = await on.send('POST', `${one}/evidence`, { kind: 'note', label: 'seen', reference: '' });
  await on.send('POST', `${one}/evidence`, { kind: 'url', label: 'page', reference: 'https://example.com/a' });
  await on.send('DELETE', `/engagements/${id}/evidence/${evidence.id}`);
  const rule = { phase: 'discover', title: 'Load holds', criterion: 'p99', measurement: 'Run the test.' };
  const { gate } = await on.send('POST', `/engagements/${id}/gates`, rule);
  const judge = `/engagements/${id}/gates/${gate.id}/judge`;
  await on.send('POST', judge, { verdict: 'fail', observed: '2 s', rationale: 'slow', decided_by: 'Ann' });
  await on.send('POST', judge, { verdict: 'pass', observed: '1 s', rationale: 'fast' }, { 'idempotency-key': 'judge' });
  await on.send('DELETE', `/engagements/${id}/gates/${gate.id}?reason=done`);
  await on.send('POST', `/engagements/${id}/advance`, { force: true, reason: 'now' });
  await on.send('PATCH', `/engagements/${id}`, { status: 'active', phase: 'build' });
  await on.send('DELETE', `/engagements/${await open('Short')}`);
}

/** `plant` makes the texts of two calls differ. */
async function memories(on: Daemon, plant: string): Promise<void> {
  const add = async (content: string, more: object = {}): Promise<string> =>
    (await on.send('POST', '/memory/add', { content, ...more }, { 'idempotency-key': content })).id;
  const rhubarb = await add(`The ${plant} grows behind the shed`, { tags: ['garden'], metadata: { bed: '3' } });
  const shed = await add(`The ${plant} has a green door of its own`);
  const gone = await add(`This ${plant} leaves again`);
  await on.send('POST', '/memory/pin', { id: rhubarb });
  await on.send('POST', '/memory/unpin', { id: rhubarb });
  await on.send('POST', '/memory/tunnel', { src_id: rhubarb, dst_id: shed, weight: 0.8 });
  await on.send('POST', '/memory/delete', { id: gone });
  const eats = { subject: 'Ines', predicate: `eats with ${plant}` };
  await on.send('POST', '/memory/fact', { ...eats, object: 'figs', valid_from: 10 });
  const { id } = await on.send('POST', '/memory/fact', { ...eats, object: 'kumquats', valid_from: 20 });
  await on.send('POST', '/memory/delete', { id });
  const text = `${`Marmalade is made of ${plant}. `.repeat(60)}done`;
  const chunked = { content: text, source: `${plant}.md` };
  await on.send('POST', '/memory/chunk', chunked);
  await on.send('POST', '/memory/chunk', chunked);
  await on.send('POST', '/memory/chunk', { content: `A short note about ${plant}.`, source: `${plant}-note.md` });
  const { drawers } = await on.send('GET', `/memory/drawers?source=${plant}-note.md`);
  await on.send('POST', '/memory/delete', { id: drawers[0].id });
  await on.send('POST', '/memory/context', { query: plant });
  await on.send('POST', '/memory/add', { content: `The ${plant} grows behind the shed` });
  const entry = (content: string, salience: number) => ({ content, salience, primary_sector: 'semantic', tags: ['p'] });
  const content = JSON.stringify([
    entry(`The ${plant} on the second floor needs toner`, 0.3),
    entry(`The ${plant} on the second floor needs toner again`, 0.4),
    entry(`${plant} collects stamps from Iceland`, 0.3),
    entry(`Strong ${plant} memories stay as they are`, 0.9),
    entry(`The ${plant} ferry to Gozo leaves hourly`, 0.9),
    entry(`The ${plant} contract ends in May`, 0.95),
  ]);
  await on.send('POST', '/memory/import', { content, format: 'openmemory' });
  await on.send('POST', '/memory/consolidate');
}

async function settings(on: Daemon, { workspace }: Golden): Promise<void> {
  await on.send('PUT', '/harness/profile?provider=openai&model=fake-model', { temperature: 0.5 });
  await on.send('PUT', '/harness/profile?provider=openai&model=other', { prompt_cache: false });
  await on.send('DELETE', '/harness/profile?provider=openai&model=other');
  const office = join(workspace, 'soffice');
  writeFileSync(office, '#!/bin/sh\necho "LibreOffice 24.2.0.3 golden"\n', { mode: 0o755 });
  await on.send('PUT', '/office/soffice/path', { path: office });
  await on.send('PUT', '/office/soffice/path', { path: null });
  await on.send('PUT', '/voice/settings', { language: 'de' });
  await on.send('PUT', '/voice/settings', { engine: 'system' });
  await on.send('PUT', '/voice/settings', { provider: 'openai', model: 'fake-model' });
  await on.send('PUT', '/voice/settings', { provider: '', model: '' });
  await on.send('POST', '/api/vibedesk/plugins/install', { name: 'core-debugging' });
  await on.send('POST', '/api/vibedesk/plugins/policy', { name: 'core-debugging', policy: 'off' });
  await on.send('POST', '/api/vibedesk/plugins/uninstall', { name: 'core-debugging' });
  await on.send('POST', '/api/vibedesk/plugins/install', { name: 'core-debugging' });
  const connectors = '/api/vibedesk/connectors';
  await on.send('POST', connectors, {
    id: 'echo',
    title: 'Echo',
    command: 'cat',
    args: ['-'],
    credentials: { KEY: 'k' },
  });
  await on.send('POST', `${connectors}/toggle`, { id: 'echo', enabled: false });
  await on.send('POST', `${connectors}/toggle`, { id: 'echo', enabled: true });
  await on.send('POST', `${connectors}/remove`, { id: 'echo' });
  await on.send('POST', connectors, { id: 'kept', title: 'Kept', command: 'cat' });
}

async function desk(on: Daemon, { model }: Golden): Promise<void> {
  model.script(says('Hello.'));
  const session_id = await run(on, { task: 'Say hello' });
  const { id } = await on.send('POST', '/api/tasks', { title: 'Tidy up' });
  await on.send('PATCH', `/api/tasks/${id}`, { title: 'Tidy up well', status: 'running', session_id });
  const { token } = await on.send('GET', '/pair');
  await on.send('POST', '/pair', { token });
  await on.send('POST', '/index/build', {});
  await recorded(on, 'IndexBuilt');
  await on.send('POST', '/index/build', { provider: 'openai', model: 'text-embedding-3-small' });
  await recorded(on, 'IndexBuildFailed');
}

async function recorded(on: Daemon, type: string): Promise<void> {
  await until(async () => {
    const { events } = await on.send('GET', `/v1/events?type=${type}`);
    return events.length > 0 ? true : undefined;
  });
}

async function rooms(on: Daemon): Promise<void> {
  await on.send('POST', '/collab/rooms', { room_id: 'golden' });
  const peer = await joinRoom({ url: on.url, token: on.token, room: 'golden' });
  peer.document.getText(FILE).insert(0, 'What was written');
  await sleep(500);
  await peer.leave();
  await until(async () => {
    await on.send('POST', '/collab/rooms', { room_id: 'golden' });
    return (await typesOf(on, 'room-golden')).find((type) => type === 'RoomReopened');
  });
  const late = await joinRoom({ url: on.url, token: on.token, room: 'golden' });
  await converge([late], 'What was written');
  await late.leave();
}

async function webhooks(on: Daemon, { model, forge, workspace }: Golden): Promise<void> {
  const deliver = (payload: object, event = 'pull_request', delivery = 'd'): Promise<Body> => {
    const body = JSON.stringify(payload);
    const signature = `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`;
    const headers = { 'x-forge-event': event, 'x-forge-delivery': delivery, 'x-hub-signature-256': signature };
    return on.send('POST', '/webhook/forge', body, headers);
  };
  const pull = (diff: string) => ({
    action: 'opened',
    pull_request: {
      number: 7,
      title: 'Add two',
      diff_url: `${forge.url}/${diff}`,
      head: { sha: 'b'.repeat(40), ref: 'change' },
      base: { sha: 'a'.repeat(40), ref: 'main' },
    },
    repository: { full_name: 'o/r', clone_url: `${forge.url}/r.git` },
  });
  await deliver({ zen: 'golden' }, 'ping', 'd0');
  model.script(says(FINDINGS));
  await deliver(pull('7.diff'), 'pull_request', 'd1');
  model.script(refuses(400, 'no'));
  await deliver(pull('7.diff'), 'pull_request', 'd2');
  const skills = join(workspace, '.daybook', 'skills');
  mkdirSync(skills, { recursive: true });
  const front = '---\nname: deploy-check\ndescription: looks at it\nwebhook_trigger: deploy\n---\n\nCheck it.\n';
  writeFileSync(join(skills, 'deploy.md'), front);
  model.script(says('checked'));
  await on.send('POST', '/webhook/skill/deploy', '{"sha":"abc"}', { 'x-forge-delivery': 'd3' });
  await sleep(500);
}

async function briefings(on: Daemon, { model }: Golden): Promise<void> {
  const made = async (): Promise<void> => {
    const { id } = await on.send('POST', '/briefing/generate', {});
    const isOver = (type: string): boolean => type === 'BriefingWritten' || type === 'BriefingFailed';
    await until(async () => (await typesOf(on, `briefing-${id}`)).find(isOver)).catch(() => undefined);
  };
  await on.send('PUT', '/briefing/settings', { keep: 9, length: 'short', hours: 24 });
  model.script(says('Good morning.\n\nNothing needs you.'));
  await made();
  model.script(refuses(400, 'no such thing'));
  await made();
  await on.send('PUT', '/briefing/settings', { writer: 'computed' });
  await made();
}

/** Begins what the end of the process cuts off. */
async function cutOff(on: Daemon, { model, forge }: Golden): Promise<void> {
  model.script(hangs('One moment'), hangs('One moment'), hangs('One moment'));
  await on.send('PUT', '/briefing/settings', { writer: 'model' });
  void on.send('POST', '/briefing/generate', {}).catch(() => undefined);
  const body = JSON.stringify({
    action: 'opened',
    pull_request: {
      number: 8,
      title: 'Add three',
      diff_url: `${forge.url}/8.diff`,
      head: { sha: 'c'.repeat(40), ref: 'change' },
      base: { sha: 'a'.repeat(40), ref: 'main' },
    },
    repository: { full_name: 'o/r', clone_url: `${forge.url}/r.git` },
  });
  const signature = `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`;
  const headers = { 'x-forge-event': 'pull_request', 'x-forge-delivery': 'd8', 'x-hub-signature-256': signature };
  void on.send('POST', '/webhook/forge', body, headers).catch(() => undefined);
  await sleep(1_500);
}

/** Encryption is switched on last: from then on texts are ciphertext. */
async function encryption(on: Daemon): Promise<void> {
  const sealed = (): Promise<unknown> =>
    until(async () => (await typesOf(on, 'settings-memory')).find((type) => type === 'MemoryEncryptionSettled'));
  await on.send('POST', '/memory/encryption', { passphrase: 'correct horse battery staple' });
  await sealed();
  await on.send('POST', '/memory/encryption', { key_source: 'passphrase', passphrase: 'another passphrase, as long' });
  await memories(on, 'lemon');
  await sleep(500);
}

function daybook(golden: Golden, words: readonly string[], input = ''): string {
  const options = { env: environment(golden), input, encoding: 'utf8' as const, maxBuffer: 100_000_000 };
  const { status, stdout, stderr } = spawnSync(process.execPath, [golden.program, ...words], options);
  if (status !== 0) throw new Error(`daybook ${words.join(' ')}: ${stderr}`);
  return stdout;
}

async function startForge() {
  const server = createServer((_, response) => response.end(DIFF));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port, close: () => server.close() };
}

const STEPS = [
  runs,
  goals,
  engagements,
  (on: Daemon) => memories(on, 'rhubarb'),
  settings,
  desk,
  rooms,
  webhooks,
  briefings,
  cutOff,
];

async function write(release: string, target: string): Promise<void> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'daybook-golden-')));
  const [model, forge] = [await startFakeOpenAi(), await startForge()];
  const program = join(release, 'bin/daybook.js');
  const golden: Golden = { home: join(root, 'home'), workspace: join(root, 'workspace'), program, model, forge };
  for (const folder of [golden.home, golden.workspace]) mkdirSync(folder);
  let daemon = await startDaemon(golden);
  for (const step of STEPS) {
    await step(daemon, golden);
  }
  await stop(daemon, 'SIGKILL');
  model.script(() => says('Back again.'));
  daemon = await startDaemon(golden);
  await sleep(2_000);
  await encryption(daemon);
  await stop(daemon);
  const lines = APPENDED.map((event) => JSON.stringify(event)).join('\n');
  daybook(golden, ['storage', 'append'], `${lines}\n`);
  daemon = await startDaemon(golden);
  await sleep(1_000);
  await stop(daemon);
  mkdirSync(target, { recursive: true });
  const log = join(target, 'events.jsonl');
  if (existsSync(log)) rmSync(log);
  daybook(golden, ['log', 'export', '--out', log]);
  const verified = JSON.parse(daybook(golden, ['log', 'verify', '--json'])) as { position: number; tree_hash: string };
  const { position, tree_hash } = verified;
  writeFileSync(join(target, 'head.json'), `${JSON.stringify({ position, tree_hash })}\n`);
  writeFileSync(join(target, 'views.json'), viewsText(dumpTables(join(golden.home, 'views.db'))));
  await model.close();
  forge.close();
  rmSync(root, { recursive: true, force: true });
}

const [release, target] = process.argv.slice(2);
if (release === undefined || target === undefined)
  throw new Error('write.ts <checkout of the release> <target folder>');
await write(resolve(release), resolve(target));
