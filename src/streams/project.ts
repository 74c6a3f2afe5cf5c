/**
 * Runs the projections: folds the log into the views, each batch and the checkpoints it reaches in one transaction.
 *
 * - A checkpoint is a position of the log and nothing else; a view is a function of the events up to it.
 * - The views remember the tree hash at their checkpoint: a log that is not the one they were folded from (restored,
 *   imported, replaced) makes them start again.
 * - A projection whose fold throws is taken out and named; the others, and the log, go on without it. When the views
 *   themselves cannot be written, all are taken out: a read model is right or refused, never stale.
 */
import type { Projection, Seen } from '../projections/projection.ts';
import type { ViewsStore } from '../projections/views.ts';
import type { EventLog, RecordedEvent } from '../storage/event-log.ts';

export interface Projector {
  /** Position all healthy projections have reached. */
  position(): number;
  readonly failures: ReadonlyMap<string, string>;
  /** Folds everything the views lack, yielding to the event loop between batches. */
  catchUp(progress?: (done: number, total: number) => void): Promise<void>;
  /** Folds a committed batch into every projection that has everything before it. */
  apply(events: readonly RecordedEvent[]): void;
  /** Forgets every view and folds the log again. */
  rebuild(progress?: (done: number, total: number) => void): Promise<void>;
}

export interface ProjectorParts {
  readonly log: EventLog;
  readonly store: ViewsStore;
  readonly projections: readonly Projection[];
  readonly report: (message: string) => void;
}

const BATCH_EVENTS = 2_000;

class FoldError extends Error {
  readonly projection: string;

  constructor(projection: string, position: number, cause: unknown) {
    super(`The projection ${projection} failed at position ${position}: ${(cause as Error).message}`, { cause });
    this.projection = projection;
  }
}

export function createProjector({ log, store, projections, report }: ProjectorParts): Projector {
  store.exec(`CREATE TABLE IF NOT EXISTS checkpoints (
    name TEXT PRIMARY KEY, version INTEGER NOT NULL, position INTEGER NOT NULL, tree_hash TEXT NOT NULL
  ) WITHOUT ROWID`);
  const failures = new Map<string, string>();
  let reached = new Map<string, number>();

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
    if (!fits) store.transaction(() => reset(projection));
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
  function foldOnce(events: readonly RecordedEvent[]): readonly string[] {
    const first = events[0]!.position;
    const last = events.at(-1)!.position;
    const treeHash = log.treeHash(last);
    const advanced: string[] = [];
    for (const projection of alive()) {
      const from = reached.get(projection.name) ?? 0;
      if (first > from + 1 || last <= from) continue;
      for (const event of events) {
        if (event.position > from && event.erased !== true) foldEvent(projection, event);
      }
      store.run('UPDATE checkpoints SET position = ?, tree_hash = ? WHERE name = ?', last, treeHash, projection.name);
      advanced.push(projection.name);
    }
    return advanced;
  }

  function foldEvent(projection: Projection, event: RecordedEvent): void {
    try {
      projection.on[event.type]?.(store, event as Seen);
    } catch (error) {
      throw new FoldError(projection.name, event.position, error);
    }
  }

  function fold(events: readonly RecordedEvent[]): void {
    while (events.length > 0 && alive().length > 0) {
      try {
        const advanced = store.transaction(() => foldOnce(events));
        for (const name of advanced) reached.set(name, events.at(-1)!.position);
        return;
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        const hit = error instanceof FoldError ? [error.projection] : alive().map((projection) => projection.name);
        for (const name of hit) failures.set(name, message);
        report(message);
      }
    }
  }

  async function catchUp(progress?: (done: number, total: number) => void): Promise<void> {
    reached = new Map(projections.map((projection) => [projection.name, standing(projection)]));
    for (let at = position(); at < log.head().position && alive().length > 0; at = position()) {
      fold([...log.readAll({ after: at, limit: BATCH_EVENTS })]);
      progress?.(position(), log.head().position);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  return {
    position,
    failures,
    catchUp,
    apply: fold,
    async rebuild(progress) {
      failures.clear();
      store.transaction(() => projections.forEach(reset));
      await catchUp(progress);
    },
  };
}
