/**
 * A daemon that is killed at a chosen moment of a run and restarted on the same home, with everything that a client
 * received before: the envelopes, the run's stream, the tree.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { Envelope } from '../../src/events/envelope.ts';
import { lastId, wholeEvents, withoutKeepAlives } from '../streams/wire.ts';
import { type ChildDaemon, childDaemon, testDaemon } from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';
import { until } from '../support/until.ts';

/** An envelope with the very bytes it came as. */
export interface Seen {
  readonly envelope: Envelope;
  readonly text: string;
}

export interface Killed {
  readonly id: string;
  /** What a follower of the whole log had seen when the process died. */
  readonly seen: readonly Seen[];
  /** What a reader of the run's stream had in whole events. */
  readonly stream: Buffer;
}

/** Whether the run has come to the moment: asked at each of its events, and every few milliseconds. */
export type Moment = (run: { readonly events: readonly Envelope[]; readonly workspace: string }) => boolean;

const LOOK_MS = 5;
const ORPHANS_GONE_MS = 10_000;

export class Victim {
  readonly home = temporaryFolder('crash-home');
  readonly workspace = temporaryFolder('crash-work');
  readonly #env: NodeJS.ProcessEnv;
  daemon!: ChildDaemon;
  #request!: ChildDaemon['request'];

  constructor(env: NodeJS.ProcessEnv = {}) {
    this.#env = env;
  }

  async start(): Promise<void> {
    this.daemon = await childDaemon({ home: this.home, workspace: this.workspace, env: this.#env });
    this.#request = this.daemon.request;
    await this.#untilWell();
  }

  /** A daemon in this process, which costs less and is stopped at the end of the test. */
  async startHere(): Promise<void> {
    const daemon = await testDaemon({ home: this.home, workspace: this.workspace, env: this.#env });
    onTestFinished(() => daemon.stop());
    this.#request = daemon.request;
    await this.#untilWell();
  }

  async json<Answer>(path: string, init?: RequestInit): Promise<Answer> {
    const response = await this.#request(path, init);
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as Answer;
  }

  async begin(task: string): Promise<string> {
    const body = JSON.stringify({ task, approval: 'full-auto' });
    return (await this.json<{ session_id: string }>('/agent', { method: 'POST', body })).session_id;
  }

  /** Starts a run and kills the daemon at the moment, or answers null when the run ended before it came. */
  async killDuring(task: string, moment: Moment): Promise<Killed | null> {
    const { position } = await this.json<{ position: number }>('/v1/log/head');
    const log: Seen[] = [];
    const run: Envelope[] = [];
    const id = await this.begin(task);
    const dying = { now: false };
    const look = (): void => {
      if (dying.now || !moment({ events: run, workspace: this.workspace })) return;
      dying.now = true;
      process.kill(this.daemon.pid, 'SIGKILL');
    };
    const looking = setInterval(look, LOOK_MS);
    const following = this.#follow(`/v1/events/stream?after=${position}`, (text) => {
      const envelope = JSON.parse(text) as Envelope;
      log.push({ envelope, text });
      if (envelope.stream === `run-${id}`) run.push(envelope);
      look();
      return !dying.now && isTerminal(envelope) && envelope.stream === `run-${id}`;
    });
    const reading = this.#read(`/stream/${id}`);
    const [, stream] = await Promise.all([following, reading]);
    clearInterval(looking);
    if (!dying.now) return null;
    await this.daemon.kill('SIGKILL');
    return { id, seen: log, stream };
  }

  /** Every envelope of the log with its bytes, by the stream that ends nowhere, up to the head. */
  async log(): Promise<readonly Seen[]> {
    const { position } = await this.json<{ position: number }>('/v1/log/head');
    const all: Seen[] = [];
    await this.#follow('/v1/events/stream?after=0', (text) => {
      all.push({ envelope: JSON.parse(text) as Envelope, text });
      return all.at(-1)!.envelope.position >= position;
    });
    return all;
  }

  /** The rest of a run's stream after `stream`, to its end. */
  async rest(id: string, stream: Buffer): Promise<Buffer> {
    const headers = { 'last-event-id': lastId(stream) };
    const response = await this.#request(`/stream/${id}`, { headers });
    return withoutKeepAlives(Buffer.from(await response.arrayBuffer()));
  }

  lines(file: string): number {
    const path = join(this.workspace, file);
    return existsSync(path) ? readFileSync(path, 'utf8').split('\n').length - 1 : 0;
  }

  async #untilWell(): Promise<void> {
    await until(async () => (await this.json<{ status: string }>('/health')).status === 'ok');
  }

  /** Reads the data of events until one is enough, or the connection breaks. */
  async #follow(path: string, enough: (data: string) => boolean): Promise<void> {
    let text = '';
    try {
      const response = await this.#request(path);
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        text += value;
        for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
          const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1];
          text = text.slice(end + 2);
          if (data !== undefined && enough(data)) return await reader.cancel();
        }
      }
    } catch (error) {
      if (!isBroken(error)) throw error;
    }
  }

  /** What could be read of a stream in whole events before it ended or broke. */
  async #read(path: string): Promise<Buffer> {
    const chunks: Uint8Array[] = [];
    try {
      const response = await this.#request(path);
      for await (const chunk of response.body!) chunks.push(chunk);
    } catch (error) {
      if (!isBroken(error)) throw error;
    }
    return wholeEvents(withoutKeepAlives(Buffer.concat(chunks)));
  }
}

/** The connection ended because the daemon died, as it should. */
function isBroken(error: unknown): boolean {
  return error instanceof TypeError && ['fetch failed', 'terminated'].includes(error.message);
}

export function isTerminal({ type }: Envelope): boolean {
  return type === 'RunCompleted' || type === 'RunStopped' || type === 'RunFailed' || type === 'RunCancelled';
}

/** Waits until no process has the word among its arguments; answers those that stay. */
export async function orphansWith(word: string): Promise<readonly number[]> {
  const deadline = Date.now() + ORPHANS_GONE_MS;
  for (;;) {
    const found = processesWith(word);
    if (found.length === 0 || Date.now() > deadline) return found;
    await sleep(20);
  }
}

export function processesWith(word: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => commandOf(pid).includes(word))
    .map(Number);
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}
