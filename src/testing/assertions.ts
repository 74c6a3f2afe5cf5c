/**
 * Assertions for authors of clients, over HTTP only: streams equal the log and resume anywhere, read models equal the
 * fold of the log, a backup restores to the same tree hash. Failures are plain Errors that name the differences.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Envelope } from '../events/envelope.ts';
import { restoreStorage } from '../storage/backup.ts';
import { assertSame, shown } from './difference.ts';
import { newFolder } from './folders.ts';
import { parseSse, readSseText, type SseEvent } from './server-sent-events.ts';

/** A daemon to send requests to, with its token: a `TestDaemon`, or any other. */
export interface Served {
  /** `path` begins with a slash. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
}

/** A part of the log; by default all events. */
export interface LogPart {
  readonly after?: number;
  readonly stream?: string;
  readonly type?: string;
}

const PAGE = 5_000;
const CUTS = 24;
const OPERATION_WAIT_MS = 20_000;

/** The envelopes of the log as `GET /v1/events` returns them, up to its head. */
export async function logEvents(
  daemon: Served,
  { after = 0, stream = '', type = '' }: LogPart = {},
): Promise<Envelope[]> {
  const events: Envelope[] = [];
  const query = new URLSearchParams({ stream, type, limit: `${PAGE}` });
  for (let next: number | null = after; next !== null; ) {
    query.set('after', `${next}`);
    const page: { events: Envelope[]; next: number | null } = await json(daemon, `/v1/events?${query}`);
    events.push(...page.events);
    next = page.next;
  }
  return events;
}

/**
 * What a client received from `GET /v1/events/stream` is the log: each event once, in order, complete, with its
 * position as id.
 */
export async function assertTranscriptEqualsLog(
  daemon: Served,
  transcript: readonly Pick<SseEvent, 'id' | 'data'>[],
  part: LogPart = {},
): Promise<void> {
  const log = await logEvents(daemon, part);
  const ids = log.map(({ position }) => `${position}`);
  assertSame(
    transcript.map(({ id }) => id),
    ids,
    'The ids of the transcript differ from the positions of the log',
  );
  const data = transcript.map((event) => JSON.parse(event.data) as unknown);
  assertSame(data, log, 'The transcript differs from the log');
}

export interface ResumeOptions {
  /** How many events to read from a stream that does not end; by default it is read to its end. */
  readonly events?: number;
  /** At how many places the stream is cut, including places inside events; default 24. */
  readonly cuts?: number;
}

/**
 * A stream that is cut anywhere resumes with `Last-Event-ID` without a gap and without a duplicate. The events of the
 * stream must already be recorded.
 */
export async function assertResumes(daemon: Served, path: string, options: ResumeOptions = {}): Promise<void> {
  const { events: wanted = Number.POSITIVE_INFINITY, cuts = CUTS } = options;
  const whole = await read(daemon, path, { wanted });
  if (whole.events.length === 0) throw new Error(`${path} has no event to resume after.`);
  const last = whole.events.at(-1)!;
  const lacking = whole.events.find(({ id }) => id === undefined);
  if (lacking !== undefined) throw new Error(`${path} has an event without an id: ${shown(lacking)}`);
  for (const cut of places(whole.text.length, cuts)) {
    const before = parseSse(whole.text.slice(0, cut));
    const id = before.at(-1)?.id;
    const rest = id === last.id ? [] : (await read(daemon, path, { wanted: wanted - before.length, id })).events;
    const what = `${path}, cut after ${cut} characters and resumed after ${id ?? 'nothing'}, differs`;
    assertSame([...before, ...rest], whole.events, what);
  }
}

interface Reading {
  readonly wanted: number;
  readonly id?: string | undefined;
}

async function read(daemon: Served, path: string, { wanted, id }: Reading) {
  const headers = { accept: 'text/event-stream', ...(id !== undefined && { 'last-event-id': id }) };
  const response = await daemon.fetch(path, { headers });
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  let seen = 0;
  return readSseText(response, () => {
    seen += 1;
    return seen >= wanted;
  });
}

/** Up to `count` evenly spaced places from the beginning to the end. */
function places(length: number, count: number): readonly number[] {
  const all = Array.from({ length: count }, (_, index) => Math.round((index * length) / Math.max(1, count - 1)));
  return [...new Set(all)];
}

/** A read model of a client as a fold over the events that it follows. */
export interface Fold<Model> {
  readonly initial: () => Model;
  readonly evolve: (model: Model, event: Envelope) => Model;
}

/** A client’s read model equals the fold of the log. */
export async function assertFoldOfLog<Model>(
  daemon: Served,
  { initial, evolve }: Fold<Model>,
  actual: Model,
  part: LogPart = {},
): Promise<void> {
  const expected = (await logEvents(daemon, part)).reduce(evolve, initial());
  assertSame(actual, expected, 'The read model differs from the fold of the log');
}

/** The answers of these paths are a function of the log: they are the same after the views are rebuilt from it. */
export async function assertViewsEqualLog(daemon: Served, paths: readonly string[]): Promise<void> {
  const before = await Promise.all(paths.map((path) => answer(daemon, path)));
  await json(daemon, '/v1/views/rebuild', { method: 'POST' });
  const after = await Promise.all(paths.map((path) => answer(daemon, path)));
  for (const [index, path] of paths.entries())
    assertSame(before[index], after[index], `The answer of ${path} differs from what the log leads to`);
}

/**
 * A backup made while the daemon runs restores to a log with the same tree hash. The daemon must run on this machine
 * and not be `--ephemeral`. Resolves with the position of the restored log.
 */
export async function assertBackupRestores(daemon: Served): Promise<number> {
  const folder = newFolder('restored');
  try {
    const to = join(folder, 'backup');
    await operation(daemon, { kind: 'backup', to });
    const { position, treeHash } = await restoreStorage({ from: to, directory: join(folder, 'data') });
    const head: { position: number } = await json(daemon, '/v1/log/head');
    const proof: { from_hash: string } = await json(daemon, `/v1/log/consistency?from=${position}&to=${head.position}`);
    assertSame(treeHash, proof.from_hash, `The tree hash of the restored log at position ${position} differs`);
    return position;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function operation(daemon: Served, request: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const path = '/v1/storage/operations';
  let state: Operation = await json(daemon, path, { method: 'POST', headers, body: JSON.stringify(request) });
  while (state.state === 'running') state = await json(daemon, `${path}/${state.id}?wait=${OPERATION_WAIT_MS}`);
  if (state.error !== null) throw new Error(`The operation failed: ${state.error.message}`);
}

interface Operation {
  readonly id: string;
  readonly state: 'running' | 'done' | 'failed' | 'cancelled';
  readonly error: { readonly message: string } | null;
}

/** Status and body; the body is parsed if it is JSON. */
async function answer(daemon: Served, path: string): Promise<unknown> {
  const response = await daemon.fetch(path);
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  return { status: response.status, body: isJson ? JSON.parse(text) : text };
}

async function json<Answer>(daemon: Served, path: string, init: RequestInit = {}): Promise<Answer> {
  const response = await daemon.fetch(path, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`${init.method ?? 'GET'} ${path} answered ${response.status}: ${text}`);
  return JSON.parse(text) as Answer;
}
