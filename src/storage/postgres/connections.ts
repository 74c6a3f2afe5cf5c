/**
 * The connections of one process to the database of its log: TLS as libpq's `sslmode`, several hosts, a pool.
 *
 * - A connection that broke is dropped; the next use opens another one.
 * - A server that takes no writes (a standby) is left for the next host; so is one that was replaced.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectionOptions } from 'node:tls';
import pg from 'pg';
import { StorageError } from '../errors.ts';
import { isServerError, storageErrorOf } from './failures.ts';
import { type PostgresAddress, type PostgresHost, passwordFor } from './url.ts';

export type Client = pg.Client;

/** A held lock is given up by the server after this time without a statement. */
const IDLE_IN_TRANSACTION_MS = 5_000;
/** The client gives up waiting a little after the server should have ended a statement by itself. */
const ANSWER_GRACE_MS = 2_000;

/** How long the other hosts may take after the first one that takes writes has answered. */
const OTHER_HOSTS_MS = 1_000;
/** Null on a standby. */
const ONLY_TIMELINE = "SELECT CASE WHEN NOT pg_is_in_recovery() THEN '0' END AS timeline";
/** The timeline as the first digits of the name of a segment of the write-ahead log; null on a standby. */
const TIMELINE = `SELECT CASE WHEN NOT pg_is_in_recovery()
  THEN substring(pg_walfile_name(pg_current_wal_lsn()) FOR 8) END AS timeline`;

/** What a pool listens to. */
export interface Listening {
  readonly channel: string;
  /** Receives what other processes announce. */
  readonly heard: (payload: string) => void;
  /** Called when the connection that listens broke; the next use of the pool brings another one. */
  readonly lost: () => void;
}

/**
 * A pool of connections, one of which listens. That one is preferred: an announcement of its own comes with the answer
 * to its statement, and wakes no other process of the server.
 */
export class Connections {
  readonly #hosts: Hosts;
  readonly #address: PostgresAddress;
  readonly #idle: Client[] = [];
  readonly #open = new Set<Client>();
  readonly #waiting: (() => void)[] = [];
  #listening: Listening | null = null;
  #listener: Client | null = null;
  /** Connections in use or being opened. */
  #busy = 0;
  #opened = 0;
  #outage: { readonly since: number; readonly reason: StorageError } | null = null;
  #isClosed = false;

  constructor(address: PostgresAddress) {
    this.#hosts = new Hosts(address);
    this.#address = address;
  }

  /** From the next use of the pool on, one of its connections listens. */
  listen(listening: Listening): void {
    this.#listening = listening;
  }

  /** Why the database is out of reach, once it was for longer than writers wait. */
  get failure(): StorageError | null {
    if (this.#outage === null) return null;
    const { since, reason } = this.#outage;
    return performance.now() - since >= this.#address.patience_ms ? reason : null;
  }

  /** Figures of the pool. */
  get counts() {
    const outageSeconds = this.#outage === null ? 0 : (performance.now() - this.#outage.since) / 1000;
    const { size: open } = this.#open;
    return { open, busy: this.#busy, waiting: this.#waiting.length, opened: this.#opened, outageSeconds };
  }

  /** Calls `work` with a connection that is its own meanwhile. Rejects with a `StorageError`. */
  async use<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    return this.finish(await this.take(), work);
  }

  /** Calls `work` with a connection that was taken, then gives it back. Rejects with a `StorageError`. */
  async finish<Result>(client: Client, work: (client: Client) => Promise<Result>): Promise<Result> {
    const result = await this.keep(client, () => work(client));
    this.#give(client);
    return result;
  }

  /** As `finish`, but gives the connection back only when `work` fails. */
  async keep<Result>(client: Client, work: () => Promise<Result>): Promise<Result> {
    try {
      const result = await work();
      this.#outage = null;
      return result;
    } catch (error) {
      if (isServerError(error)) this.#give(client);
      else this.#drop(client);
      throw this.#failed(error);
    }
  }

  /** A connection that the caller must `finish`. Rejects with a `StorageError`. */
  async take(): Promise<Client> {
    while (this.#busy >= this.#address.pool_max) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (this.#isClosed) throw new StorageError('STORAGE_CLOSED', 'The event log is closed.');
    this.#busy += 1;
    try {
      const client = this.#takeIdle() ?? (await this.#connect());
      if (this.#listening !== null && this.#listener === null) await this.#listen(client, this.#listening);
      return client;
    } catch (error) {
      this.#leave();
      throw this.#failed(error);
    }
  }

  #takeIdle(): Client | undefined {
    const at = this.#listener === null ? -1 : this.#idle.indexOf(this.#listener);
    return at < 0 ? this.#idle.pop() : this.#idle.splice(at, 1)[0];
  }

  async #connect(): Promise<Client> {
    const client = await this.#hosts.connect();
    this.#open.add(client);
    this.#opened += 1;
    client.on('error', () => this.#forget(client));
    client.on('end', () => this.#forget(client));
    return client;
  }

  /** What was announced before is found by the statement that the connection was taken for, or by the next look-up. */
  async #listen(client: Client, { channel, heard }: Listening): Promise<void> {
    this.#listener = client;
    client.on('notification', ({ processId, payload }) => {
      if (!this.#isOwn(processId)) heard(payload ?? '');
    });
    try {
      await client.query(`LISTEN "${channel}"`);
    } catch (error) {
      this.#forget(client);
      destroy(client);
      throw error;
    }
  }

  /** Whether a process of the server works for this pool. */
  #isOwn(processId: number): boolean {
    for (const client of this.#open) if (processIdOf(client) === processId) return true;
    return false;
  }

  #give(client: Client): void {
    if (this.#open.has(client) && !this.#isClosed) this.#idle.push(client);
    else void client.end().catch(() => {});
    this.#leave();
  }

  #drop(client: Client): void {
    this.#forget(client);
    destroy(client);
    this.#leave();
  }

  /** Ends the idle connections and breaks off what the others do. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#listening = null;
    const idle = this.#idle.splice(0);
    for (const client of this.#open) if (!idle.includes(client)) destroy(client);
    await Promise.all(idle.map((client) => client.end().catch(() => {})));
  }

  #failed(error: unknown): StorageError {
    const failure = storageErrorOf(error);
    const isAway = failure.code === 'STORAGE_UNAVAILABLE' && !isServerError(error);
    if (isAway) this.#outage ??= { since: performance.now(), reason: failure };
    return failure;
  }

  #forget(client: Client): void {
    if (!this.#open.has(client)) return;
    this.#hosts.doubt();
    if (client === this.#listener) {
      this.#listener = null;
      this.#listening?.lost();
    }
    this.#open.delete(client);
    const at = this.#idle.indexOf(client);
    if (at >= 0) this.#idle.splice(at, 1);
  }

  #leave(): void {
    this.#busy -= 1;
    this.#waiting.shift()?.();
  }
}

/** A connection, and the timeline that its server writes. */
interface Reached {
  readonly client: Client;
  readonly host: PostgresHost;
  readonly timeline: number;
}

/**
 * Opens connections to the one of several hosts that takes writes.
 *
 * - A primary that was replaced by its standby may come back and take writes, too. Its timeline is older: each
 *   promotion begins a new one. So the newest timeline is chosen, and none that is older than one seen before.
 * - The host of the last connection is tried alone first, unless a connection broke since.
 */
class Hosts {
  readonly #address: PostgresAddress;
  #last: PostgresHost | null = null;
  #newest = 0;

  constructor(address: PostgresAddress) {
    this.#address = address;
  }

  /** A connection broke: another host may have taken the place of its server. */
  doubt(): void {
    this.#last = null;
  }

  /** Rejects with the failure of the last host. */
  async connect(): Promise<Client> {
    const { hosts } = this.#address;
    const last = this.#last;
    const known = last === null ? null : await reach(this.#address, last).catch(() => null);
    const { client, host, timeline } = known ?? (await this.#newestOf(hosts));
    if (timeline < this.#newest) {
      destroy(client);
      this.doubt();
      throw new StorageError('STORAGE_UNAVAILABLE', 'The only database that takes writes was replaced by another one.');
    }
    this.#newest = timeline;
    this.#last = hosts.length === 1 ? null : host;
    return client;
  }

  /** After the first answer the other hosts have a moment to answer, too. */
  async #newestOf(hosts: readonly PostgresHost[]): Promise<Reached> {
    const reached: Reached[] = [];
    let isOver = false;
    const attempts = hosts.map(async (host) => {
      const found = await reach(this.#address, host);
      if (isOver) destroy(found.client);
      else reached.push(found);
    });
    const failures = Promise.allSettled(attempts);
    await Promise.any(attempts).catch(() => {});
    const moment = new AbortController();
    await Promise.race([failures, sleep(OTHER_HOSTS_MS, undefined, { signal: moment.signal }).catch(() => {})]);
    moment.abort();
    isOver = true;
    const [best, ...others] = reached.sort((a, b) => b.timeline - a.timeline);
    for (const { client } of others) destroy(client);
    if (best !== undefined) return best;
    throw (await failures).findLast((outcome) => outcome.status === 'rejected')?.reason;
  }
}

/** As `Hosts.connect`, for one connection. */
export function connect(address: PostgresAddress): Promise<Client> {
  return new Hosts(address).connect();
}

/** Rejects when the host does not take writes. */
async function reach(address: PostgresAddress, host: PostgresHost): Promise<Reached> {
  let failure: unknown;
  for (const tls of tlsAttempts(address, host)) {
    try {
      return await connectTo(address, host, tls);
    } catch (error) {
      failure = error;
      // An answer of the server itself is the same with and without TLS, except that it wants the other.
      if (isServerError(error) && !error.code.startsWith('28')) break;
    }
  }
  throw failure;
}

/** Closes the socket without a farewell: the other side may not answer. */
function destroy(client: Client): void {
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}

/** The number of the server's process for this connection. */
function processIdOf(client: Client): number | null {
  return (client as unknown as { readonly processID: number | null }).processID;
}

type Tls = false | ConnectionOptions;

async function connectTo(address: PostgresAddress, host: PostgresHost, tls: Tls): Promise<Reached> {
  const password = passwordFor(address, host);
  const client = new pg.Client({
    ...host,
    user: address.user,
    database: address.database,
    // An empty password keeps the driver from looking for a password file by itself.
    password: password ?? '',
    ssl: tls,
    application_name: 'daybook',
    connectionTimeoutMillis: address.connect_timeout_ms,
    statement_timeout: address.statement_timeout_ms,
    query_timeout: address.statement_timeout_ms + ANSWER_GRACE_MS,
    lock_timeout: address.lock_timeout_ms,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  });
  // Until somebody waits for an answer, an error of the socket has nobody to go to.
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ timeline: string | null }>(
      address.hosts.length === 1 ? ONLY_TIMELINE : TIMELINE,
    );
    const timeline = rows[0]?.timeline ?? null;
    if (timeline === null) {
      throw new StorageError('STORAGE_UNAVAILABLE', 'The database is a standby, which takes no writes.');
    }
    return { client, host, timeline: Number.parseInt(timeline, 16) };
  } catch (error) {
    destroy(client);
    throw error;
  }
}

/** The kinds of connection to try, in this order, as libpq's documentation of `sslmode` gives them. */
function tlsAttempts(address: PostgresAddress, { host }: PostgresHost): readonly Tls[] {
  if (host.startsWith('/')) return [false];
  const own = {
    ...(address.sslcert !== null && { cert: readFileSync(address.sslcert) }),
    ...(address.sslkey !== null && { key: readFileSync(address.sslkey) }),
  };
  const ca = address.sslrootcert === null ? {} : { ca: readFileSync(address.sslrootcert) };
  const encrypted = { ...own, rejectUnauthorized: false };
  const ofAuthority = { ...own, ...ca, rejectUnauthorized: true, checkServerIdentity: () => undefined };
  switch (address.sslmode) {
    case 'disable':
      return [false];
    case 'allow':
      return [false, encrypted];
    case 'prefer':
      return [encrypted, false];
    case 'require':
      return [address.sslrootcert === null ? encrypted : ofAuthority];
    case 'verify-ca':
      return [ofAuthority];
    case 'verify-full':
      return [{ ...own, ...ca, rejectUnauthorized: true }];
  }
}
