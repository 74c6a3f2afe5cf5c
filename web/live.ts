/**
 * The single subscription of the page: every event of the log, in batches. All views are as current as this stream;
 * `connection` is its state.
 *
 * - A broken connection is reopened after the last received event, even after restarts of the daemon.
 * - Each time, the newest received event is compared with the log: a log that was restored from a backup has another.
 * - A tab that is hidden for longer closes its connection; it resumes without a gap when it is shown again.
 */
import { batch, computed, signal } from '@preact/signals';
import { answeredWithin, clientWith, type Envelope, type LogListQuery } from './api.ts';
import { pause } from './lib/pause.ts';

export type Connection =
  | { readonly state: 'connecting' }
  | { readonly state: 'live' }
  | { readonly state: 'resumed'; readonly at: number }
  | { readonly state: 'paused'; readonly since: number }
  | { readonly state: 'cut'; readonly since: number };

const HIDDEN_MS_MAX = 60_000;
const RESUMED_SHOWN_MS = 6_000;
const RETRY_MS = 1_000;
const ANSWER_SECONDS_MAX = 10;
/**
 * The minimum time between batches. It is longer if the page takes long to show a batch, so that the page stays
 * responsive while the log is busy.
 */
const BATCH_MS_MIN = 50;
const BATCH_MS_MAX = 1_000;
const REST_FACTOR = 3;

/** Above every position: the daemon accepts no greater one. */
export const POSITION_MAX = 999_999_999_999_999;

export const connection = signal<Connection>({ state: 'connecting' });
/** Whether the subscription is open. What failed while it was not is tried again when it is. */
export const isOpen = computed(() => connection.value.state === 'live' || connection.value.state === 'resumed');
/** The position of the newest received event. */
export const position = signal(0);
/**
 * Whether the subscription knows where it begins, or could not be opened at first. What is read before it knows may lack
 * an event that it does not bring.
 */
export const hasBegun = signal(false);
/** Counts how often the log was replaced, or the subscription began late: everything loaded before is invalid. */
export const epoch = signal(0);

type Listener = (events: readonly Envelope[]) => void;

const listeners = new Set<Listener>();
let arrived: Envelope[] = [];
let isScheduled = false;
let running: AbortController | null = null;
interface Place {
  readonly position: number;
  readonly leaf: string;
}

/** The newest event that arrived; null before the subscription began. */
let last: Place | null = null;

/** Calls the listener with every batch of events from now on; returns a function that stops it. */
export function onEvents(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function arrive(event: Envelope): void {
  arrived.push(event);
  last = placeOf(event);
  if (isScheduled) return;
  isScheduled = true;
  setTimeout(deliver, BATCH_MS_MIN);
}

function deliver(): void {
  const begun = performance.now();
  const events = arrived;
  arrived = [];
  batch(() => {
    position.value = events.at(-1)!.position;
    for (const listener of listeners) listener(events);
  });
  afterFrame(() => {
    isScheduled = arrived.length > 0;
    const restMs = (performance.now() - begun) * REST_FACTOR;
    if (isScheduled) setTimeout(deliver, Math.min(BATCH_MS_MAX, Math.max(BATCH_MS_MIN, restMs)));
  });
}

/** Resolves when the changes are painted; a hidden page paints nothing. */
function afterFrame(then: () => void): void {
  if (document.hidden) setTimeout(then);
  else requestAnimationFrame(() => setTimeout(then));
}

/** Follows the log until `stopLive`. */
export function startLive(): void {
  if (running !== null) return;
  running = new AbortController();
  void follow(running.signal);
}

export function stopLive(): void {
  running?.abort();
  running = null;
}

/** A client that reports when its stream is open. */
const following = clientWith((send) => async (input, init) => {
  const response = await send(input, init);
  if (response.ok) opened();
  return response;
});

/** For the small request before the stream. */
const asking = clientWith(answeredWithin(ANSWER_SECONDS_MAX));

function opened(): void {
  const before = connection.value.state;
  if (before === 'live' || before === 'resumed') return;
  connection.value = before === 'cut' ? { state: 'resumed', at: Date.now() } : { state: 'live' };
  if (before === 'cut') setTimeout(settle, RESUMED_SHOWN_MS);
}

function settle(): void {
  if (connection.value.state === 'resumed') connection.value = { state: 'live' };
}

function cut(): void {
  if (connection.value.state !== 'cut') connection.value = { state: 'cut', since: Date.now() };
}

/** Runs until it is stopped, for example because the user must pair. */
async function follow(stopped: AbortSignal): Promise<void> {
  while (!stopped.aborted) {
    try {
      const after = await start(stopped);
      const events = following.log.events({ after, signal: stopped, onInterrupted: rethrow });
      for await (const { data } of events) arrive(data);
    } catch {
      // The daemon is unreachable, not ready, or has another token; an ended session stops this.
    }
    if (stopped.aborted) return;
    cut();
    hasBegun.value = true;
    await pause(RETRY_MS, stopped);
  }
}

/** The client would reconnect without a comparison with the log. */
function rethrow(reason: Error): never {
  throw reason;
}

/** The position after which the subscription goes on: that of the newest event, if this is the first log or another. */
async function start(signal: AbortSignal): Promise<number> {
  if (last !== null && (await isInLog(last, signal))) return last.position;
  const newest = await eventOf({ before: POSITION_MAX }, signal);
  const isLate = hasBegun.value;
  last = newest === undefined ? { position: 0, leaf: '' } : placeOf(newest);
  position.value = last.position;
  hasBegun.value = true;
  if (isLate) epoch.value += 1;
  return last.position;
}

async function isInLog({ position: at, leaf }: Place, signal: AbortSignal): Promise<boolean> {
  return at === 0 || (await eventOf({ after: at - 1 }, signal))?.leaf_hash === leaf;
}

async function eventOf(query: LogListQuery, signal: AbortSignal): Promise<Envelope | undefined> {
  return (await asking.log.list({ query: { ...query, limit: 1 }, signal })).events[0];
}

function placeOf({ position: at, leaf_hash: leaf }: Envelope): Place {
  return { position: at, leaf };
}

let hiding: ReturnType<typeof setTimeout> | undefined;

/** A browser has six connections for a host, so a hidden tab releases its own, also one that opens in the background. */
export function watchVisibility(): void {
  document.addEventListener('visibilitychange', followVisibility);
  followVisibility();
}

function followVisibility(): void {
  clearTimeout(hiding);
  if (document.hidden) {
    hiding = setTimeout(() => {
      if (running === null) return;
      stopLive();
      connection.value = { state: 'paused', since: Date.now() };
    }, HIDDEN_MS_MAX);
  } else if (connection.value.state === 'paused') {
    connection.value = { state: 'connecting' };
    startLive();
  }
}
