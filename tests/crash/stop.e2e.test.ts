/** SIGTERM during work, and a second daemon on a home that is in use. */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readSse } from '../../src/testing/server-sent-events.ts';
import { startFakeOpenAi } from '../fakes/providers/openai.ts';
import { callsTool, hangs, says } from '../fakes/providers/server.ts';
import { type ChildDaemon, childDaemon } from '../support/daemon.ts';
import { until } from '../support/until.ts';
import { orphansWith, processesWith, Victim } from './victim.ts';

async function victim(env: NodeJS.ProcessEnv = {}): Promise<Victim> {
  const made = new Victim(env);
  await made.start();
  return made;
}

const typesOf = async (of: Victim): Promise<string[]> => (await of.log()).map(({ envelope }) => envelope.type);

describe('SIGTERM', () => {
  it('during a tool: exit 0, nothing left running, the interruption is recorded, the run continues after a start', async () => {
    const of = await victim();
    const mark = `stop-${process.pid}`;
    const id = await of.begin(`Stop.\nrehearse: bash echo began > ${mark}.txt; (exec -a ${mark} sleep 60) & wait`);
    const reading = of.daemon.request(`/stream/${id}`).then((response) => response.text());
    await until(() => of.lines(`${mark}.txt`) > 0);
    expect(processesWith(mark).length).toBeGreaterThan(0);
    expect(await of.daemon.kill('SIGTERM')).toBe(0);
    expect(await orphansWith(mark)).toEqual([]);
    // The reader saw a proper end of its stream, and no terminal event: the run is not over.
    expect(await reading).not.toMatch(/"type":"(complete|partial|error)"/);
    expect(existsSync(join(of.home, 'daemon.json'))).toBe(false);
    await of.startHere();
    expect((await of.rest(id, Buffer.alloc(0))).toString()).toMatch(/"type":"complete".*\n\n$/);
    expect(await typesOf(of)).toContain('ToolInterrupted');
    expect(of.lines(`${mark}.txt`)).toBe(1);
    expect(await of.json(`/jobs/${id}`)).toMatchObject({ status: 'complete' });
  });

  it('during an answer of the model: exit 0, the model is asked again after a start', async () => {
    const provider = await startFakeOpenAi();
    onTestFinished(() => provider.close());
    const env = { OPENAI_API_KEY: 'sk-fake', OPENAI_BASE_URL: provider.url };
    const of = await victim({ ...env, DAYBOOK_PROVIDER: 'openai', DAYBOOK_MODEL: 'm' });
    provider.script(callsTool({ name: 'list_directory', input: {} }), hangs('One, '), says('One, two.'));
    const id = await of.begin('Count.');
    await readSse(await of.daemon.request(`/stream/${id}`), ({ data }) => data.includes('One, '));
    expect(await of.daemon.kill('SIGTERM')).toBe(0);
    await of.startHere();
    await of.rest(id, Buffer.alloc(0));
    const types = await typesOf(of);
    expect(types.filter((type) => type === 'ModelCallInterrupted')).toHaveLength(1);
    expect(types.at(-1)).toBe('RunCompleted');
    expect(await of.json(`/jobs/${id}/replay`)).toMatchObject({ identical: true });
  });
});

/** A client that takes the handshake and never answers again, its half of the connection open. */
async function hungSocket({ url, token }: ChildDaemon, path: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  const key = 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
  const asks = `Host: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nAuthorization: Bearer ${token}`;
  socket.write(`GET ${path} HTTP/1.1\r\n${asks}\r\n${key}\r\n\r\n`);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect(answer.toString('latin1')).toContain(' 101 ');
  socket.resume();
  return socket;
}

describe('SIGTERM with WebSockets whose clients do not answer the close frame', () => {
  it('exit 0, none of them holds it up', async () => {
    const daemon = await childDaemon();
    const paths = [
      '/v1/events/ws',
      `/ws/voice/duplex?token=${daemon.token}`,
      `/ws/collab/r1?token=${daemon.token}`,
      `/acp/v1/sessions/${'0'.repeat(32)}/tools?names=bash`,
    ];
    const sockets = await Promise.all(paths.map((path) => hungSocket(daemon, path)));
    expect(await daemon.kill('SIGTERM')).toBe(0);
    for (const socket of sockets) socket.destroy();
  });
});

describe('a second daemon on the same home', () => {
  it('does not start and names the holder of the lock, which keeps working; it starts when the holder was killed', async () => {
    const of = await victim();
    const second = childDaemon({ home: of.home, workspace: of.workspace });
    await expect(second).rejects.toThrow(new RegExp(`\\b${of.daemon.pid}\\b`));
    expect(await of.json('/health')).toMatchObject({ status: 'ok' });
    expect(existsSync(join(of.home, 'daemon.json'))).toBe(true);
    await of.daemon.kill('SIGKILL');
    await of.startHere();
  });
});
