/**
 * Storing texts and answering questions over HTTP, with the daemon as in `npm start`: each text is parsed, cut,
 * compared with existing ones, appended, synced, folded into the views and the index, and only then answered.
 *
 * - Pages are texts of 12 000 characters, 17 drawers each; notes are texts that fit into one drawer, so each drawer
 *   costs one request; memories are imported, 500 per request.
 * - Every text is new and has its own source. The clients and the texts are in this process, the daemon in another.
 * - At the end the daemon is restarted, and queried as soon as it reports that it is no longer warming.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BenchDaemon,
  cpuSeconds,
  removeFolder,
  residentBytes,
  startDaemon,
  temporaryFolder,
} from '../support/processes.ts';
import { createTexts, type Texts } from './texts.ts';

const CLIENTS = 4;
const PAGE_CHARACTERS = 12_000;
const NOTE_CHARACTERS = 790;
const MEMORY_CHARACTERS = 300;
const MEMORIES_A_REQUEST = 500;
const QUESTIONS = 200;
const FIRST_QUESTIONS = 100;
/** Drawers stored and questions sent before anything is counted, so that code is compiled. */
const UNCOUNTED = 500;
const UNCOUNTED_QUESTIONS = 20;
const RSS_EVERY_MS = 100;
const WARMING_ASKED_EVERY_MS = 50;

export interface HttpSizes {
  /** Stored as pages. */
  readonly drawers: number;
  /** Stored as notes. */
  readonly notes: number;
  readonly memories: number;
}

export interface HttpFigures {
  readonly pages: Intake;
  readonly notes: Intake;
  readonly memoriesPerSecond: number;
  /** For memories alone, and together with ten drawers. */
  readonly memories: Answers;
  readonly withDrawers: Answers;
  readonly rssMb: number;
  readonly peakRssMb: number;
  readonly restart: Restart;
}

export interface Intake {
  readonly drawersPerSecond: number;
  readonly textsPerSecond: number;
  /** Of the daemon's processors. */
  readonly cpuMsPerDrawer: number;
}

export interface Answers {
  readonly p50Ms: number;
  readonly p95Ms: number;
  /** The mean processor time of the daemon, which depends less on other load of the machine. */
  readonly cpuMs: number;
}

export interface Restart {
  /** From the start of the process to the answer of `/health`. */
  readonly healthMs: number;
  /** From then until it no longer reports `warming`. */
  readonly warmingMs: number;
  /** The first questions, for memories and ten drawers. */
  readonly first: Answers;
  readonly firstMs: number;
}

export async function measureHttp({ drawers, notes, memories }: HttpSizes): Promise<HttpFigures> {
  const home = temporaryFolder('memory-http');
  const texts = createTexts(13);
  let daemon = await startDaemon(home);
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, residentMb(daemon));
  }, RSS_EVERY_MS);
  try {
    await takeIn(daemon, talks(texts, { characters: PAGE_CHARACTERS, drawers: UNCOUNTED }));
    const taken = {
      pages: await takeIn(daemon, talks(texts, { characters: PAGE_CHARACTERS, drawers })),
      notes: await takeIn(daemon, talks(texts, { characters: NOTE_CHARACTERS, drawers: notes })),
      memoriesPerSecond: await importAll(daemon, texts, memories),
    };
    await ask(daemon, texts, { count: UNCOUNTED_QUESTIONS, drawers: 10 });
    const asked = {
      memories: await ask(daemon, texts, { count: QUESTIONS, drawers: 0 }),
      withDrawers: await ask(daemon, texts, { count: QUESTIONS, drawers: 10 }),
    };
    const rssMb = residentMb(daemon);
    await daemon.stop();
    const begun = performance.now();
    daemon = await startDaemon(home);
    const restart = await askAfterStart(daemon, texts, begun);
    return { ...taken, ...asked, rssMb, peakRssMb: peak, restart };
  } finally {
    clearInterval(watch);
    await daemon.stop();
    removeFolder(home);
  }
}

/** 0 for a daemon that is stopped and not yet started again. */
function residentMb({ pid }: BenchDaemon): number {
  try {
    return residentBytes(pid) / 1_048_576;
  } catch {
    return 0;
  }
}

function talks(texts: Texts, { characters, drawers }: { characters: number; drawers: number }): readonly string[] {
  const each = Math.max(1, Math.round(characters / 700));
  return Array.from({ length: Math.ceil(drawers / each) }, () => texts.talk(characters).trim());
}

let sources = 0;

async function takeIn(daemon: BenchDaemon, texts: readonly string[]): Promise<Intake> {
  const left = [...texts];
  let drawers = 0;
  const busy = cpuSeconds(daemon.pid);
  const begun = performance.now();
  const client = async (): Promise<void> => {
    for (let content = left.pop(); content !== undefined; content = left.pop()) {
      const answer = await post<{ chunks_created: number }>(daemon, '/memory/chunk', {
        content,
        source: `text ${sources++}`,
      });
      drawers += answer.chunks_created;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  const seconds = (performance.now() - begun) / 1_000;
  return {
    drawersPerSecond: drawers / seconds,
    textsPerSecond: texts.length / seconds,
    cpuMsPerDrawer: ((cpuSeconds(daemon.pid) - busy) * 1_000) / drawers,
  };
}

/** The rate per second. */
async function importAll(daemon: BenchDaemon, texts: Texts, count: number): Promise<number> {
  let imported = 0;
  const begun = performance.now();
  while (imported < count) {
    const length = Math.min(MEMORIES_A_REQUEST, count - imported);
    const entries = Array.from({ length }, () => ({ content: texts.talk(MEMORY_CHARACTERS).trim() }));
    const body = { content: JSON.stringify(entries), format: 'openmemory' };
    imported += (await post<{ imported: number }>(daemon, '/memory/import', body)).imported;
  }
  return imported / ((performance.now() - begun) / 1_000);
}

async function askAfterStart(daemon: BenchDaemon, texts: Texts, begun: number): Promise<Restart> {
  const isWarming = async (): Promise<boolean> => {
    const response = await daemon.request('/health');
    return ((await response.json()) as { memory?: { status?: string } }).memory?.status === 'warming';
  };
  let warming = await isWarming();
  const healthMs = performance.now() - begun;
  while (warming) {
    await sleep(WARMING_ASKED_EVERY_MS);
    warming = await isWarming();
  }
  const warmingMs = performance.now() - begun - healthMs;
  const times: number[] = [];
  const first = await ask(daemon, texts, { count: FIRST_QUESTIONS, drawers: 10, times });
  return { healthMs, warmingMs, first, firstMs: times[0]! };
}

interface Asked {
  readonly count: number;
  readonly drawers: number;
  /** Where the time of each answer is stored, in the order of the questions. */
  readonly times?: number[];
}

async function ask(daemon: BenchDaemon, texts: Texts, { count, drawers, times = [] }: Asked): Promise<Answers> {
  const busy = cpuSeconds(daemon.pid);
  for (let at = 0; at < count; at += 1) {
    const body = { query: texts.question(), limit: 10, ...(drawers > 0 && { drawers }) };
    const begun = performance.now();
    await post(daemon, '/memory/query', body);
    times.push(performance.now() - begun);
  }
  const cpuMs = ((cpuSeconds(daemon.pid) - busy) * 1_000) / count;
  const sorted = times.toSorted((one, other) => one - other);
  return { p50Ms: sorted[Math.floor(count * 0.5)]!, p95Ms: sorted[Math.floor(count * 0.95)]!, cpuMs };
}

async function post<Answer>(daemon: BenchDaemon, path: string, body: object): Promise<Answer> {
  const headers = { 'content-type': 'application/json', ...daemon.headers };
  const response = await daemon.request(path, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${await response.text()}`);
  return (await response.json()) as Answer;
}
