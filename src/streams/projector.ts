/**
 * Runs the projections: folds the log into the views.
 *
 * - Views and the checkpoints they have reached are written in one transaction. It stays open for the batches that
 *   follow soon: readers share its connection and see all of it, and a crash leaves views that are behind, never wrong.
 * - A checkpoint is a position of the log and nothing else; a view is a function of the events up to it.
 * - The views remember the tree hash at their checkpoint: a log that is not the one they were folded from (restored,
 *   imported, replaced) makes them start again.
 * - Events are decoded before they are folded: parsed with the schema of their version and upcast. Those that the
 *   command handler appended in this process were checked when they were written and are folded as they are.
 * - A projection whose fold throws, or that folds an event whose data fits no schema, is taken out and named; the
 *   others, and the log, go on without it. Unknown types and erased payloads are passed over.
 * - When the views take no writes (a full disk), they stall where they were last committed: nothing more is folded, and
 *   they are tried again until they hold all that the log has. A read model is right or refused, never stale.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeEvent, EventSchemaError } from '../events/decode.ts';
import type { EventTable } from '../events/define.ts';
import type { Projection, Seen } from '../projections/projection.ts';
import { isOutOfReach, type ViewsStore } from '../projections/views.ts';
import type { EventLog, ReadOptions, RecordedEvent } from '../storage/event-log.ts';

export interface Projector {
  /** Position all healthy projections have reached. */
  position(): number;
  readonly failures: ReadonlyMap<string, string>;
  /** Why the views take no writes and are behind the log, null while they follow it. */
  readonly stalled: string | null;
  /** Calls `listener` whenever views that had stalled hold everything again. */
  onResumed(listener: () => void): void;
  /**
   * Folds everything the views lack, yielding to the event loop between batches. Waits as long as they are stalled;
   * throws when they are closed meanwhile.
   */
  catchUp(progress?: (done: number, total: number) => void): Promise<void>;
  /** Folds a batch that this process has just appended into every projection that has everything before it. */
  apply(events: readonly RecordedEvent[]): void;
  /** Commits what is folded, for the next process. */
  settle(): void;
  /** Settles; whatever still is to be folded is left to the next process. */
  close(): void;
  /** Forgets every view and folds the log again. Throws when they stall: then what is missing is folded later. */
  rebuild(progress?: (done: number, total: number) => void): Promise<void>;
}

export interface ProjectorParts {
  readonly log: EventLog;
  readonly store: ViewsStore;
  readonly projections: readonly Projection[];
  /** The definitions of all event types that the projections fold. */
  readonly events: EventTable;
  readonly report: (message: string) => void;
}

const BATCH_EVENTS = 2_000;
/** A transaction takes no more events and stays open no longer than this. */
const OPEN_EVENTS_MAX = 2_000;
const OPEN_MS_MAX = 100;
/** How long stalled views are left alone before they are tried again. */
const RETRY_MS = 1_000;

class FoldError extends Error {
  readonly projection: string;

  constructor(projection: string, position: number, cause: unknown) {
    super(`The projection ${projection} failed at position ${position}: ${(cause as Error).message}`, { cause });
    this.projection = projection;
  }
}

export function createProjector({ log, store, projections, events: table, report }: ProjectorParts): Projector {
  store.exec(`CREATE TABLE IF NOT EXISTS checkpoints (
    name TEXT PRIMARY KEY, version INTEGER NOT NULL, position INTEGER NOT NULL, tree_hash TEXT NOT NULL
  ) WITHOUT ROWID`);
  const failures = new Map<string, string>();
  let reached = new Map<string, number>();
  /** What `reached` was at the last commit. */
  let committed = new Map<string, number>();
  let openEvents = 0;
  let closing: NodeJS.Timeout | null = null;
  let stalled: string | null = null;
  let retrying: Promise<void> | null = null;
  const closed = new AbortController();
  const resumed: (() => void)[] = [];

  function reset(projection: Projection): void {
    for (const table of projection.tables) store.exec(`DROP TABLE IF EXISTS ${table}`);
    store.exec(projection.create);
    store.run(
      'INSERT OR REPLACE INTO checkpoints VALUES (?, ?, 0, ?)',
      projection.name,
      projection.version,
      log.treeHash(0),
    );
  }

  /** Where a projection stands, after starting it over when its checkpoint does not belong to this log and code. */
  function standing(projection: Projection): number {
    const row = store.get<{ version: number; position: number; tree_hash: string }>(
      'SELECT version, position, tree_hash FROM checkpoints WHERE name = ?',
      projection.name,
    );
    const fits =
      row !== undefined &&
      row.version === projection.version &&
      row.position <= log.head().position &&
      row.tree_hash === log.treeHash(row.position);
    if (!fits) reset(projection);
    return fits ? row.position : 0;
  }

  function alive(): readonly Projection[] {
    return projections.filter((projection) => !failures.has(projection.name));
  }

  function position(): number {
    const positions = alive().map((projection) => reached.get(projection.name) ?? 0);
    return positions.length === 0 ? 0 : Math.min(...positions);
  }

  /** Folds what each projection lacks of the batch; one that lacks something before it is left to `catchUp`. */
  function foldOnce({ first, last, types, events }: Batch): void {
    for (const projection of alive()) {
      const from = reached.get(projection.name) ?? 0;
      if (first > from + 1 || last <= from) continue;
      if (foldsAny(projection, types)) {
        for (const event of events) if (event.position > from) foldEvent(projection, event);
        flush(projection, last);
      }
      reached.set(projection.name, last);
    }
  }

  function foldEvent(projection: Projection, event: Foldable): void {
    const fold = projection.on[event.type];
    if (fold === undefined) return;
    try {
      if (event instanceof EventSchemaError) throw event;
      fold(store, event);
    } catch (error) {
      throw new FoldError(projection.name, event.position, error);
    }
  }

  /** Rows that waited for each other until here: what writing them throws is the fault of this projection. */
  function flush(projection: Projection, last: number): void {
    try {
      store.flush();
    } catch (error) {
      throw new FoldError(projection.name, last, error);
    }
  }

  /** After a failure: back to the last commit, and forward again without what failed. False when nothing is taken. */
  function fold(batch: Batch): boolean {
    for (let left = batch; left.size > 0 && alive().length > 0; left = stored({ after: position() })) {
      try {
        store.begin();
        foldOnce(left);
        openEvents += left.size;
        return true;
      } catch (error) {
        if (!goesOnWithout(error)) return false;
      }
    }
    return true;
  }

  /** Events of the log, decoded. */
  function stored(range: ReadOptions): Batch {
    return batchOf([...log.readAll(range)], (event) => decoded(table, event));
  }

  /** Back at the last commit, either a projection is at fault and taken out, or nothing can be written. */
  function goesOnWithout(error: unknown): boolean {
    const message = error instanceof Error ? error.message : String(error);
    const cause = error instanceof FoldError ? error.cause : error;
    takeBack();
    if (isOutOfReach(cause)) {
      stall(cause);
      return false;
    }
    const hit = error instanceof FoldError ? [error.projection] : alive().map((projection) => projection.name);
    for (const name of hit) failures.set(name, message);
    report(message);
    return true;
  }

  function takeBack(): void {
    store.rollback();
    reached = new Map(committed);
    openEvents = 0;
  }

  function stall(cause: unknown): void {
    const { message } = cause as Error;
    if (stalled === null) report(`${message}; they follow the log again as soon as they can be written.`);
    stalled = message;
    const failed = (error: unknown): void => {
      if (!closed.signal.aborted && goesOnWithout(error)) resume();
    };
    retry().catch(failed);
  }

  /** Whoever waited for the views may go on. */
  function resume(): void {
    stalled = null;
    for (const listener of resumed) listener();
  }

  /** Tries until the views hold everything. */
  function retry(): Promise<void> {
    const trying = async (): Promise<void> => {
      try {
        do await sleep(RETRY_MS, undefined, { ref: false, signal: closed.signal });
        while (!(await attempt()) || stalled !== null);
      } finally {
        retrying = null;
      }
    };
    retrying ??= trying();
    return retrying;
  }

  /** False when nothing is taken. */
  function settle(): boolean {
    if (closing !== null) clearTimeout(closing);
    closing = null;
    try {
      for (const { name } of alive()) {
        const at = reached.get(name);
        if (at === undefined || at === committed.get(name)) continue;
        store.run('UPDATE checkpoints SET position = ?, tree_hash = ? WHERE name = ?', at, log.treeHash(at), name);
      }
      store.commit();
      committed = new Map(reached);
      openEvents = 0;
      return true;
    } catch (error) {
      return goesOnWithout(error);
    }
  }

  function apply(events: readonly RecordedEvent[]): void {
    if (stalled !== null) return;
    fold(batchOf(events, (event) => [event]));
    if (openEvents >= OPEN_EVENTS_MAX) settle();
    else if (openEvents > 0) closing ??= setTimeout(settle, OPEN_MS_MAX).unref();
  }

  /** What is written at once and may be refused by the medium; any other failure is thrown. */
  function written(work: () => void): boolean {
    try {
      store.begin();
      work();
      return settle();
    } catch (error) {
      takeBack();
      if (!isOutOfReach(error)) throw error;
      stall(error);
      return false;
    }
  }

  /** Folds everything the views lack; false when nothing is taken. */
  async function attempt(progress?: (done: number, total: number) => void): Promise<boolean> {
    const found = (): void => {
      reached = new Map(projections.map((projection) => [projection.name, standing(projection)]));
    };
    if (!written(found)) return false;
    for (let at = position(); at < log.head().position && alive().length > 0; at = position()) {
      if (!fold(stored({ after: at, limit: BATCH_EVENTS })) || !settle()) return false;
      progress?.(position(), log.head().position);
      await new Promise((resolve) => setImmediate(resolve));
      closed.signal.throwIfAborted();
    }
    if (stalled === null) return true;
    report('they follow the log again.');
    resume();
    return true;
  }

  async function catchUp(progress?: (done: number, total: number) => void): Promise<void> {
    settle();
    while (!(await attempt(progress))) await retry();
  }

  return {
    position,
    failures,
    get stalled() {
      return stalled;
    },
    onResumed: (listener) => void resumed.push(listener),
    catchUp,
    apply,
    settle,
    close() {
      settle();
      closed.abort(new Error('The views were closed.'));
    },
    async rebuild(progress) {
      failures.clear();
      settle();
      const empty = (): void => {
        projections.forEach(reset);
        reached = new Map(projections.map(({ name }) => [name, 0]));
      };
      if (!written(empty) || !(await attempt(progress))) throw new Error(stalled ?? 'The views cannot be written.');
    },
  };
}

function foldsAny({ on }: Projection, types: ReadonlySet<string>): boolean {
  for (const type of types) if (on[type] !== undefined) return true;
  return false;
}

/** An event as folds get it, or why it cannot be folded. */
type Foldable = Seen | EventSchemaError;

/** Consecutive events of the log. */
interface Batch {
  /** How many events it covers, including those that are passed over. */
  readonly size: number;
  readonly first: number;
  readonly last: number;
  readonly types: ReadonlySet<string>;
  readonly events: readonly Foldable[];
}

function batchOf(events: readonly RecordedEvent[], seen: (event: RecordedEvent) => readonly Foldable[]): Batch {
  return {
    size: events.length,
    first: events[0]?.position ?? 0,
    last: events.at(-1)?.position ?? 0,
    types: new Set(events.map(({ type }) => type)),
    events: events.flatMap(seen),
  };
}

/** An error of the data is the fault of the projections that fold the event, so it is thrown where they do. */
function decoded(table: EventTable, event: RecordedEvent): readonly Foldable[] {
  try {
    const result = decodeEvent(table, event);
    switch (result.kind) {
      case 'event':
        return [result.event];
      case 'erased':
      case 'unknown':
        return [];
    }
  } catch (error) {
    if (error instanceof EventSchemaError) return [error];
    throw error;
  }
}
