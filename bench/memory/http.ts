/**
 * Texts taken in and questions answered by the daemon over HTTP, as `npm start` runs it: each text is parsed, cut,
 * compared with what is there, appended, synced, folded into the views and the index, and only then answered.
 *
 * - Pages are texts of 12 000 characters, 17 drawers each; notes are texts that fit one drawer, so each drawer costs a
 *   request and a sync of its own.
 * - Every text is new, and has a source of its own. The clients and the texts are in this process, the daemon in its own.
 */
import { performance } from 'node:perf_hooks';
import { type BenchDaemon, cpuSeconds, removeFolder, startDaemon, temporaryFolder } from '../support/processes.ts';
import { createTexts } from './texts.ts';

const CLIENTS = 4;
const PAGE_CHARACTERS = 12_000;
const NOTE_CHARACTERS = 790;
const QUESTIONS = 200;
/** Drawers taken in before anything is counted: code is compiled. */
const UNCOUNTED = 500;

export interface HttpFigures {
  readonly pages: Intake;
  readonly notes: Intake;
  readonly queryP50Ms: number;
  readonly queryP95Ms: number;
}

export interface Intake {
  readonly drawersPerSecond: number;
  readonly textsPerSecond: number;
  /** Of the daemon's processors. */
  readonly cpuMsPerDrawer: number;
}

export async function measureHttp(drawers: number): Promise<HttpFigures> {
  const home = temporaryFolder('memory-http');
  const daemon = await startDaemon(home);
  try {
    const texts = createTexts(13);
    const make = (characters: number, count: number) =>
      Array.from({ length: count }, () => texts.talk(characters).trim());
    await takeIn(daemon, make(PAGE_CHARACTERS, Math.ceil(UNCOUNTED / 17)));
    const pages = await takeIn(daemon, make(PAGE_CHARACTERS, Math.ceil(drawers / 17)));
    const notes = await takeIn(daemon, make(NOTE_CHARACTERS, Math.ceil(drawers / 10)));
    const times: number[] = [];
    for (let at = 0; at < QUESTIONS; at += 1) {
      const body = { query: texts.question(), limit: 1, drawers: 10 };
      const begun = performance.now();
      await post(daemon, '/memory/query', body);
      times.push(performance.now() - begun);
    }
    times.sort((a, b) => a - b);
    return { pages, notes, queryP50Ms: times[QUESTIONS * 0.5]!, queryP95Ms: times[QUESTIONS * 0.95]! };
  } finally {
    await daemon.stop();
    removeFolder(home);
  }
}

let sources = 0;

async function takeIn(daemon: BenchDaemon, texts: readonly string[]): Promise<Intake> {
  const left = [...texts];
  let drawers = 0;
  const busy = cpuSeconds(daemon.pid);
  const begun = performance.now();
  const client = async (): Promise<void> => {
    for (let content = left.pop(); content !== undefined; content = left.pop()) {
      const answer = await post(daemon, '/memory/chunk', { content, source: `text ${sources++}` });
      drawers += (answer as { chunks_created: number }).chunks_created;
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

async function post(daemon: BenchDaemon, path: string, body: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json', ...daemon.headers };
  const response = await daemon.request(path, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${await response.text()}`);
  return response.json();
}
