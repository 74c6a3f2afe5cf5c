/** Three daemons of one workspace that are killed and restarted on their homes, and clients that retry for ever. */
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { json, type NodeDaemon, nodeDaemon } from '../nodes/support.ts';
import { temporaryFolder } from '../support/folders.ts';
import { until } from '../support/until.ts';

export const DAEMONS = 3;
const ENV = { DAYBOOK_LEASE_SECONDS: '1', DAYBOOK_RUNS_MAX: '16' };
const RETRY_MS = 50;
const ANSWER_MS = 5_000;
const PATIENCE_MS = 60_000;

export interface Sending {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly key?: string;
  /** Read what has at least this position. */
  readonly from?: string;
}

export interface Answered {
  readonly status: number;
  readonly text: string;
  /** `Daybook-Position`. */
  readonly position: string;
}

export class Nodes {
  readonly workspace = temporaryFolder('workspace');
  readonly #url: string;
  readonly #homes = Array.from({ length: DAEMONS }, () => temporaryFolder('home'));
  readonly #daemons: NodeDaemon[] = [];
  readonly #starting = new Map<number, Promise<void>>();

  constructor(url: string) {
    this.#url = url;
  }

  async start(): Promise<void> {
    onTestFinished(() => this.end());
    for (let n = 0; n < DAEMONS; n += 1) await this.#startOne(n);
  }

  /** Kills what is there. */
  async end(): Promise<void> {
    await Promise.allSettled(this.#starting.values());
    await Promise.all(this.#daemons.map((daemon) => daemon.kill('SIGKILL')));
  }

  /** One of them; it may be gone or not there yet. */
  at(n: number): NodeDaemon {
    return this.#daemons[n % DAEMONS]!;
  }

  get all(): readonly NodeDaemon[] {
    return this.#daemons;
  }

  /** Ends one by a signal; it comes back on its home. Resolves when it is gone; `settled` waits for its return. */
  async endOne(n: number, signal: NodeJS.Signals): Promise<void> {
    const which = n % DAEMONS;
    await this.#starting.get(which);
    await this.at(which).kill(signal);
    this.#starting.set(which, this.#startOne(which));
  }

  /** Kills one and waits for its return. */
  async kill(n: number): Promise<void> {
    await this.endOne(n, 'SIGKILL');
    await this.settled();
  }

  /** Resolves when all daemons are there. */
  async settled(): Promise<void> {
    await Promise.all(this.#starting.values());
  }

  /** The same request at one daemon after the other until one answers. 503 is no answer, nor is a cut connection. */
  async send(n: number, sending: Sending): Promise<Answered> {
    const end = performance.now() + PATIENCE_MS;
    for (let attempt = n; ; attempt += 1) {
      const answered = await trySend(this.at(attempt), sending);
      if (answered !== null) return answered;
      if (performance.now() > end) throw new Error(`No daemon answers ${sending.method} ${sending.path}.`);
      await sleep(RETRY_MS);
    }
  }

  /** All daemons give the same answer in the end. */
  async expectEqual(path: string): Promise<void> {
    let answers: string[] = [];
    const areEqual = async (): Promise<boolean> => {
      answers = await Promise.all(this.all.map(async (each) => JSON.stringify(await json<unknown>(each, path))));
      return new Set(answers).size === 1;
    };
    await until(areEqual, `equal ${path}`).catch((error: Error) => {
      const states = this.all.map(
        ({ process: { exitCode, signalCode }, url, stderr }) =>
          `${url} ${exitCode ?? signalCode ?? 'runs'}: ${stderr()}`,
      );
      throw new Error([error.message, ...answers, ...states].join('\n'));
    });
  }

  async #startOne(n: number): Promise<void> {
    const { workspace } = this;
    this.#daemons[n] = await nodeDaemon({ url: this.#url, workspace, home: this.#homes[n]!, env: ENV });
  }
}

/** Null when the daemon cannot answer now. */
async function trySend(daemon: NodeDaemon, { method, path, body, key, from }: Sending): Promise<Answered | null> {
  const response = await daemon
    .request(path, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(key !== undefined && { 'idempotency-key': key }),
        ...(from !== undefined && { 'daybook-min-position': from }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(ANSWER_MS),
    })
    .catch(() => null);
  // A daemon that is killed breaks off its answer.
  const text = await response?.text().catch(() => null);
  if (response === null || typeof text !== 'string' || response.status === 503) return null;
  return { status: response.status, text, position: response.headers.get('daybook-position') ?? '0' };
}
