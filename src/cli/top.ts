/** `daybook top`: shows runs, throughput, latency and store of the daemon, and refreshes them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import type { Health, JobRecord, StorageStats } from '../client/client.ts';
import { percent } from '../lib/percent.ts';
import type { Client } from './client.ts';
import { notes } from './help.ts';
import { shortId } from './ids.ts';
import { untilInterrupted } from './interrupt.ts';
import { type AnswerOptions, answerOptions, wholeNumber } from './options.ts';
import { createScreen } from './screen.ts';
import { withLog } from './temporary-daemon.ts';
import { bytes, counted, duration, facts, printJson, stateCell, styled, table, took } from './text.ts';

interface TopOptions extends AnswerOptions {
  readonly interval: string;
  readonly count?: string;
}

/**
 * Least time between two requests of the same kind. The daemon admits 60 requests a minute, and 10 without a token (its
 * health); with these limits the command sends at most 40 and 4. Events arrive over one subscription.
 */
const REQUEST_EVERY_MS = 5_000;
const SLOW_REQUEST_EVERY_MS = 15_000;
const SAMPLES_MAX = 60;
/** The longest time of a timer of Node. */
const INTERVAL_SECONDS_MAX = 2_147_483;

const HELP = `
Events per second are those of the log since the last picture. The latency is the round trip of a small request.
Runs, approvals and latency are at most 5 seconds old, store and views 15, whatever the interval.
Without a terminal, one picture is printed, or with --json one line per picture until Ctrl-C; --count changes both.

  daybook top
  daybook top --json --interval 10 >> figures.jsonl
`;

export function command(): Command {
  const command = new Command('top')
    .description('Watch what the daemon does: runs, throughput, latency, store.')
    .option('--interval <seconds>', 'seconds between two pictures', '5')
    .option('--count <n>', 'end after this many pictures')
    .action(top);
  return answerOptions(command, 'the figures of each picture as a JSON line').addHelpText('after', notes(HELP));
}

async function top(options: TopOptions): Promise<void> {
  const intervalMs = wholeNumber(options.interval, '--interval', { min: 1, max: INTERVAL_SECONDS_MAX }) * 1_000;
  const isEndless = options.json === true || process.stdout.isTTY;
  const count = options.count === undefined ? undefined : wholeNumber(options.count, '--count', { min: 1 });
  const pictures = count ?? (isEndless ? Number.POSITIVE_INFINITY : 1);
  await withLog(options, (client) =>
    untilInterrupted(async (signal) => {
      const screen = createScreen();
      const ended = new AbortController();
      const sample = sampler(client, AbortSignal.any([signal, ended.signal]));
      const show = (now: Sample): Promise<void> =>
        options.json === true ? printJson(figuresOf(now)) : screen.show(pictureOf(now));
      const showFailure = (error: string): Promise<void> =>
        options.json === true ? printJson({ at: Date.now(), error }) : screen.show(`${styled('red', error)}\n`);
      try {
        await show(await sample());
        for (let shown = 1; shown < pictures && !signal.aborted; shown += 1) {
          await sleep(intervalMs, undefined, { signal });
          // A failure does not end the command: the daemon may be restarting.
          await sample().then(show, (error: Error) => (signal.aborted ? undefined : showFailure(error.message)));
        }
      } catch (error) {
        if (!signal.aborted) throw error;
      } finally {
        ended.abort();
        await screen.close();
      }
    }),
  );
}

interface Sample {
  readonly at: number;
  readonly health: Health;
  /** Position of the last event of the log. */
  readonly position: number;
  readonly runs: readonly JobRecord[];
  readonly approvals: number;
  readonly store: StorageStats;
  /** Milliseconds of the last requests, the newest at the end. */
  readonly latencies: readonly number[];
  /** Events per second of the last samples, the newest at the end. The first sample has none. */
  readonly rates: readonly number[];
}

/** Returns the last answer while it is younger than `maxAgeMs`. */
function cached<Value>(maxAgeMs: number, ask: () => Promise<Value>): () => Promise<Value> {
  let last: { readonly at: number; readonly value: Value } | undefined;
  return async () => {
    if (last === undefined || performance.now() - last.at >= maxAgeMs) {
      last = { at: performance.now(), value: await ask() };
    }
    return last.value;
  };
}

function sampler(client: Client, signal: AbortSignal): () => Promise<Sample> {
  const { api } = client;
  const runsNow = cached(REQUEST_EVERY_MS, () => api.runs.list({ query: { status: 'running,queued' }, signal }));
  const approvalsNow = cached(
    REQUEST_EVERY_MS,
    async () => (await api.approvals.list({ query: { status: 'pending' }, signal })).approvals.length,
  );
  const storeNow = cached(SLOW_REQUEST_EVERY_MS, () => api.storage.stats({ signal }));
  let healthAt = 0;
  const healthNow = cached(SLOW_REQUEST_EVERY_MS, async () => {
    healthAt = performance.now();
    return api.health.get({ signal });
  });
  const latencies: number[] = [];
  const measure = cached(REQUEST_EVERY_MS, async () => {
    const began = performance.now();
    const { position } = await api.log.head({ signal });
    latencies.push(performance.now() - began);
    if (latencies.length > SAMPLES_MAX) latencies.shift();
    return position;
  });
  const rates: number[] = [];
  let last: { readonly at: number; readonly position: number } | undefined;
  let followed = 0;
  return async () => {
    const [runs, approvals, store, health] = [
      await runsNow(),
      await approvalsNow(),
      await storeNow(),
      await healthNow(),
    ];
    // Measured last, when the connection is open.
    const head = await measure();
    if (followed === 0) {
      followed = head;
      void follow(client, { after: head, signal, onPosition: (position) => (followed = position) });
    }
    const at = performance.now();
    const position = Math.max(head, followed);
    if (last !== undefined) rates.push(Math.max(0, ((position - last.position) * 1_000) / Math.max(1, at - last.at)));
    if (rates.length > SAMPLES_MAX) rates.shift();
    last = { at, position };
    const uptime_seconds = health.uptime_seconds + (at - healthAt) / 1_000;
    const answers = { health: { ...health, uptime_seconds }, runs, approvals, store };
    return { at: Date.now(), position, ...answers, latencies, rates };
  };
}

interface Following {
  readonly after: number;
  readonly signal: AbortSignal;
  onPosition(position: number): void;
}

/** Follows the log across restarts of the daemon. */
async function follow(client: Client, { after, signal, onPosition }: Following): Promise<void> {
  const open: Parameters<Client['follow']>[0] = (api, options) => api.log.events({ ...options, after });
  try {
    for await (const { id } of client.follow(open, { signal })) onPosition(Number(id));
  } catch {
    // The requests of the next picture report the failure.
  }
}

/** One line of `--json`. */
function figuresOf({ at, health, position, runs, approvals, store, latencies, rates }: Sample): object {
  return {
    at,
    status: health.status,
    uptime_seconds: health.uptime_seconds,
    position,
    views_behind: behind(health),
    events_per_second: rates.at(-1) ?? null,
    latency_ms: latencies.at(-1),
    running: runs.filter(({ status }) => status === 'running').length,
    queued: runs.filter(({ status }) => status === 'queued').length,
    approvals,
    store,
  };
}

function pictureOf(sample: Sample): string {
  const { health, position, runs, approvals, latencies, rates, at } = sample;
  const { version, uptime_seconds, log, views } = health;
  const running = runs.filter(({ status }) => status === 'running').length;
  const sorted = latencies.toSorted((a, b) => a - b);
  const waiting = `${approvals} waiting`;
  const head = `daybook ${version} · up ${duration(uptime_seconds * 1_000)} · ${new Date(at).toTimeString().slice(0, 8)}`;
  const failure = log.failure ?? views.unavailable;
  return [
    `${styled('bold', head)}\n`,
    failure === null ? '' : `${styled('red', failure)}\n`,
    '\n',
    facts([
      ['events', `${position}${rates.length === 0 ? '' : ` · ${rates.at(-1)!.toFixed(1)} /s ${barsOf(rates)}`}`],
      ['latency', `${ms(latencies.at(-1))} · median ${ms(sorted[sorted.length >> 1])} · worst ${ms(sorted.at(-1))}`],
      ['runs', `${running} running · ${runs.length - running} queued · approvals: ${waiting}`],
      ['views', behind(health) === 0 ? 'up to date' : `${counted(behind(health), 'event')} behind`],
      ['store', storeOf(sample.store)],
    ]),
    `\n${runsOf(sample)}`,
  ].join('');
}

function behind({ log, views }: Health): number {
  return Math.max(0, log.position - views.position);
}

function ms(value = 0): string {
  return `${value.toFixed(1)} ms`;
}

const BARS = [...'▁▂▃▄▅▆▇█'];
const BARS_SHOWN = 16;

/** The last values as bars; the greatest has the full height of a line. */
function barsOf(values: readonly number[]): string {
  const shown = values.slice(-BARS_SHOWN);
  const most = Math.max(...shown, 1);
  return shown.map((value) => BARS[Math.round((value / most) * (BARS.length - 1))]).join('');
}

function storeOf({ backend, disk_bytes, wal_bytes, cache_hits, cache_misses }: StorageStats): string {
  const reads = cache_hits + cache_misses;
  const hits = reads === 0 ? '' : ` · cache hits ${percent(cache_hits / reads)}`;
  return `${backend} · ${bytes(disk_bytes)} on disk · write-ahead log ${bytes(wal_bytes)}${hits}`;
}

function runsOf({ runs, at }: Sample): string {
  if (runs.length === 0) return `${styled('dim', 'No run is going on.')}\n`;
  const rows = runs.map((run) => [
    shortId(run.session_id),
    stateCell(run.status),
    took(run, at),
    String(run.steps_completed),
    String(run.tokens_used),
    run.provider,
    run.task,
  ]);
  const head = ['RUN', 'STATUS', 'FOR', 'STEPS', 'TOKENS', 'PROVIDER', 'TASK'];
  return table([head, ...rows], { optional: ['PROVIDER', 'TOKENS', 'STEPS'] });
}
