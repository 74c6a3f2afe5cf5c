/**
 * Produces events while the page is measured: runs whose model writes words, always four at once, and tasks to reach
 * the requested number of events per second.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { head, pause } from '../support/common.ts';
import type { BenchDaemon } from '../support/processes.ts';

const RUNS_AT_ONCE = 4;
const WORDS =
  'The import reads three formats and two of them share a reader which has no test for **dates** yet '.split(' ');
/** The daemon records words that are 20 ms apart as separate events. */
const WORD_MS = 40;
const WORDS_OF_AN_ANSWER = 400;
const TICK_MS = 50;
/** After a pause, events come at most this many times as fast as requested. */
const CATCH_UP = 3;
/** The most unanswered requests: a daemon that needs more than a second for them is overloaded. */
const IN_FLIGHT_MAX = 256;

export interface Provider {
  readonly env: NodeJS.ProcessEnv;
  close(): void;
}

/** A model provider with the OpenAI protocol that writes an answer for 16 seconds. */
export async function startProvider(): Promise<Provider> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    answer(response);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    env: {
      DAYBOOK_PROVIDER: 'openrouter',
      DAYBOOK_MODEL: 'bench-1',
      OPENROUTER_API_KEY: 'k',
      OPENROUTER_BASE_URL: `http://127.0.0.1:${port}/v1`,
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function answer(response: ServerResponse): void {
  let written = 0;
  const timer = setInterval(() => {
    if (response.destroyed) clearInterval(timer);
    else if (written === WORDS_OF_AN_ANSWER) {
      clearInterval(timer);
      response.end(`${frame({}, 'stop')}data: [DONE]\n\n`);
    } else response.write(frame({ content: `${WORDS[written++ % WORDS.length]} ` }, null));
  }, WORD_MS);
}

function frame(delta: object, finish_reason: string | null): string {
  const choices = [{ index: 0, delta, finish_reason }];
  return `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'bench-1', choices })}\n\n`;
}

export interface Load {
  /** Events per second since the start. */
  rate(): Promise<number>;
  stop(): Promise<void>;
}

export async function startLoad(daemon: BenchDaemon, eventsPerSecond: number): Promise<Load> {
  const stopped = new AbortController();
  const begun = performance.now();
  const from = await head(daemon);
  const rate = async (): Promise<number> => ((await head(daemon)) - from) / ((performance.now() - begun) / 1_000);
  const work = Promise.all([
    keepRunning(daemon, stopped.signal),
    keepUp(daemon, { from, begun, eventsPerSecond, signal: stopped.signal }),
  ]);
  return {
    rate,
    async stop() {
      stopped.abort();
      await work;
    },
  };
}

async function keepRunning(daemon: BenchDaemon, signal: AbortSignal): Promise<void> {
  for (let count = 0; !signal.aborted; ) {
    const active = (await (await daemon.request('/jobs?status=queued,running')).json()) as unknown[];
    for (let each = active.length; each < RUNS_AT_ONCE; each += 1) {
      await post(daemon, '/agent', { task: `Look at part ${count++} of the import`, approval: 'suggest' });
    }
    await pause(1_000);
  }
}

interface Pace {
  readonly from: number;
  readonly begun: number;
  readonly eventsPerSecond: number;
  readonly signal: AbortSignal;
}

/**
 * Adds a task for each event that the runs did not produce. It does not wait for answers, so that a daemon or machine
 * that is briefly slow still gets the full rate.
 */
async function keepUp(daemon: BenchDaemon, { from, begun, eventsPerSecond, signal }: Pace): Promise<void> {
  const most = (eventsPerSecond * TICK_MS * CATCH_UP) / 1_000;
  const sent = new Set<Promise<void>>();
  let failure: Error | null = null;
  while (!signal.aborted) {
    if (failure !== null) throw failure;
    const there = await head(daemon);
    const due = from + (eventsPerSecond * (performance.now() - begun)) / 1_000;
    const missing = Math.min(most, IN_FLIGHT_MAX - sent.size, Math.floor(due - there - sent.size));
    for (let each = 0; each < missing; each += 1) {
      const one = post(daemon, '/api/tasks', { title: 'Water the plants' })
        .catch((error: Error) => {
          failure = error;
        })
        .finally(() => sent.delete(one));
      sent.add(one);
    }
    await pause(TICK_MS);
  }
  await Promise.all(sent);
}

async function post(daemon: BenchDaemon, path: string, body: unknown): Promise<void> {
  const response = await daemon.request(path, { method: 'POST', body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
}
