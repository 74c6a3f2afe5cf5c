/**
 * How a daemon learns of new events in the database: by notifications, and by reading the head on a timer, because a
 * notification may be lost.
 *
 * - While the database is out of reach, the pauses grow, by a random part so that daemons do not retry together.
 * - Each listener holds a shared advisory lock, which the server releases with its connection. So a process knows
 *   whether others listen: a single one need not notify.
 */
import type { Connections } from './connections.ts';
import { storageErrorOf } from './failures.ts';
import { channelOf, type Meta } from './schema.ts';
import type { PostgresAddress } from './url.ts';
import { plainArray } from './wire.ts';

const PAUSE_MS_MIN = 100;
const PAUSE_MS_MAX = 5_000;

export interface HeadLookupParts {
  readonly address: PostgresAddress;
  readonly connections: Connections;
  readonly announce: (position: number) => void;
  /** Checks the log of the database before its head is announced. */
  readonly check: (head: DatabaseHead) => void;
}

/** The head of the log in the database, and which log that is. */
export interface DatabaseHead extends Meta {
  readonly position: string;
  /** The root hash in hex. */
  readonly tree: string;
}

interface Look extends DatabaseHead {
  readonly others_listen: boolean;
}

/** Reads the head of one log until it is stopped. */
export class HeadLookups {
  readonly #parts: HeadLookupParts;
  #isStopped = false;
  /** Ends the pause before the next reading. */
  #endPause: () => void = () => {};
  #running: Promise<void> = Promise.resolve();

  constructor(parts: HeadLookupParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Reads the head at once. */
  wake(): void {
    this.#endPause();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#endPause();
    await this.#running;
  }

  async #run(): Promise<void> {
    let failures = 0;
    while (!this.#isStopped) {
      try {
        await this.#poll();
        failures = 0;
        await this.#pause(this.#parts.address.poll_ms);
      } catch (error) {
        this.#parts.connections.lost(storageErrorOf(error));
        const pause = Math.min(PAUSE_MS_MAX, PAUSE_MS_MIN * 2 ** failures);
        failures += 1;
        await this.#pause(pause * (0.5 + Math.random() / 2));
      }
    }
  }

  async #poll(): Promise<void> {
    const { address, connections, announce, check } = this.#parts;
    const { schema } = address;
    const text = `SELECT position, encode(tree, 'hex') AS tree, log_id, version, oldest,
      ${othersListen(channelOf(schema), '$1::int[]')} AS others_listen
      FROM ${schema}.head, ${schema}.meta`;
    await connections.lookForListeners(async () => {
      const look = () => ({ name: 'daybook_head', text, values: [plainArray(connections.processIds)] });
      const { rows } = await connections.use((client) => client.query<Look>(look()));
      const head = rows[0]!;
      check(head);
      announce(Number(head.position));
      return head.others_listen;
    });
  }

  #pause(milliseconds: number): Promise<void> {
    if (this.#isStopped) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** SQL that listens to a channel and notifies the other listeners, which then read the head. */
export function listening(schema: string, channel: string): string {
  return `LISTEN "${channel}";
    SELECT pg_advisory_lock_shared(${keyOf(channel)}), pg_notify('${channel}', position::text) FROM ${schema}.head`;
}

/**
 * SQL: whether a process other than the caller listens. `own` is an expression of type int[] for the ids of the server
 * processes of the caller, which may listen itself or not.
 */
export function othersListen(channel: string, own: string): string {
  return `EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND (classid::bigint << 32 | objid::bigint) = ${keyOf(channel)} AND pid <> ALL (${own}))`;
}

/** `log init` locks the same text with another seed. */
function keyOf(channel: string): string {
  return `hashtextextended('${channel}', 1)`;
}
