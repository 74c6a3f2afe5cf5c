/** Saves calls of SQLite: statements are prepared once, reads of a turn share a transaction, inserts are joined. */
import type Database from 'better-sqlite3';

export type Value = string | number | null | Uint8Array;

/** An insert of one kind of row: `INSERT INTO … VALUES`, and the placeholders of one row, `(?, …)`. A constant. */
export interface Insert {
  readonly into: string;
  readonly row: string;
}

/** Limit of rows in one statement; more rows save little. */
const ROWS_MAX = 32;

/** Prepares each SQL text once. */
export class Statements {
  readonly #database: Database.Database;
  readonly #statements = new Map<string, Database.Statement>();

  constructor(database: Database.Database) {
    this.#database = database;
  }

  prepared(sql: string): Database.Statement {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

/**
 * The reads of one turn of the event loop share a transaction, so that SQLite locks the file once for all of them,
 * which takes two thirds of the time of a short read.
 */
export class SharedReads {
  readonly #database: Database.Database;
  readonly #begin: Database.Statement;
  readonly #rollback: Database.Statement;
  #isOpen = false;

  constructor(database: Database.Database) {
    this.#database = database;
    this.#begin = database.prepare('BEGIN');
    this.#rollback = database.prepare('ROLLBACK');
  }

  /** Begins the transaction of this turn unless one is open, for reading or for writing. */
  begin(): void {
    if (this.#database.inTransaction) return;
    this.#begin.run();
    this.#isOpen = true;
    setImmediate(() => this.end());
  }

  /** Called before every write. Rolls back, because a commit throws after damage was found. */
  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    // SQLite ends the transaction by itself after some errors.
    if (this.#database.inTransaction) this.#rollback.run();
  }
}

/** Consecutive rows of one `Insert`, which are written by one statement. */
export class PendingInserts {
  readonly #database: Database.Database;
  /** By the number of rows that the statement inserts. */
  readonly #statements = new Map<Insert, Database.Statement[]>();
  #insert: Insert | null = null;
  #rows = 0;
  /** The values of all rows, one after the other. */
  #values: Value[] = [];

  constructor(database: Database.Database) {
    this.#database = database;
  }

  add(insert: Insert, row: readonly Value[]): void {
    if (insert !== this.#insert) this.flush();
    this.#insert = insert;
    this.#values.push(...row);
    this.#rows += 1;
    if (this.#rows === ROWS_MAX) this.flush();
  }

  flush(): void {
    if (this.#rows === 0 || this.#insert === null) return;
    const rows = this.#rows;
    const values = this.#values;
    this.discard();
    // Spread, because the binding would fetch each element of an array by a separate call.
    this.#prepared(this.#insert, rows).run(...values);
  }

  discard(): void {
    this.#rows = 0;
    this.#values = [];
  }

  #prepared(insert: Insert, rows: number): Database.Statement {
    let statements = this.#statements.get(insert);
    if (statements === undefined) {
      statements = [];
      this.#statements.set(insert, statements);
    }
    statements[rows] ??= this.#database.prepare(`${insert.into} ${Array(rows).fill(insert.row).join(', ')}`);
    return statements[rows];
  }
}
