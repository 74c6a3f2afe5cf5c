/**
 * News of the database's head: from `NOTIFY`, and from a look-up on a timer, since a notification may be lost.
 *
 * - Appends of this process make no news: it knows them.
 * - While the database is away both are tried again, after pauses that grow and differ from process to process.
 */
import { type Client, type Connections, destroy } from './connections.ts';
import { channelOf, type Meta } from './schema.ts';
import type { PostgresAddress } from './url.ts';

const PAUSE_MS_MIN = 100;
const PAUSE_MS_MAX = 5_000;

export interface NewsParts {
  readonly address: PostgresAddress;
  readonly connections: Connections;
  readonly announce: (position: number) => void;
  /** Called with what the database says of its log before the head is announced. */
  readonly check: (meta: Meta) => void;
}

interface Head extends Meta {
  readonly position: string;
}

export class HeadNews {
  readonly #parts: NewsParts;
  readonly #stopped = new AbortController();
  #listener: Client | null = null;
  #running: Promise<unknown> = Promise.resolve();
  /** Connections for notifications that were opened, the first one included. */
  connects = 0;

  constructor(parts: NewsParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#running = Promise.all([
      this.#repeat(() => this.#poll(), this.#parts.address.poll_ms),
      this.#repeat(() => this.#listen(), 0),
    ]);
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    if (this.#listener !== null) destroy(this.#listener);
    await this.#running;
  }

  /** Does the work again and again; after a failure with growing pauses. */
  async #repeat(work: () => Promise<void>, intervalMs: number): Promise<void> {
    let failures = 0;
    while (!this.#stopped.signal.aborted) {
      try {
        await work();
        failures = 0;
        await this.#pause(intervalMs);
      } catch {
        const pause = Math.min(PAUSE_MS_MAX, PAUSE_MS_MIN * 2 ** failures);
        failures += 1;
        await this.#pause(pause * (0.5 + Math.random() / 2));
      }
    }
  }

  async #poll(): Promise<void> {
    const { address, connections, announce, check } = this.#parts;
    const text = `SELECT position, log_id, version, oldest FROM ${address.schema}.head, ${address.schema}.meta`;
    const query = { name: 'daybook_head', text };
    const { rows } = await connections.use((client) => client.query<Head>(query));
    const head = rows[0]!;
    check(head);
    announce(Number(head.position));
  }

  /** Listens until the connection ends. */
  async #listen(): Promise<void> {
    const { address, connections, announce } = this.#parts;
    const client = await connections.hosts.connect();
    this.#listener = client;
    this.connects += 1;
    if (this.#stopped.signal.aborted) destroy(client);
    const ended = new Promise<void>((resolve) => client.once('end', () => resolve()));
    client.on('notification', ({ processId, payload }) => {
      if (!connections.isOwn(processId)) announce(Number(payload));
    });
    await client.query(`LISTEN "${channelOf(address.schema)}"`);
    // What was appended before this connection listened.
    await this.#poll();
    await ended;
    throw new Error('The connection for notifications ended.');
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const { signal } = this.#stopped;
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      signal.addEventListener('abort', end);
      if (signal.aborted) end();
    });
  }
}
