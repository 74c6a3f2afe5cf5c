/**
 * What the client does, as functions that run wherever the client runs: Node 24 and 20, and a browser. They use nothing
 * but the client and `fetch`, and throw when something is not so.
 */
import { type Client, createClient, DaybookError, type EventStream } from '../../src/client/client.ts';

export interface Place {
  /** Takes commands: see rig.ts. */
  readonly controlUrl: string;
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
};

/** Chromium reads a response into its memory as fast as it comes, whether the page takes it or not. */
export const nodeBehaviours: Readonly<Record<string, Behaviour>> = {
  ...behaviours,

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
