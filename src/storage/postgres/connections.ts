/**
 * The pool of connections of one process to the database of its log. A connection that broke is dropped; the next use
 * opens another one.
 */
import { StorageError } from '../errors.ts';
import { isServerError, storageErrorOf } from './failures.ts';
import { type Client, destroy, Hosts } from './hosts.ts';
import type { PostgresAddress } from './url.ts';

/** The notifications that a pool listens to. */
export interface Listening {
  /** The statement that makes a connection listen. */
  readonly statement: string;
  /** Receives the announcements of other processes. */
  readonly received: (payload: string) => void;
  /** Called when the listening connection broke; the next use of the pool opens another one. */
  readonly lost: () => void;
}

/**
 * A pool of connections, one of which listens. That one is preferred: its own announcement arrives with the answer to
 * its statement and wakes no other process of the server.
 */
export class Connections {
  readonly #hosts: Hosts;
  readonly #address: PostgresAddress;
  readonly #idle: Client[] = [];
  /** Each with the id of the server process. */
  readonly #open = new Map<Client, number>();
  readonly #waiting: (() => void)[] = [];
  #listening: Listening | null = null;
  #listener: Client | null = null;
  /** Connections in use or being opened. */
  #busy = 0;
  #opened = 0;
  #outage: { readonly since: number; readonly reason: StorageError; isReported: boolean } | null = null;
  #isClosed = false;
  #hasOtherListeners = true;
  /** Announcements of other processes so far. */
  #announcements = 0;

  constructor(address: PostgresAddress) {
    this.#hosts = new Hosts(address);
    this.#address = address;
  }

  /** One connection listens from the next use of the pool on. */
  listen(listening: Listening): void {
    this.#listening = listening;
  }

  /** Why the database is out of reach; null until that lasts longer than writers wait, or a writer was refused. */
  get failure(): StorageError | null {
    if (this.#outage === null) return null;
    const { since, reason, isReported } = this.#outage;
    return isReported || performance.now() - since >= this.#address.patience_ms ? reason : null;
  }

  /** Called when the head cannot be read: the database is out of reach, also one that answers with a refusal. */
  lost(reason: StorageError): void {
    const { since = performance.now(), isReported = false } = this.#outage ?? {};
    this.#outage = { since, reason, isReported };
  }

  /** Called when a writer is refused because the database is out of reach: `failure` has the reason from then on. */
  gaveUp(): void {
    if (this.#outage !== null) this.#outage.isReported = true;
  }

  /** Whether other processes may listen, as far as this one knows. */
  get hasOtherListeners(): boolean {
    return this.#hasOtherListeners;
  }

  /** The ids of the server processes of this pool. */
  get processIds(): readonly number[] {
    return [...this.#open.values()];
  }

  /** Asks whether other processes listen. An announcement that arrives meanwhile comes from one that does. */
  async lookForListeners(look: () => Promise<boolean>): Promise<void> {
    const before = this.#announcements;
    const othersListen = await look();
    if (before === this.#announcements) this.#hasOtherListeners = othersListen;
  }

  /** Figures of the pool. */
  get counts() {
    const outageSeconds = this.#outage === null ? 0 : (performance.now() - this.#outage.since) / 1000;
    const { size: open } = this.#open;
    return { open, busy: this.#busy, waiting: this.#waiting.length, opened: this.#opened, outageSeconds };
  }

  /** Calls `work` with a connection that only it uses. Rejects with a `StorageError`. */
  async use<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    return this.finish(await this.take(), work);
  }

  /** Calls `work` with a connection that was taken, then releases it. Rejects with a `StorageError`. */
  async finish<Result>(client: Client, work: (client: Client) => Promise<Result>): Promise<Result> {
    const result = await this.keep(client, () => work(client));
    this.#release(client);
    return result;
  }

  /** Like `finish`, but releases the connection only when `work` fails. */
  async keep<Result>(client: Client, work: () => Promise<Result>): Promise<Result> {
    try {
      const result = await work();
      this.#outage = null;
      return result;
    } catch (error) {
      if (isServerError(error)) this.#release(client);
      else this.#drop(client);
      throw this.#failed(error);
    }
  }

  /** A connection that the caller must `finish`. Rejects with a `StorageError`. */
  async take(): Promise<Client> {
    while (this.#busy >= this.#address.pool_max && !this.#isClosed) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    if (this.#isClosed) throw new StorageError('STORAGE_CLOSED', 'The event log is closed.');
    this.#busy += 1;
    try {
      const client = this.#takeIdle() ?? (await this.#connect());
      if (this.#listening !== null && this.#listener === null) await this.#listen(client, this.#listening);
      return client;
    } catch (error) {
      this.#freeSlot();
      throw this.#failed(error);
    }
  }

  #takeIdle(): Client | undefined {
    const at = this.#listener === null ? -1 : this.#idle.indexOf(this.#listener);
    return at < 0 ? this.#idle.pop() : this.#idle.splice(at, 1)[0];
  }

  async #connect(): Promise<Client> {
    const { client, processId } = await this.#hosts.connect();
    this.#open.set(client, processId);
    this.#opened += 1;
    client.on('error', () => this.#forget(client));
    client.on('end', () => this.#forget(client));
    return client;
  }

  /**
   * No earlier announcement is missed: the statement for which the connection was taken, or the next poll, reads the
   * head.
   */
  async #listen(client: Client, { statement, received }: Listening): Promise<void> {
    this.#listener = client;
    client.on('notification', ({ processId, payload }) => {
      if (this.processIds.includes(processId)) return;
      this.#hasOtherListeners = true;
      this.#announcements += 1;
      received(payload ?? '');
    });
    try {
      await client.query(statement);
    } catch (error) {
      this.#forget(client);
      destroy(client);
      throw error;
    }
  }

  #release(client: Client): void {
    if (this.#open.has(client) && !this.#isClosed) this.#idle.push(client);
    else void client.end().catch(() => {});
    this.#freeSlot();
  }

  #drop(client: Client): void {
    this.#forget(client);
    destroy(client);
    this.#freeSlot();
  }

  /** Ends idle connections, aborts those in use, and refuses the callers that wait for one. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const wake of this.#waiting.splice(0)) wake();
    this.#listening = null;
    const idle = this.#idle.splice(0);
    for (const client of this.#open.keys()) if (!idle.includes(client)) destroy(client);
    await Promise.all(idle.map((client) => client.end().catch(() => {})));
  }

  #failed(error: unknown): StorageError {
    const failure = storageErrorOf(error);
    // The schema and the rights of a log that is open were there: a restore may bring them back.
    const isGone = failure.code === 'STORAGE_CONFIG' && this.#listening !== null;
    const { message, cause } = failure;
    const reason = isGone ? new StorageError('STORAGE_UNAVAILABLE', message, { cause }) : failure;
    if (reason.code === 'STORAGE_UNAVAILABLE' && !isServerError(error)) this.lost(reason);
    return reason;
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

  #freeSlot(): void {
    this.#busy -= 1;
    this.#waiting.shift()?.();
  }
}
