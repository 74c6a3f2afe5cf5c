/** Three daemons on one log; daemons and the database are killed while clients write and runs go on. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import {
  json,
  lines,
  type NodeDaemon,
  nodeDaemon,
  runEvents,
  slowTool,
  startRun,
  until,
  untilEnded,
} from '../nodes/support.ts';
import { temporaryFolder } from '../support/folders.ts';
import { withPostgres } from '../support/postgres.ts';
import { expectWhole, IS_LONG } from './support.ts';

const DAEMONS = 3;
const CLIENTS = IS_LONG ? 16 : 6;
const ROUNDS = IS_LONG ? 10 : 2;
const RUNS = IS_LONG ? 64 : 12;
const KILLS = IS_LONG ? 10 : 3;
const RETRY_MS = 50;
const ANSWER_MS = 5_000;
const TIMEOUT_MS = IS_LONG ? 1_200_000 : 180_000;
const ENV = { DAYBOOK_LEASE_SECONDS: '1' };
/** The events that end a run. */
const ENDS = new Set(['RunCompleted', 'RunFailed', 'RunCancelled']);

interface Task {
  readonly id: string;
  readonly title: string;
}

/** Daemons of one workspace that are killed and come back on their homes. */
class Nodes {
  readonly workspace = temporaryFolder('workspace');
  readonly #url: string;
  readonly #homes = Array.from({ length: DAEMONS }, () => temporaryFolder('home'));
  readonly #daemons: NodeDaemon[] = [];

  constructor(url: string) {
    this.#url = url;
  }

  async start(): Promise<void> {
    for (let n = 0; n < DAEMONS; n += 1) await this.#startOne(n);
  }

  /** One of them; it may be gone or not there yet. */
  at(n: number): NodeDaemon {
    return this.#daemons[n % DAEMONS]!;
  }

  get all(): readonly NodeDaemon[] {
    return this.#daemons;
  }

  async kill(n: number): Promise<void> {
    await this.at(n).kill('SIGKILL');
    await this.#startOne(n % DAEMONS);
  }

  async #startOne(n: number): Promise<void> {
    const { workspace } = this;
    this.#daemons[n] = await nodeDaemon({ url: this.#url, workspace, home: this.#homes[n]!, env: ENV });
  }
}

/** Creates tasks, each under a key of its own, at whichever daemon answers. */
class Client {
  readonly created = new Map<string, Task>();
  readonly #nodes: Nodes;
  readonly #name: string;
  #isStopped = false;
  #ended: Promise<void> = Promise.resolve();

  constructor(nodes: Nodes, name: string) {
    this.#nodes = nodes;
    this.#name = name;
  }

  start(): void {
    this.#ended = this.#run();
    this.#ended.catch(() => {});
  }

  stop(): Promise<void> {
    this.#isStopped = true;
    return this.#ended;
  }

  async #run(): Promise<void> {
    for (let n = 0; !this.#isStopped; n += 1) {
      const key = `${this.#name}-${n}`;
      this.created.set(key, await this.#create(key, n));
    }
  }

  /** The same request at one daemon after the other until one answers. */
  async #create(key: string, n: number): Promise<Task> {
    for (let attempt = n; ; attempt += 1) {
      const task = await createTask(this.#nodes.at(attempt), key);
      if (task !== null) return task;
      await sleep(RETRY_MS);
    }
  }
}

/** Null when the daemon cannot answer now; throws for any other refusal. */
async function createTask(daemon: NodeDaemon, key: string): Promise<Task | null> {
  const request = daemon.request('/api/tasks', {
    method: 'POST',
    headers: { 'idempotency-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ title: key }),
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  const response = await request.catch(() => null);
  // A daemon that is killed breaks off its answer.
  const text = await response?.text().catch(() => null);
  if (response === null || typeof text !== 'string') return null;
  if (response.status === 503) return null;
  if (response.status !== 200) throw new Error(`POST answered ${response.status}: ${text}`);
  return JSON.parse(text) as Task;
}

withPostgres('three daemons on one log', (cluster) => {
  test(
    'while daemons and the database are killed: each key makes one task, and every daemon gives its first answer',
    async () => {
      const url = await cluster().newLog('connect_timeout_ms=1000&poll_ms=100');
      const nodes = new Nodes(url);
      await nodes.start();
      const clients = Array.from({ length: CLIENTS }, (_, n) => new Client(nodes, `client${n}`));
      onTestFinished(() => void Promise.all(clients.map((client) => client.stop())));
      for (const client of clients) client.start();
      const count = () => clients.reduce((sum, { created }) => sum + created.size, 0);
      for (let round = 0; round < ROUNDS; round += 1) {
        const before = count();
        await until(() => count() >= before + 5 * CLIENTS, 'clients are answered');
        if (round % 2 === 0) await nodes.kill(round);
        else
          await cluster()
            .stop('SIGKILL')
            .then(() => cluster().start());
      }
      const before = count();
      await until(() => count() >= before + 5 * CLIENTS, 'clients are answered after the last kill');
      await Promise.all(clients.map((client) => client.stop()));
      const created = new Map(clients.flatMap((client) => [...client.created]));
      for (const [index, [key, task]] of [...created].entries()) {
        if (index % 5 === 0) expect(await createTask(nodes.at(index), key)).toEqual(task);
      }
      const events = await expectWhole(url, new Map());
      const titles = events
        .filter(({ type }) => type === 'TaskCreated')
        .map(({ data }) => (data as { title?: string }).title);
      expect(titles.toSorted()).toEqual([...created.keys()].sort());
      await expectEqualAnswers(nodes.all, '/api/tasks');
    },
    TIMEOUT_MS,
  );

  test(
    `${RUNS} runs over three daemons with ${KILLS} kills: every run ends once, no tool runs twice`,
    async () => {
      const url = await cluster().newLog('poll_ms=100');
      const nodes = new Nodes(url);
      await nodes.start();
      const ids: string[] = [];
      for (let n = 0; n < RUNS; n += 1) {
        ids.push(await startRun(nodes.at(n), slowTool(`run-${n}`, n % 4)));
        if (n % Math.floor(RUNS / KILLS) === 1) await nodes.kill(n + 1);
      }
      for (const [n, id] of ids.entries()) {
        await untilEnded(nodes.at(n), id);
        const ends = (await runEvents(nodes.at(n), id)).filter(({ type }) => ENDS.has(type));
        expect(ends).toHaveLength(1);
        expect(lines(nodes.workspace, `run-${n}.txt`).filter((line) => line === 'began').length).toBeLessThanOrEqual(1);
      }
      await expectWhole(url, new Map());
    },
    TIMEOUT_MS,
  );
});

/** All daemons give the same answer in the end. */
async function expectEqualAnswers(daemons: readonly NodeDaemon[], path: string): Promise<void> {
  const answers = () => Promise.all(daemons.map((daemon) => json<unknown>(daemon, path)));
  await until(async () => new Set((await answers()).map((each) => JSON.stringify(each))).size === 1, `equal ${path}`);
}
