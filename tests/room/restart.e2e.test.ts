/** Texts after a restart: after a graceful stop all updates are there, after a kill all that were in the log. */
import { describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { daemonHere, type KillableDaemon, killableDaemon, testDaemon } from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';
import { until } from '../support/until.ts';
import { type Client, converge, FILE, join } from './client.ts';

interface Envelope {
  readonly type: string;
  readonly stream: string;
  readonly data: { readonly update?: string; readonly state?: string };
}

async function textEvents(of: Pick<KillableDaemon, 'request'>, room: string): Promise<readonly Envelope[]> {
  const reply = await of.request(`/v1/events?limit=5000&stream=room_text-${room}`);
  return ((await reply.json()) as { events: Envelope[] }).events;
}

/** The text as the log alone has it. */
function recordedText(events: readonly Envelope[]): string {
  const document = new Y.Doc();
  for (const { data } of events) Y.applyUpdate(document, Buffer.from(data.update ?? data.state ?? '', 'base64'));
  return document.getText(FILE).toString();
}

describe('a stop in good order', () => {
  it('records the last update, and closes the connection of every peer with the code for a stop', async () => {
    const home = temporaryFolder('home');
    const first = await testDaemon({ home });
    const ann = await join({ ...first, room: 'r' });
    const bob = await join({ ...first, room: 'r' });
    ann.document.getText(FILE).insert(0, 'to the last letter');
    await converge([bob], 'to the last letter');
    await first.stop();
    for (const client of [ann, bob]) expect(await client.closed).toMatchObject({ code: 1001 });
    const second = await testDaemon({ home });
    const late = await join({ ...second, room: 'r' });
    await converge([late], 'to the last letter');
    await late.leave();
    await second.stop();
  });

  it('waits for no peer that does not say goodbye', async () => {
    const daemon = await killableDaemon();
    const ann = await join({ ...daemon, room: 'r', isMute: true });
    ann.socket.pause();
    expect(await daemon.kill('SIGTERM')).toBe(0);
    ann.socket.terminate();
  });

  it('refuses handshakes in progress', async () => {
    const daemon = await testDaemon();
    const stopped = daemon.stop();
    await expect(join({ ...daemon, room: 'r' })).rejects.toThrow();
    await stopped;
  });
});

it('SIGKILL loses nothing that was in the log; the clients restore the rest', { timeout: 60_000 }, async () => {
  const home = temporaryFolder('home');
  const first = await killableDaemon({ home });
  const ann = await join({ ...first, room: 'r' });
  let typed = '';
  const type = (): void => {
    const letter = String.fromCharCode(97 + (typed.length % 26));
    ann.document.getText(FILE).insert(typed.length, letter);
    typed += letter;
  };
  let seen: readonly Envelope[] = [];
  while (seen.length < 3) {
    for (let each = 0; each < 10; each += 1) type();
    seen = await textEvents(first, 'r');
  }
  for (let each = 0; each < 10; each += 1) type();
  await first.kill('SIGKILL');
  const known = recordedText(seen);
  expect(known.length).toBeGreaterThan(0);

  const second = await killableDaemon({ home });
  const late = await join({ ...second, room: 'r' });
  await late.until(() => late.text().startsWith(known));
  expect(typed.startsWith(late.text())).toBe(true);
  const again = await join({ ...second, room: 'r', document: ann.document });
  await converge([late, again], typed);
  expect(await second.kill('SIGTERM')).toBe(0);
});

it('a long history is replaced by a state at intervals, and the text is made from that state', async () => {
  const home = temporaryFolder('home');
  const first = await testDaemon({ home });
  const ann = await join({ ...first, room: 'r' });
  const bob = await join({ ...first, room: 'r' });
  // Each round exceeds a batch; together they exceed the limit for a whole state.
  for (let round = 0; round < 12; round += 1) {
    const text = ann.document.getText(FILE);
    ann.document.transact(() => {
      text.delete(0, text.length);
      text.insert(0, String(round).padStart(80_000, '.'));
    });
    await converge([bob], ann.text());
    await until(async () => (await textEvents(first, 'r')).length > round);
  }
  const text = ann.text();
  await Promise.all([ann.leave(), bob.leave()]);
  const events = await textEvents(first, 'r');
  await first.stop();
  const from = events.findLastIndex(({ type }) => type === 'RoomTextCompacted');
  expect(from).toBeGreaterThan(0);
  expect(recordedText(events.slice(from))).toBe(text);
  expect(recordedText(events)).toBe(text);

  const second = await daemonHere({ home });
  const late: Client = await join({ ...second, room: 'r' });
  await converge([late], text);
  await late.leave();
});
