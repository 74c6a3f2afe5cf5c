/**
 * How far each projection has folded the log: in memory, and in a table of the views that is written with their rows.
 *
 * - A checkpoint is a position of the log; the rows are a function of the events up to it.
 * - The tree hash of the log at that position is stored with it. When the log has another hash there (it was restored,
 *   imported or replaced), the projection starts again.
 */
import type { Projection } from '../projections/projection.ts';
import type { ViewsStore } from '../projections/views.ts';
import type { EventLog } from '../storage/event-log.ts';

const CREATE = `CREATE TABLE IF NOT EXISTS checkpoints (
  name TEXT PRIMARY KEY, version INTEGER NOT NULL, position INTEGER NOT NULL, tree_hash TEXT NOT NULL
) WITHOUT ROWID`;

interface CheckpointRow {
  readonly version: number;
  readonly position: number;
  readonly tree_hash: string;
}

export type FoldedLog = Pick<EventLog, 'head' | 'treeHash'>;

/** The columns of the table, in their order. */
const COLUMNS = 'name version position tree_hash';

/** The checkpoints of all projections. */
export class Checkpoints {
  readonly #store: ViewsStore;
  readonly #log: FoldedLog;
  /** By the name of the projection. */
  #reached = new Map<string, number>();
  /** The value of `#reached` at the last commit. */
  #committed = new Map<string, number>();

  /** Throws when the table has other columns: another version of the program wrote the views. */
  constructor(store: ViewsStore, log: FoldedLog) {
    this.#store = store;
    this.#log = log;
    store.exec(CREATE);
    const columns = store.all<{ name: string }>("SELECT name FROM pragma_table_info('checkpoints')");
    if (columns.map(({ name }) => name).join(' ') !== COLUMNS)
      throw new Error('another version of the program wrote it');
  }

  /** The position that the projection has reached; 0 before its first event. */
  of({ name }: Projection): number {
    return this.#reached.get(name) ?? 0;
  }

  advance({ name }: Projection, position: number): void {
    this.#reached.set(name, position);
  }

  /** By the name of the projection. */
  get positions(): ReadonlyMap<string, number> {
    return this.#reached;
  }

  /** Reads the stored checkpoints. A projection whose checkpoint does not belong to this log and code starts again. */
  load(projections: readonly Projection[]): void {
    this.#reached = new Map(projections.map((projection) => [projection.name, this.#stored(projection)]));
  }

  /** Sets the checkpoints to 0 and deletes the stored ones. The tables keep their rows until `load` or `adopt`. */
  reset(projections: readonly Projection[]): void {
    for (const { name } of projections) this.#store.run('DELETE FROM checkpoints WHERE name = ?', name);
    this.#reached = new Map(projections.map(({ name }) => [name, 0]));
  }

  /** Takes these positions, by name. Empties the tables of the projections without a stored checkpoint. */
  adopt(projections: readonly Projection[], positions: ReadonlyMap<string, number>): void {
    for (const projection of projections) {
      if (this.#row(projection) === undefined) this.#empty(projection);
      this.advance(projection, positions.get(projection.name) ?? 0);
    }
    this.committed();
  }

  /** Writes the checkpoints that have moved since the last commit. */
  save(projections: readonly Projection[]): void {
    const hashes = new Map<number, string>();
    for (const { name } of projections) {
      const at = this.#reached.get(name);
      if (at === undefined || at === this.#committed.get(name)) continue;
      const hash = hashes.get(at) ?? this.#log.treeHash(at);
      hashes.set(at, hash);
      this.#store.run('UPDATE checkpoints SET position = ?, tree_hash = ? WHERE name = ?', at, hash, name);
    }
  }

  /** After the transaction was committed. */
  committed(): void {
    this.#committed = new Map(this.#reached);
  }

  /** After the transaction was rolled back. */
  rolledBack(): void {
    this.#reached = new Map(this.#committed);
  }

  #stored(projection: Projection): number {
    const row = this.#row(projection);
    if (row !== undefined && this.#fits(row, projection)) return row.position;
    this.#empty(projection);
    return 0;
  }

  #row({ name }: Projection): CheckpointRow | undefined {
    return this.#store.get('SELECT version, position, tree_hash FROM checkpoints WHERE name = ?', name);
  }

  #fits({ version, position, tree_hash }: CheckpointRow, projection: Projection): boolean {
    if (version !== projection.version || position > this.#log.head().position) return false;
    return tree_hash === this.#log.treeHash(position);
  }

  #empty({ name, version, tables, create }: Projection): void {
    for (const table of tables) this.#drop(table);
    this.#store.exec(create);
    this.#store.run('INSERT OR REPLACE INTO checkpoints VALUES (?, ?, 0, ?)', name, version, this.#log.treeHash(0));
  }

  /**
   * Deletes the rows first: SQLite keeps each page of a table that is dropped with its rows in memory until the commit.
   * The triggers go before them, because they maintain tables that may be gone, and slow the deletion.
   */
  #drop(table: string): void {
    const made = this.#store.all<{ type: string; name: string }>(
      'SELECT type, name FROM sqlite_schema WHERE tbl_name = ?',
      table,
    );
    if (made.length === 0) return;
    for (const { type, name } of made) if (type === 'trigger') this.#store.exec(`DROP TRIGGER ${name}`);
    this.#store.exec(`DELETE FROM ${table}`);
    this.#store.exec(`DROP TABLE ${table}`);
  }
}
