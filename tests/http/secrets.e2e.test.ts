/**
 * Secrets after a session that uses all of them: none is in a log line, event, error or file; and the permissions of
 * the files that hold them.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ChildDaemon, childDaemon, daemonHere } from '../support/daemon.ts';
import { rows } from '../support/depth.ts';
import { filesWhere, temporaryFolder } from '../support/folders.ts';
import { handshake, send, type Wish } from './wire.ts';

function filesBelow(home: string): string[] {
  return readdirSync(home, { recursive: true, encoding: 'utf8' }).map((path) => join(home, path));
}

/** Uses the token in every place a client might put it by mistake or malice; answers every body that came back. */
async function tryHard({ url, token }: ChildDaemon, pairing: string): Promise<string> {
  const bodies: string[] = [];
  const right = { authorization: `Bearer ${token}` };
  const ask = async (target: string, wish: Wish = {}): Promise<string> => {
    const { text } = await send(url, target, wish);
    bodies.push(text);
    return text;
  };
  for (const path of [
    '/jobs',
    '/agent',
    '/nope',
    '/health',
    '/pair',
    '/ws/collab/x',
    '/jobs/%zz',
    '/web',
    '/v1/events',
  ]) {
    for (const headers of [{}, right, { authorization: `bearer ${token}` }, { origin: `http://${token}.evil.com` }]) {
      await ask(`${path}?token=${token}&pair=${pairing}`, { headers });
      await ask(`${path}?token=${token}`, { method: 'POST', headers, body: '{' });
      await ask(`${path}?token=${token}`, { method: 'DELETE', headers });
    }
  }
  const keyed = { ...right, 'idempotency-key': 'k' };
  for (const target of ['/agent', '/chat', '/chat/stream', '/api/tasks', '/jobs/x/cancel']) {
    const body = JSON.stringify({ task: 'Say hello.', title: 'x', messages: [] });
    await ask(`${target}?token=${token}`, { method: 'POST', headers: keyed, body });
    await ask(`${target}?token=${token}`, {
      method: 'POST',
      headers: { ...keyed, referer: `${url}/?token=${token}` },
      body,
    });
    await ask(`${target}?token=${token}`, { method: 'POST', headers: keyed, body: body.slice(1) });
  }
  await ask('/jobs', { headers: { authorization: `Bearer ${token}x` } });
  await ask('/jobs', { headers: { ...right, host: `${token}.evil.com` } });
  await ask('/pair', { method: 'POST', body: JSON.stringify({ token }) });
  bodies.push((await handshake(`${url}/ws/collab/x?token=${token}x`)).text);
  bodies.push((await handshake(`${url}/ws/voice/duplex?token=${token}`)).text);
  for (const path of [
    '/health',
    '/mobile/beacon',
    '/openapi.json',
    '/docs',
    '/sessions',
    '/sessions.json',
    '/v1/capabilities',
  ]) {
    await ask(path, { headers: right });
  }
  return bodies.join('\n');
}

describe('the bearer token', () => {
  it('is in one line on stderr and in two private files, and nowhere else', async () => {
    const daemon = await childDaemon({ home: temporaryFolder('home') });
    onTestFinished(() => void daemon.kill('SIGKILL'));
    const { home, token, url } = daemon;
    const offer = JSON.parse((await send(url, '/pair')).text) as { token: string };
    const used = { method: 'POST', headers: { 'idempotency-key': 'p' }, body: JSON.stringify({ token: offer.token }) };
    expect(JSON.parse((await send(url, '/pair', used)).text)).toEqual({ token });
    const spare = (JSON.parse((await send(url, '/pair')).text) as { token: string }).token;

    const answers = await tryHard(daemon, spare);
    const events = await (await daemon.request('/v1/events?limit=5000')).text();
    for (const secret of [token, offer.token, spare]) {
      expect(answers).not.toContain(secret);
      expect(events).not.toContain(secret);
    }
    await daemon.kill('SIGTERM');
    expect(
      daemon
        .stderr()
        .split('\n')
        .filter((line) => line.includes(token)),
    ).toEqual([`token ${token}`]);
    for (const secret of [offer.token, spare]) expect(daemon.stderr()).not.toContain(secret);
    for (const secret of [token, offer.token, spare]) {
      expect(filesWhere(home, (bytes) => bytes.includes(secret))).toEqual([]);
    }
  });

  it('is in daemon.token and daemon.json while the daemon runs', async () => {
    const { home, token } = await daemonHere();
    expect(readFileSync(join(home, 'daemon.token'), 'utf8').trim()).toBe(token);
    const holders = filesWhere(home, (bytes) => bytes.includes(token));
    expect(holders.map((path) => path.slice(home.length + 1)).sort()).toEqual(['daemon.json', 'daemon.token']);
    expect(token).toMatch(/^[0-9a-f]{32}$/);
  });
});

// The files of cow and lsm are made by the same function.
describe.each(rows({ sample: ['cow', 'embedded_kv'], rest: ['lsm'] }))('files of a home on %s', (backend) => {
  /** It takes no right away: what is closed under it is closed under every other. */
  it('are their owner’s alone under umask 0', async () => {
    const before = process.umask(0o000);
    onTestFinished(() => void process.umask(before));
    const home = join(temporaryFolder('home'), 'made', 'here');
    const daemon = await daemonHere({ home, env: { DAYBOOK_PERSISTENCE_BACKEND: backend } });
    const started = await daemon.request('/agent', { method: 'POST', body: '{"task":"Say hello."}' });
    const { session_id } = (await started.json()) as { session_id: string };
    await (await daemon.request(`/stream/${session_id}`)).text();
    // A file that is renamed meanwhile is not there any more.
    const open = (): string[] =>
      [home, ...filesBelow(home)]
        .map((path) => ({ path, mode: (statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o777 }))
        .filter(({ mode }) => (mode & 0o077) !== 0)
        .map(({ path, mode }) => `${path} ${mode.toString(8)}`);
    expect(open()).toEqual([]);
    await daemon.stop();
    expect(open()).toEqual([]);
  });
});
