/** `daybook top`: what the daemon does now, again and again: runs, throughput, latency, store. */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import type { Health, JobRecord, StorageStats } from '../client/client.ts';
import type { Client } from './client.ts';
import { shortId } from './ids.ts';
import { untilInterrupted } from './interrupt.ts';
import { type AnswerOptions, answerOptions, positiveNumber } from './options.ts';
import { createScreen } from './screen.ts';
import { withLog } from './temporary-daemon.ts';
import { bytes, duration, facts, printJson, stateCell, styled, table } from './text.ts';

interface TopOptions extends AnswerOptions {
  readonly interval: string;
  readonly count?: string;
}

/** The store is asked at every third picture only: the daemon limits the requests of a minute. */
const STORE_EVERY = 3;
const SAMPLES_MAX = 60;

const HELP = `
Events a second are those of the log since the picture before. The latency is that of a small request, there and back.
Elsewhere than on a terminal one picture is printed, with --json a line for each until Ctrl-C; --count changes both.

  daybook top
  daybook top --json --interval 10 >> figures.jsonl
`;

export function topCommand(): Command {
  const command = new Command('top')
    .description('Watch what the daemon does: runs, throughput, latency, store.')
    .option('--interval <seconds>', 'between two pictures', '5')
    .option('--count <n>', 'end after so many pictures')
    .action(top);
  return answerOptions(command).addHelpText('after', HELP);
}

async function top(options: TopOptions): Promise<void> {
  const intervalMs = positiveNumber(options.interval, '--interval') * 1_000;
  const isEndless = options.json === true || process.stdout.isTTY;
  const count = options.count === undefined ? undefined : positiveNumber(options.count, '--count');
  const pictures = count ?? (isEndless ? Number.POSITIVE_INFINITY : 1);
  await withLog(options, (client) =>
    untilInterrupted(async (signal) => {
      const screen = createScreen();
      const sample = sampler(client, signal);
      const show = (now: Sample): Promise<void> =>
        options.json === true ? printJson(figuresOf(now)) : screen.show(pictureOf(now));
      const showFailure = (error: string): Promise<void> =>
        options.json === true ? printJson({ at: Date.now(), error }) : screen.show(`${styled('red', error)}\n`);
      try {
        await show(await sample());
        for (let shown = 1; shown < pictures && !signal.aborted; shown += 1) {
          await sleep(intervalMs, undefined, { signal });
          // The daemon may be started again.
          await sample().then(show, (error: Error) => (signal.aborted ? undefined : showFailure(error.message)));
        }
      } catch (error) {
        if (!signal.aborted) throw error;
      } finally {
        await screen.close();
      }
    }),
  );
}

interface Sample {
  readonly at: number;
  readonly health: Health;
  readonly runs: readonly JobRecord[];
  readonly approvals: number;
  readonly store: StorageStats;
  /** Of the last requests, the newest at the end, in milliseconds. */
  readonly latencies: readonly number[];
  /** Of the last samples, the newest at the end; of the first there is none. */
  readonly rates: readonly number[];
}

function sampler({ api }: Client, signal: AbortSignal): () => Promise<Sample> {
  let last: Sample | undefined;
  let taken = 0;
  return async () => {
    const runs = await api.runs.list({ query: { status: 'running,queued' }, signal });
    const { approvals } = await api.approvals.list({ query: { status: 'pending' }, signal });
    const store = last === undefined || taken % STORE_EVERY === 0 ? await api.storage.stats({ signal }) : last.store;
    taken += 1;
    // Last, so that the connection is there.
    const began = performance.now();
    const health = await api.health.get({ signal });
    const latency = performance.now() - began;
    const at = Date.now();
    const rate = last && ((health.log.position - last.health.log.position) * 1_000) / Math.max(1, at - last.at);
    last = {
      at,
      health,
      runs,
      approvals: approvals.length,
      store,
      latencies: [...(last?.latencies ?? []), latency].slice(-SAMPLES_MAX),
      rates: [...(last?.rates ?? []), ...(rate === undefined ? [] : [Math.max(0, rate)])].slice(-SAMPLES_MAX),
    };
    return last;
  };
}

/** What a line of `--json` holds. */
function figuresOf({ at, health, runs, approvals, store, latencies, rates }: Sample): object {
  return {
    at,
    status: health.status,
    uptime_seconds: health.uptime_seconds,
    position: health.log.position,
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
  const { health, runs, approvals, latencies, rates, at } = sample;
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
      ['events', `${log.position}${rates.length === 0 ? '' : ` · ${rates.at(-1)!.toFixed(1)} /s ${barsOf(rates)}`}`],
      ['latency', `${ms(latencies.at(-1))} · median ${ms(sorted[sorted.length >> 1])} · worst ${ms(sorted.at(-1))}`],
      ['runs', `${running} running · ${runs.length - running} queued · approvals: ${waiting}`],
      ['views', behind(health) === 0 ? 'up to date' : `${behind(health)} events behind`],
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

/** The last values as columns, the greatest as high as a line. */
function barsOf(values: readonly number[]): string {
  const shown = values.slice(-BARS_SHOWN);
  const most = Math.max(...shown, 1);
  return shown.map((value) => BARS[Math.round((value / most) * (BARS.length - 1))]).join('');
}

function storeOf({ backend, disk_bytes, wal_bytes, cache_hits, cache_misses, failure }: StorageStats): string {
  if (failure !== null) return failure;
  const reads = cache_hits + cache_misses;
  const hits = reads === 0 ? '' : ` · cache hits ${Math.round((cache_hits / reads) * 100)} %`;
  return `${backend} · ${bytes(disk_bytes)} on disk · write-ahead log ${bytes(wal_bytes)}${hits}`;
}

function runsOf({ runs, at }: Sample): string {
  if (runs.length === 0) return styled('dim', 'No run is going on.\n');
  const rows = runs.map((run) => [
    shortId(run.session_id),
    stateCell(run.status),
    duration(at - run.started_at),
    String(run.steps_completed),
    String(run.tokens_used),
    run.provider,
    run.task,
  ]);
  const head = ['RUN', 'STATUS', 'FOR', 'STEPS', 'TOKENS', 'PROVIDER', 'TASK'];
  return table([head, ...rows], { optional: ['PROVIDER', 'TOKENS', 'STEPS'] });
}
