/** A daemon for tests, as tests see it: its options and its operations. `startTestDaemon` starts one. */
import type { Client } from '../client/client.ts';
import type { Daemon } from '../daemon.ts';
import type { Clock } from '../ports/clock.ts';
import type { Resource } from '../resource.ts';
import type { DaemonParts } from '../resources.ts';
import type { EventLog, RecordedEvent } from '../storage/event-log.ts';
import type { TestClock } from './clock.ts';
import type { ScriptedModel } from './scripted-model.ts';

export interface TestDaemonOptions {
  /**
   * The storage engine. Default: `cow`, in a file system in memory if the machine has one. `memory` is the daemon’s
   * `--ephemeral`: a restart loses everything.
   */
  readonly backend?: 'cow' | 'lsm' | 'embedded_kv' | 'memory';
  /**
   * Default: a new `testClock()`. `system`: the clock and the timers of the machine. Any other clock is used for
   * timestamps only, with the timers of the machine.
   */
  readonly clock?: TestClock | Clock | 'system';
  /** Default: an empty script. `configured`: as `env` and `settings` say, else the daemon’s built-in script. */
  readonly models?: ScriptedModel | 'configured';
  /**
   * Resources in addition to the daemon’s own.
   *
   * @internal
   */
  readonly resources?: readonly Resource<DaemonParts>[];
  /** Environment variables. From the test’s own environment only `PATH` is passed on. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Settings as in `config.json`. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /**
   * Existing folders, which are kept when the daemon is disposed. Default: new ones, whose settings disable backups and
   * the disk reserve.
   */
  readonly home?: string;
  readonly workspace?: string;
}

/** The event to wait for: its type, or a predicate. */
export type EventMatch = string | ((event: RecordedEvent) => boolean);

export interface TestDaemon extends AsyncDisposable {
  /** A restart keeps it. */
  readonly url: string;
  /** Each start makes a new one; while the daemon is not running, the last one. */
  readonly token: string;
  readonly home: string;
  readonly workspace: string;
  /** The lines that the daemon wrote to stderr, since its first start. */
  readonly lines: readonly string[];
  /** Throws if the daemon uses the clock of the machine. */
  readonly clock: TestClock;
  /** Throws if the daemon uses configured models. */
  readonly model: ScriptedModel;
  /** The event log of the running daemon: read it, do not write to it. */
  readonly log: EventLog;
  /**
   * The Fastify server, for requests without a socket: `app.inject`.
   *
   * @internal
   */
  readonly app: Daemon['app'];
  /**
   * The typed client of `daybook/client`; it keeps working after a restart. Its own pauses are in real time. A call
   * that `killAt` interrupts is not retried: it rejects with `NotRunning`.
   */
  readonly client: Client;
  /** `fetch` with the bearer token; `path` begins with a slash. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Sends `body`, if given, as JSON. Rejects if the answer is not 2xx. */
  json<Answer>(method: string, path: string, body?: unknown): Promise<Answer>;
  /**
   * The first event after the position `after` that matches; waits until it is recorded. Rejects after `seconds` of
   * real time, default 10.
   */
  event(match: EventMatch, limits?: { readonly after?: number; readonly seconds?: number }): Promise<RecordedEvent>;
  /**
   * Ends the daemon like a loss of power: connections break, nothing more is recorded, and everything not synced is
   * lost. `embedded_kv` bypasses the simulated disk: everything that it wrote is kept, as when a process is killed.
   */
  kill(): Promise<void>;
  /**
   * Kills it at a future change of its disk (0: the next write, sync or rename; the end of a sync counts as a change),
   * or when the request is answered, whichever comes first. So a request is interrupted at the same place each time.
   * Resolves when the daemon is dead; the caller handles the result of the request. With `embedded_kv` and `memory` the
   * daemon is killed after the answer.
   */
  killAt(change: number, request: Promise<unknown>): Promise<void>;
  /** Starts it again with the same folders and port; a running daemon is stopped first. */
  restart(): Promise<void>;
  /** Stops it cleanly. Idempotent. */
  stop(): Promise<void>;
}
