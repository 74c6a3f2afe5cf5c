/**
 * The behaviours of the client, as functions that run wherever the client runs: Node 24 and 20, Bun, Deno and a
 * browser. They use only the client, its peers and `fetch`, and throw when an expectation fails.
 */
import { filter, firstValueFrom, map, take as takeOf, toArray } from 'rxjs';
import * as Y from 'yjs';
import { type Client, createClient, DaybookError, type EventStream } from '../../src/client/client.ts';
import { observe } from '../../src/client/rxjs.ts';
import { openVoice } from '../../src/client/voice.ts';
import { connectRoom, type RoomPeer } from '../../src/client/yjs.ts';

export interface Place {
  /** Takes commands: see rig.ts. */
  readonly controlUrl: string;
  /** Where there is no global one. */
  readonly WebSocket?: typeof globalThis.WebSocket | undefined;
}

export type Behaviour = (place: Place) => Promise<void>;

async function control({ controlUrl }: Place, command: string, given: unknown = null): Promise<unknown> {
  const response = await fetch(`${controlUrl}/${command}`, { method: 'POST', body: JSON.stringify(given) });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

function field(data: unknown, ...names: readonly string[]): unknown {
  return names.reduce((part, name) => Object.entries(part ?? {}).find(([key]) => key === name)?.[1], data);
}

function clientOf(place: Place, options: { readonly signal?: AbortSignal } = {}): Client {
  const where = async (name: string): Promise<string> => String(field(await control(place, 'daemon'), name));
  return createClient({ ...options, url: () => where('url'), token: () => where('token') });
}

function equal(found: unknown, expected: unknown): void {
  const [a, b] = [JSON.stringify(found), JSON.stringify(expected)];
  if (a !== b) throw new Error(`found ${a?.slice(0, 2_000)}\nexpected ${b?.slice(0, 2_000)}`);
}

/** So many events, or all that there are. */
async function take<Data>(
  stream: EventStream<Data>,
  count = Number.POSITIVE_INFINITY,
): Promise<{ readonly id: string; readonly data: Data }[]> {
  const seen: { readonly id: string; readonly data: Data }[] = [];
  for await (const { id, data } of stream) {
    seen.push({ id, data });
    if (seen.length === count) break;
  }
  return seen;
}

async function all<Data>(stream: EventStream<Data>): Promise<Data[]> {
  return (await take(stream)).map(({ data }) => data);
}

async function errorOf(call: Promise<unknown>): Promise<DaybookError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof DaybookError) return error;
  throw new Error(`a DaybookError was expected, not ${error}`);
}

/** Everything in the log after a position. */
async function recorded(client: Client, after = 0): Promise<readonly { readonly position: number }[]> {
  const { events } = await client.log.list({ query: { after, limit: 5_000 } });
  return events;
}

/** Until the value is the expected one. */
async function becomes(value: () => unknown, expected: unknown): Promise<void> {
  const until = Date.now() + 15_000;
  while (JSON.stringify(await value()) !== JSON.stringify(expected) && Date.now() < until) {
    await new Promise((done) => setTimeout(done, 20));
  }
  equal(await value(), expected);
}

let titles = 0;
function freshTitle(): string {
  titles += 1;
  return `goal ${titles} ${Math.random()} é🎈`;
}

export const behaviours: Readonly<Record<string, Behaviour>> = {
  async 'calls answer JSON, text, bytes or nothing'(place) {
    const client = clientOf(place);
    const { engagement } = await client.engagements.create({ name: freshTitle() });
    const { gate } = await client.engagements.addGate(engagement.id, {
      phase: 'discover',
      title: 'Signed',
      measurement: 'The contract has a signature.',
    });
    const judged = await client.engagements.judgeGate(engagement.id, gate.id, { verdict: 'pass', observed: 'seen' });
    equal([judged.gate.verdict, judged.gate.observed], ['pass', 'seen']);
    equal((await client.engagements.report(engagement.id)).startsWith('# '), true);
    const task = await client.tasks.create({ title: freshTitle() });
    equal(new TextDecoder().decode((await client.tasks.exportPdf(task.id)).subarray(0, 5)), '%PDF-');
    const goal = await client.goals.create({ title: freshTitle() });
    equal(await client.goals.delete(goal.id), undefined);
    equal((await client.goals.list({ query: { q: goal.title } })).goals.length, 0);
  },

  async 'a refusal is one error with the status and the sentence of the daemon'(place) {
    const error = await errorOf(clientOf(place).runs.get('nowhere'));
    equal([error.status, error.error, error.name], [404, "Job 'nowhere' not found", 'DaybookError']);
    equal(error.body, { error: error.error });
  },

  async 'a mutation whose answer is lost is repeated and takes effect once'(place) {
    const client = clientOf(place);
    const title = freshTitle();
    await control(place, 'cutAfter', [10, 40]);
    const { id } = await client.goals.create({ title });
    const { goals } = await client.goals.list({ query: { q: title } });
    equal(
      goals.map((goal) => goal.id),
      [id],
    );
    await control(place, 'cutAfter', [10]);
    equal(await client.goals.delete(id), undefined);
  },

  async 'the stream of the log is the log, wherever its connections are cut'(place) {
    const client = clientOf(place);
    for (let count = 0; count < 20; count += 1) await client.goals.create({ title: freshTitle() });
    const log = await recorded(client);
    const cuts = Array.from({ length: 6 }, () => Math.floor(Math.random() * JSON.stringify(log).length * 0.4));
    await control(place, 'cutAfter', cuts);
    const seen = await take(client.log.events({ after: 0 }), log.length);
    equal(
      seen,
      log.map((event) => ({ id: String(event.position), data: event })),
    );
  },

  async 'the stream of the log selects a stream and a type'(place) {
    const client = clientOf(place);
    const { id } = await client.goals.create({ title: freshTitle() });
    await client.goals.update(id, { title: freshTitle() });
    const stream = `goal-${id}`;
    const ofStream = await take(client.log.events({ stream }), 2);
    const { events } = await client.log.list({ query: { stream } });
    equal(
      ofStream.map(({ data }) => data),
      events,
    );
    const [found] = await take(client.log.events({ stream, type: events[1]!.type }), 1);
    equal(found?.data, events[1]);
  },

  async 'the stream of a run ends with the run, over cuts'(place) {
    const client = clientOf(place);
    const { session_id } = await client.runs.start({ task: 'Say hello' });
    const whole = await all(client.runs.stream(session_id));
    equal(field(whole.at(-1), 'type'), 'complete');
    await control(place, 'cutAfter', [300, 350, 420]);
    equal(await all(client.runs.stream(session_id, { after: 0 })), whole);
    const last = (await take(client.runs.stream(session_id, { after: 0 }), whole.length)).at(-1)!;
    equal(await all(client.runs.stream(session_id, { lastEventId: last.id })), []);
  },

  async 'a stream goes on when the daemon is started again with another port and token'(place) {
    const client = clientOf(place);
    const from = (await client.log.head()).position;
    const title = freshTitle();
    const reasons: number[] = [];
    const stream = client.log.events({
      after: from,
      type: 'GoalCreated',
      onInterrupted: ({ status }) => reasons.push(status),
    });
    const seen: string[] = [];
    await client.goals.create({ title: `${title} 1` });
    for await (const { data } of stream) {
      seen.push(String(field(data, 'data', 'title')));
      if (seen.length === 1) {
        await control(place, 'restart');
        await client.goals.create({ title: `${title} 2` });
      }
      if (seen.length === 2) break;
    }
    equal(seen, [`${title} 1`, `${title} 2`]);
    equal(reasons.length > 0, true);
  },

  async 'a signal ends a stream without an error, and a call with its reason'(place) {
    const whole = new AbortController();
    const client = clientOf(place, { signal: whole.signal });
    const own = new AbortController();
    const from = (await client.log.head()).position;
    const silent = all(client.log.events({ after: from, signal: own.signal }));
    own.abort();
    equal(await silent, []);
    const other = all(client.log.events({ after: from }));
    whole.abort(new Error('enough'));
    equal(await other, []);
    equal(await client.log.head().catch((reason: Error) => reason.message), 'enough');
  },

  async 'leaving a stream that waits ends it'(place) {
    const client = clientOf(place);
    const from = (await client.log.head()).position;
    const iterator = client.log.events({ after: from })[Symbol.asyncIterator]();
    const waiting = iterator.next();
    await iterator.return?.();
    equal((await waiting).done, true);
  },

  async 'an observable has the events of a stream, and its errors'(place) {
    const client = clientOf(place);
    const { session_id } = await client.runs.start({ task: 'Say hello' });
    const types = observe(client.runs.stream(session_id)).pipe(map(({ data }) => data.type));
    equal((await firstValueFrom(types.pipe(toArray()))).at(-1), 'complete');
    const created = observe(client.log.events({ after: 0 })).pipe(
      filter(({ data }) => data.type === 'RunCompleted'),
      takeOf(1),
    );
    equal((await firstValueFrom(created)).data.type, 'RunCompleted');
    equal((await errorOf(firstValueFrom(observe(client.runs.stream('nowhere'))))).status, 404);
  },

  async 'a room has one text for its peers, over a lost connection'(place) {
    const client = clientOf(place);
    const [ann, bob] = [new Y.Doc(), new Y.Doc()];
    let seen: readonly RoomPeer[] = [];
    const onPeers = (peers: readonly RoomPeer[]): void => {
      seen = peers;
    };
    const name = `room ${freshTitle()}`;
    const { WebSocket } = place;
    const first = connectRoom(client, name, { Y, doc: ann, name: 'ann', onPeers, WebSocket });
    const second = connectRoom(client, name, { Y, doc: bob, name: 'bob', WebSocket });
    await Promise.all([first.synced, second.synced]);
    const text = (doc: Y.Doc): string => doc.getText('a.md').toString();
    ann.getText('a.md').insert(0, 'hello ');
    await becomes(() => text(bob), 'hello ');
    second.setCursor({ file: 'a.md', line: 1, column: 2 });
    await becomes(() => field(seen.find((peer) => peer.name === 'bob')?.cursor, 'column'), 2);
    await control(place, 'cut');
    bob.getText('a.md').insert(6, 'world');
    await becomes(() => text(ann), 'hello world');
    second.close();
    await becomes(() => seen.map((peer) => peer.name), ['ann']);
    first.close();
    await becomes(() => client.rooms.list(), []);
  },

  async 'a conversation has frames in both directions'(place) {
    const types: string[] = [];
    let isClosed = false;
    const voice = await openVoice(clientOf(place), {
      WebSocket: place.WebSocket,
      onFrame: ({ type }) => types.push(type),
      onSound: () => undefined,
      onClose: () => {
        isClosed = true;
      },
    });
    await becomes(() => types.includes('ready'), true);
    voice.sendSound(new Int16Array(320));
    voice.close();
    await becomes(() => isClosed, true);
  },
};

/** Browsers have no files, and Chromium reads a response into its memory as fast as it comes, whether it is taken or not. */
export const programBehaviours: Readonly<Record<string, Behaviour>> = {
  ...behaviours,

  async 'a local daemon is found by its home'(place) {
    const { home, localUrl, token } = Object(await control(place, 'daemon'));
    const client = createClient({ home });
    equal(await client.daemon(), { url: localUrl, token });
    equal((await client.about.capabilities()).framework, 'daybook');
    const error = await errorOf(createClient({ home: `${home}/none`, retriesMax: 0 }).log.head());
    equal([error.status, error.error.startsWith('No daemon is running on ')], [0, true]);
    const ended = createClient({ home: String(await control(place, 'endedDaemon')), retriesMax: 0 });
    equal((await errorOf(ended.log.head())).status, 0);
  },

  async 'a slow consumer stops the reading of the network'(place) {
    const url = String(await control(place, 'flood'));
    const iterator = createClient({ url, token: '' }).log.events()[Symbol.asyncIterator]();
    await iterator.next();
    let before = -1;
    let now = Number(await control(place, 'flooded'));
    // It stands still when the buffers of the network are full.
    while (now !== before) {
      await new Promise((done) => setTimeout(done, 200));
      before = now;
      now = Number(await control(place, 'flooded'));
    }
    if (now > 32 * 1_024 * 1_024) throw new Error(`${now} bytes were read for one event`);
    const taken = Math.ceil((2 * now) / 1_000);
    for (let id = 2; id <= taken; id += 1) equal((await iterator.next()).value?.id, String(id));
    equal(Number(await control(place, 'flooded')) > now, true);
    await iterator.return?.();
  },
};
