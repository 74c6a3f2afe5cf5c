/**
 * Projections of a log: a fold in memory, or tables of an SQLite file. Both hold the stored events when `project`
 * resolves, and follow the log from then on: a commit of this process is folded before its promise resolves.
 */
import type { Observable } from 'rxjs';
import { refused } from '../commands/refusal.ts';
import { decodeEvents, type StoredOf } from '../events/decode.ts';
import type { EventTable } from '../events/define.ts';
import { erasureEvents } from '../events/erasure.ts';
import type { Projection } from '../projections/projection.ts';
import type { Views, ViewsStore } from '../projections/views.ts';
import { ViewRefused } from '../projections/views-failures.ts';
import { foldingOf, openProjector } from '../read-models.ts';
import type { RecordedEvent } from '../storage/event-log.ts';
import { requireSqlite } from '../storage/sqlite.ts';
import { createCommittedEvents } from '../streams/committed-events.ts';
import type { Projector } from '../streams/projector.ts';
import type { OpenEventLog } from './event-log.ts';

export interface FoldOptions<State, Table extends EventTable> {
  readonly log: OpenEventLog;
  /** The definitions of the events to fold. Skipped: other types, and erased payloads without `whenErased`. */
  readonly events: Table;
  readonly initial: State;
  /** The next state. It may also change the state and return it. */
  readonly evolve: (state: State, event: StoredOf<Table, RecordedEvent>) => State;
}

/** A state in memory that follows the log until it is disposed of or the log closes. */
export interface Folded<State> extends Disposable {
  /** Throws the error of the fold after the fold has thrown: a state is right or refused, never stale. */
  readonly state: State;
  /** Position of the newest event that the state includes. */
  readonly position: number;
}

export interface ReadModelOptions {
  readonly log: OpenEventLog;
  /** The definitions of all event types that the projections fold. */
  readonly events: EventTable;
  readonly projections: readonly Projection[];
  /** The SQLite file, outside the folder of the log. Left out: the tables are in memory. */
  readonly file?: string;
  /** Gets a line when the file is rebuilt, cannot be written, or a projection fails. */
  readonly report?: (message: string) => void;
}

/**
 * The tables of the projections. The file may be deleted while it is closed: the tables are folded again from the log.
 */
export interface ReadModels extends Pick<Views, 'get' | 'all'>, Disposable {
  /** Position of the newest event that all projections have folded. */
  readonly position: number;
  /** Error message of each failed projection, by its name. A failed projection is not folded further. */
  readonly failures: ReadonlyMap<string, string>;
  /** Every batch of events as soon as the tables hold it. */
  readonly folded$: Observable<readonly RecordedEvent[]>;
  /**
   * One row of a query, or undefined. Throws `Refused` (unavailable) while the tables do not hold the whole log, and
   * `TypeError` for a statement that writes: only projections change the tables.
   */
  get: Views['get'];
  /** All rows of a query. Throws as `get`. */
  all: Views['all'];
  /** Empties the tables and folds the log again. */
  rebuild(): Promise<void>;
  /** Commits and closes the file; idempotent. The log closes it too. */
  close(): void;
}

/**
 * Folds the log into a state in memory, or with `projections` into tables.
 *
 *     using titles = await project({ log, events, initial: new Map(), evolve });
 *     using models = await project({ log, events, projections: [bookmarks], file: 'views.db' });
 *
 * Rejects with `STORAGE_CLOSED` for a closed log. A fold in memory rejects with what it throws, and with
 * `EventSchemaError` for data that fits no schema. Tables reject with an error of SQLite; a projection that fails is in
 * `failures`.
 */
export function project(options: ReadModelOptions): Promise<ReadModels>;
export function project<State, Table extends EventTable>(options: FoldOptions<State, Table>): Promise<Folded<State>>;
export async function project<State, Table extends EventTable>(
  options: ReadModelOptions | FoldOptions<State, Table>,
): Promise<ReadModels | Folded<State>> {
  options.log.closing.throwIfAborted();
  return 'projections' in options ? openReadModels(options) : FoldedState.open(options);
}

const BATCH_EVENTS = 1_000;

class FoldedState<State, Table extends EventTable> implements Folded<State> {
  readonly #options: FoldOptions<State, Table>;
  readonly #dispose = new AbortController();
  #state: State;
  #position = 0;
  #failure: { readonly cause: unknown } | null = null;

  static async open<State, Table extends EventTable>(options: FoldOptions<State, Table>): Promise<Folded<State>> {
    const folded = new FoldedState(options);
    await folded.#catchUp();
    return folded;
  }

  private constructor(options: FoldOptions<State, Table>) {
    this.#options = options;
    this.#state = options.initial;
  }

  get state(): State {
    if (this.#failure !== null) throw this.#failure.cause;
    return this.#state;
  }

  get position(): number {
    return this.#position;
  }

  [Symbol.dispose](): void {
    this.#dispose.abort();
  }

  async #catchUp(): Promise<void> {
    const { log } = this.#options;
    for (;;) {
      this.#fold([...log.readAll({ after: this.#position, limit: BATCH_EVENTS })]);
      // Compared in the same turn: while others append, each turn may bring new events.
      if (this.#position >= log.head().position) break;
      await new Promise((resolve) => setImmediate(resolve));
      log.closing.throwIfAborted();
    }
    const unsubscribe = log.onAppended((events) => this.#follow(events));
    this.#dispose.signal.addEventListener('abort', unsubscribe);
  }

  #follow(events: readonly RecordedEvent[]): void {
    if (this.#failure !== null) return;
    try {
      // The head includes a commit before its events are emitted, so the first ones may be folded already.
      this.#fold(events.filter(({ position }) => position > this.#position));
    } catch (cause) {
      this.#failure = { cause };
    }
  }

  #fold(batch: readonly RecordedEvent[]): void {
    const { events, evolve } = this.#options;
    for (const event of decodeEvents(events, batch)) this.#state = evolve(this.#state, event);
    this.#position = batch.at(-1)?.position ?? this.#position;
  }
}

async function openReadModels({
  log,
  events,
  projections,
  file,
  report = () => undefined,
}: ReadModelOptions): Promise<ReadModels> {
  requireSqlite();
  const table = { ...events, ...erasureEvents };
  const { views, projector } = openProjector(file ?? null, { log, projections, events: table, report });
  const committed = createCommittedEvents(log, projector);
  const folding = foldingOf(projector, views);
  let isClosed = false;
  const close = (): void => {
    if (isClosed) return;
    isClosed = true;
    log.closing.removeEventListener('abort', close);
    committed.stop();
    projector.close();
    views.close();
  };
  const reading = (sql: string): Views => {
    const reason = isClosed ? 'The views are closed.' : (failureOf(projector, views) ?? folding.unavailable());
    if (reason !== null) throw refused('unavailable', reason);
    if (!views.isReading(sql)) throw new TypeError(`Only projections change the tables; this statement writes: ${sql}`);
    return views;
  };
  log.closing.addEventListener('abort', close);
  try {
    await folding.catchUp();
  } catch (error) {
    close();
    throw error;
  }
  return {
    get position() {
      return projector.position;
    },
    failures: projector.failures,
    folded$: committed.folded$,
    get: (sql, ...values) => answered(() => reading(sql).get(sql, ...values)),
    all: (sql, ...values) => answered(() => reading(sql).all(sql, ...values)),
    rebuild: () => folding.rebuild(),
    close,
    [Symbol.dispose]: close,
  };
}

/** Why the tables cannot be read until they are opened again, in the terms of this library; null when they can. */
function failureOf({ stalled, failures }: Projector, { damage }: ViewsStore): string | null {
  if (stalled !== null) return null;
  if (damage !== null) return `The file of the tables is damaged (${damage}): close it and open it again.`;
  const [failure] = failures.values();
  return failure === undefined ? null : `${failure}. Change the projection, then open the tables again.`;
}

/** What `read` returns; a table that lacks the events of a newer program is refused in the terms of this library. */
function answered<Answer>(read: () => Answer): Answer {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ViewRefused)) throw error;
    throw refused('unavailable', 'The table lacks an event of a newer program; upgrade this one.');
  }
}
