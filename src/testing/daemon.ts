/** Runs a `TestDaemon` in the process of the test. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createClient } from '../client/client.ts';
import { type Flags, loadConfig } from '../config/load.ts';
import { type Daemon, startDaemon } from '../daemon.ts';
import { idsOn, systemClock, systemIds } from '../integrations/system.ts';
import { systemTimers } from '../lib/timers.ts';
import type { Clock } from '../ports/clock.ts';
// Most tests use this engine: it is loaded with this module, not when the first daemon starts.
import '../storage/cow/engine.ts';
import type { EventLog, RecordedEvent } from '../storage/event-log.ts';
import { LOCK_FILE } from '../storage/lock.ts';
import { type TestClock, testClock } from './clock.ts';
import { crashImage, newFolder, newMemoryFolder } from './folders.ts';
import { LosingDisk } from './losing-disk.ts';
import { type ScriptedModel, scriptedModel } from './scripted-model.ts';
import type { EventMatch, TestDaemon, TestDaemonOptions } from './test-daemon.ts';

/** The daemon was used while it was not running. */
export class NotRunning extends Error {
  constructor() {
    super('The daemon is not running: it was killed or stopped.');
    this.name = 'NotRunning';
  }
}

/** Rate limits that no test reaches; the environment of a test can set others. */
const RATES = { DAYBOOK_RATE_AUTHENTICATED: '1000000000', DAYBOOK_RATE_PUBLIC: '1000000000' };
/** The daemon is quiet after this number of turns of the event loop without any sign of work. */
const QUIET_TURNS = 6;
const EVENT_SECONDS = 10;

/** Starts a daemon; `await using` stops it and removes its folders at the end of the block. */
export async function startTestDaemon(options: TestDaemonOptions = {}): Promise<TestDaemon> {
  const daemon = new InProcessDaemon(options);
  await daemon.restart();
  return daemon;
}

interface Running {
  readonly daemon: Daemon;
  readonly disk: LosingDisk;
}

class InProcessDaemon implements TestDaemon {
  readonly home: string;
  readonly workspace: string;
  readonly lines: string[] = [];
  readonly client = createClient({
    url: () => this.url,
    token: () => this.#token,
    onRetry: () => {
      if (this.#isCutOff) throw new NotRunning();
    },
  });
  readonly #options: TestDaemonOptions;
  readonly #clock: TestClock | null;
  readonly #time: Clock;
  readonly #model: ScriptedModel | null;
  readonly #ids;
  #port = 0;
  #url = '';
  #token = '';
  #isCutOff = false;
  #running: Running | null = null;

  constructor(options: TestDaemonOptions) {
    const { clock = testClock(), models = scriptedModel() } = options;
    this.#options = options;
    this.#clock = clock !== 'system' && isTestClock(clock) ? clock : null;
    this.#time = clock === 'system' ? systemClock : clock;
    this.#model = models === 'configured' ? null : models;
    this.#ids = this.#clock === null ? systemIds : idsOn(this.#clock);
    this.home = options.home ?? newMemoryFolder('home');
    // Not in memory: tools refuse to work below /dev.
    this.workspace = options.workspace ?? newFolder('workspace');
    const settings = join(this.home, 'storage.json');
    if (options.home === undefined) writeFileSync(settings, '{"disk_reserve_bytes":0,"backup":{"enabled":false}}');
  }

  get url(): string {
    return this.#url;
  }

  get token(): string {
    return this.#token;
  }

  get app(): Daemon['app'] {
    return this.#alive.daemon.app;
  }

  get log(): EventLog {
    return this.#alive.daemon.log;
  }

  get clock(): TestClock {
    if (this.#clock === null) throw new Error('This daemon uses the clock of the machine.');
    return this.#clock;
  }

  get model(): ScriptedModel {
    if (this.#model === null) throw new Error('This daemon has no scripted model.');
    return this.#model;
  }

  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (!headers.has('authorization')) headers.set('authorization', `Bearer ${this.token}`);
    return fetch(this.url + path, { ...init, headers });
  }

  async json<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await this.fetch(path, { method, ...sent, headers: { 'content-type': 'application/json' } });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
    return (text === '' ? null : JSON.parse(text)) as Answer;
  }

  async event(match: EventMatch, { after = 0, seconds = EVENT_SECONDS } = {}): Promise<RecordedEvent> {
    const matches = typeof match === 'string' ? (event: RecordedEvent) => event.type === match : match;
    const { log } = this;
    for (const event of log.readAll({ after })) if (matches(event)) return event;
    const { promise, resolve, reject } = Promise.withResolvers<RecordedEvent>();
    const forget = log.onAppended((events) => {
      const found = events.find((event) => event.position > after && matches(event));
      if (found !== undefined) resolve(found);
    });
    using _late = setTimeout(() => reject(new Error(missing(log, match, seconds))), seconds * 1_000);
    return await promise.finally(forget);
  }

  async kill(): Promise<void> {
    const running = this.#running;
    if (running === null) return;
    this.#running = null;
    this.#clock?.settling.clear();
    running.disk.crash();
    const restore = crashImage(this.home, [join('data', LOCK_FILE)]);
    running.daemon.app.server.closeAllConnections();
    // Fails, because the daemon can no longer record its stop.
    await running.daemon.stop().catch(() => undefined);
    restore();
  }

  async killAt(change: number, request: Promise<unknown>): Promise<void> {
    const { daemon, disk } = this.#alive;
    const { promise: crashed, resolve } = Promise.withResolvers<void>();
    disk.crashAt(change, () => {
      this.#isCutOff = true;
      daemon.app.server.closeAllConnections();
      resolve();
    });
    await Promise.race([crashed, request.catch(() => undefined)]);
    await this.kill();
  }

  async restart(): Promise<void> {
    await this.stop();
    const { resources = [], env: given = {} } = this.#options;
    const disk = new LosingDisk();
    const env = { PATH: process.env.PATH, ...RATES, ...given };
    const timers = this.#clock ?? systemTimers;
    const daemon = await startDaemon({
      config: loadConfig(env, this.#flags(), this.workspace),
      env,
      announce: (line) => void this.lines.push(line),
      clock: this.#time,
      timers,
      ids: this.#ids,
      models: this.#model?.connect(timers),
      disk,
      extensions: resources,
    });
    this.#port = daemon.port;
    this.#url = daemon.url;
    this.#token = daemon.token;
    this.#isCutOff = false;
    this.#running = { daemon, disk };
    this.#clock?.settling.add(() => this.#quiet());
  }

  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = null;
    this.#clock?.settling.clear();
    await running?.daemon.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    const { home, workspace } = this.#options;
    if (home === undefined) rmSync(this.home, { recursive: true, force: true, maxRetries: 5 });
    if (workspace === undefined) rmSync(this.workspace, { recursive: true, force: true, maxRetries: 5 });
  }

  get #alive(): Running {
    if (this.#running === null) throw new NotRunning();
    return this.#running;
  }

  #flags(): Flags {
    const { backend, settings = {} } = this.#options;
    return {
      port: this.#port,
      storage_ops_port: 'off',
      ...(backend === 'memory' ? { ephemeral: true } : backend === undefined ? {} : { backend }),
      ...settings,
      home: this.home,
      workspace: this.workspace,
    };
  }

  /** Waits until no sync is in progress, and the log, the timers and the model calls do not change for a few turns. */
  async #quiet(): Promise<void> {
    let before = '';
    for (let turns = 0; turns < QUIET_TURNS && this.#running !== null; ) {
      await nextTurn();
      const { daemon, disk } = this.#running;
      const signs = [daemon.log.head().position, this.#clock?.waiting, this.#model?.requests.length].join(' ');
      turns = signs === before && disk.syncing === 0 ? turns + 1 : 0;
      before = signs;
    }
  }
}

function isTestClock(clock: TestClock | Clock): clock is TestClock {
  return 'advance' in clock;
}

function missing(log: EventLog, match: EventMatch, seconds: number): string {
  const newest = [...log.readAll({ reverse: true, limit: 10 })].reverse();
  const types = newest.map(({ position, type }) => `${position} ${type}`).join(', ');
  const wanted = typeof match === 'string' ? `event ${match}` : 'event that matches';
  return `No ${wanted} was recorded in ${seconds} s. The newest events: ${types || 'none'}.`;
}
