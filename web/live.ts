/**
 * The one subscription of the page: every event of the log, in batches of one frame of the screen. All views are as fresh as
 * this stream; `connection` says how it stands.
 *
 * - A cut connection is opened again after the last event that came, over restarts of the daemon too.
 * - A stream without bytes for longer than three keep-alives counts as cut.
 * - A tab that is hidden for longer closes its connection; it resumes without a gap when it is seen again.
 */
import { batch, signal } from '@preact/signals';
import { api, Refused } from './api.ts';
import type { Envelope } from './api-types.ts';
import { pause } from './lib/pause.ts';

export type Connection =
  | { readonly state: 'connecting' }
  | { readonly state: 'live' }
  | { readonly state: 'resumed'; readonly at: number }
  | { readonly state: 'paused'; readonly since: number }
  | { readonly state: 'cut'; readonly since: number; readonly retryAt: number };

const SILENCE_MS_MAX = 45_000;
const RETRY_MS_MIN = 500;
const RETRY_MS_MAX = 8_000;
const HIDDEN_MS_MAX = 60_000;
const RESUMED_SHOWN_MS = 6_000;
/** Batches are at least this far apart, so that a busy log leaves the page time to answer. */
const BATCH_MS_MIN = 50;

export const connection = signal<Connection>({ state: 'connecting' });
/** Position of the newest event that came. */
export const position = signal(0);
/** Counts replaced logs: everything that was read before is void. */
export const epoch = signal(0);

type Listener = (events: readonly Envelope[]) => void;

const listeners = new Set<Listener>();
let arrived: Envelope[] = [];
let isScheduled = false;
let running: AbortController | null = null;
let last = 0;

/** Calls the listener with every batch of events from now on; returns how to stop. */
export function onEvents(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function arrive(event: Envelope): void {
  arrived.push(event);
  last = event.position;
  if (isScheduled) return;
  isScheduled = true;
  setTimeout(deliver, BATCH_MS_MIN);
}

function deliver(): void {
  isScheduled = false;
  const events = arrived;
  arrived = [];
  batch(() => {
    position.value = last;
    for (const listener of listeners) listener(events);
  });
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

async function follow(stopped: AbortSignal): Promise<void> {
  let failures = 0;
  let since: number | null = null;
  while (!stopped.aborted) {
    try {
      await checkHead(stopped);
      await readOne(stopped, () => {
        connection.value = since === null ? { state: 'live' } : { state: 'resumed', at: Date.now() };
        if (since !== null) settleSoon(stopped);
        since = null;
        failures = 0;
      });
    } catch (error) {
      if (stopped.aborted || (error instanceof Refused && error.status === 401)) return;
    }
    if (stopped.aborted) return;
    since ??= Date.now();
    const wait = Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** failures);
    failures += 1;
    connection.value = { state: 'cut', since, retryAt: Date.now() + wait };
    await pause(wait, stopped);
  }
}

function settleSoon(stopped: AbortSignal): void {
  void pause(RESUMED_SHOWN_MS, stopped).then(() => {
    if (connection.value.state === 'resumed') connection.value = { state: 'live' };
  });
}

/** The first head is where the page begins; a head before the last event means that this is another log. */
async function checkHead(signal: AbortSignal): Promise<void> {
  const head = await api.log.head({ signal });
  if (last !== 0 && head.position >= last) return;
  if (last !== 0) epoch.value += 1;
  last = head.position;
  position.value = last;
}

async function readOne(stopped: AbortSignal, opened: () => void): Promise<void> {
  const link = new AbortController();
  let silence: ReturnType<typeof setTimeout> | undefined;
  const received = (): void => {
    clearTimeout(silence);
    silence = setTimeout(() => link.abort(), SILENCE_MS_MAX);
  };
  try {
    received();
    for await (const event of api.log.events(last, AbortSignal.any([stopped, link.signal]), { opened, received })) {
      arrive(event);
    }
  } finally {
    clearTimeout(silence);
    link.abort();
  }
}

let hiding: ReturnType<typeof setTimeout> | undefined;

/** A browser has six connections for a host, so a hidden tab gives its own back. */
export function watchVisibility(): void {
  document.addEventListener('visibilitychange', () => {
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
  });
}
