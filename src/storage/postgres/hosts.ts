/**
 * Opens connections to the database of a log, with TLS as libpq's `sslmode` says.
 *
 * - Of several hosts the one that takes writes is used: neither a standby nor a primary that was replaced.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectionOptions } from 'node:tls';
import pg from 'pg';
import { StorageError } from '../errors.ts';
import { isPasswordFault, isServerError, isUnreached } from './failures.ts';
import { type PostgresAddress, type PostgresHost, passwordFor, readNamedFile } from './url.ts';

export type Client = pg.Client;

/** The server ends a transaction, and so its locks, after this time without a statement. */
const IDLE_IN_TRANSACTION_MS = 5_000;
/** The client waits so much longer than the server's own limit for a statement. */
const ANSWER_GRACE_MS = 2_000;

/** How long the other hosts may take after the first one that takes writes has answered. */
const OTHER_HOSTS_MS = 1_000;
/** SQL: null on a standby. */
const ONLY_TIMELINE = "CASE WHEN NOT pg_is_in_recovery() THEN '0' END";
/** SQL: the timeline as the first digits of the name of a segment of the write-ahead log; null on a standby. */
const TIMELINE = `CASE WHEN NOT pg_is_in_recovery() THEN substring(pg_walfile_name(pg_current_wal_lsn()) FOR 8) END`;

/** An open connection. */
export interface Connected {
  readonly client: Client;
  /** The id of the server process. */
  readonly processId: number;
}

/** A connection, and the timeline that its server writes. */
interface Reached extends Connected {
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
export class Hosts {
  readonly #address: PostgresAddress;
  #last: PostgresHost | null = null;
  #newest = 0;

  constructor(address: PostgresAddress) {
    this.#address = address;
  }

  /** Called when a connection broke: another host may have replaced its server. */
  doubt(): void {
    this.#last = null;
  }

  /** Rejects with the failure of the last host. */
  async connect(): Promise<Connected> {
    const { hosts } = this.#address;
    const last = this.#last;
    const known = last === null ? null : await reach(this.#address, last).catch(() => null);
    const { client, processId, host, timeline } = known ?? (await this.#newestOf(hosts));
    if (timeline < this.#newest) {
      destroy(client);
      this.doubt();
      const what =
        'The only database that takes writes was replaced by another one; restart the daemon if it is the right one.';
      throw new StorageError('STORAGE_UNAVAILABLE', what);
    }
    this.#newest = timeline;
    this.#last = hosts.length === 1 ? null : host;
    return { client, processId };
  }

  /** After the first answer the other hosts have a moment to answer, too. */
  async #newestOf(hosts: readonly PostgresHost[]): Promise<Reached> {
    const reached: Reached[] = [];
    let isOver = false;
    const attempts = hosts.map(async (host) => {
      const connection = await reach(this.#address, host);
      if (isOver) destroy(connection.client);
      else reached.push(connection);
    });
    const failures = Promise.allSettled(attempts);
    await Promise.any(attempts).catch(() => {});
    const timeout = new AbortController();
    await Promise.race([failures, sleep(OTHER_HOSTS_MS, undefined, { signal: timeout.signal }).catch(() => {})]);
    timeout.abort();
    isOver = true;
    const [best, ...others] = reached.sort((a, b) => b.timeline - a.timeline);
    for (const { client } of others) destroy(client);
    if (best !== undefined) return best;
    throw (await failures).findLast((outcome) => outcome.status === 'rejected')?.reason;
  }
}

/** Like `Hosts.connect`, for one connection. */
export async function connect(address: PostgresAddress): Promise<Client> {
  return (await new Hosts(address).connect()).client;
}

/** Rejects when the host does not take writes. */
async function reach(address: PostgresAddress, host: PostgresHost): Promise<Reached> {
  let failure: unknown;
  for (const tls of tlsAttempts(address, host)) {
    try {
      return await connectTo(address, host, tls);
    } catch (error) {
      // What a server says about the password tells more than that it takes no connection of the other kind.
      if (!isPasswordFault(failure)) failure = error;
      // A server gives the same answer with and without TLS, unless it requires the other kind of connection.
      if (isUnreached(error) || (isServerError(error) && !error.code.startsWith('28'))) break;
    }
  }
  throw failure;
}

/** Closes the socket without a protocol message: the server may not answer. */
export function destroy(client: Client): void {
  client.connection.stream.destroy();
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
    query_timeout: address.statement_timeout_ms + ANSWER_GRACE_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  });
  // An error of the socket outside of a query would be an uncaught exception without a listener.
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ timeline: string | null; pid: number }>(firstStatement(address));
    const { timeline, pid: processId } = rows[0]!;
    if (timeline === null) {
      throw new StorageError('STORAGE_UNAVAILABLE', 'The database is a standby, which takes no writes.');
    }
    return { client, processId, host, timeline: Number.parseInt(timeline, 16) };
  } catch (error) {
    destroy(client);
    throw error;
  }
}

/** Sets what holds for a connection by a statement, because poolers refuse settings in the startup packet. */
function firstStatement({ hosts, statement_timeout_ms, lock_timeout_ms }: PostgresAddress): string {
  const settings = Object.entries({
    statement_timeout: statement_timeout_ms,
    lock_timeout: lock_timeout_ms,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    // A table with row-level security refuses statements. Otherwise it would hide rows, which looks like a loss.
    row_security: 'off',
    // An append waits for the lock of the head, then reads the head that the last writer committed.
    default_transaction_isolation: 'read committed',
  });
  const set = settings.map(([name, value]) => `set_config('${name}', '${value}', false)`).join(', ');
  return `SELECT ${hosts.length === 1 ? ONLY_TIMELINE : TIMELINE} AS timeline, pg_backend_pid() AS pid, ${set}`;
}

/** The kinds of connection to try, in this order, as libpq's documentation of `sslmode` gives them. */
function tlsAttempts(address: PostgresAddress, { host }: PostgresHost): readonly Tls[] {
  if (host.startsWith('/')) return [false];
  const own = {
    ...(address.sslcert !== null && { cert: readNamedFile('sslcert', address.sslcert) }),
    ...(address.sslkey !== null && { key: readNamedFile('sslkey', address.sslkey) }),
  };
  const ca = address.sslrootcert === null ? {} : { ca: readNamedFile('sslrootcert', address.sslrootcert) };
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
