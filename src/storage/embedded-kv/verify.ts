/** Verification of an `embedded_kv` store: SQLite's structure check, then the checksum of every row. */
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Database } from 'better-sqlite3';
import { faultOf } from '../disk-error.ts';
import type { Fault } from '../engine.ts';
import { storeClosed } from '../errors.ts';
import { DATABASE_FILE, fromSqlite } from './errors.ts';
import { offsetOfFinding } from './locate.ts';
import { pagedRange, type RowReader } from './reads.ts';

const ROWS_PER_TURN = 2_048;
const FAULTS_MAX = 100;

/**
 * Resolves with at most about 100 faults; does not reject for damage, but when the database is closed meanwhile.
 * `progress` receives rows read, twice.
 */
export async function verifyDatabase(
  database: Database,
  options: { readonly reads: RowReader; readonly progress?: (done: number, total: number) => void },
): Promise<readonly Fault[]> {
  const faults = structureFaults(database);
  const check = (): void => {
    if (!database.open) throw storeClosed();
  };
  let rows = 0;
  try {
    for (const _ of pagedRange({}, { check, begin: () => options.reads, end: () => {} })) {
      rows += 1;
      if (rows % ROWS_PER_TURN === 0) {
        options.progress?.(rows, rows);
        await yieldToOthers();
      }
    }
  } catch (error) {
    check();
    faults.push(faultOf(fromSqlite(error), DATABASE_FILE));
  }
  options.progress?.(rows, rows);
  return faults;
}

function structureFaults(database: Database): Fault[] {
  try {
    const findings = database.pragma(`integrity_check(${FAULTS_MAX})`) as { readonly integrity_check: string }[];
    return findings
      .flatMap((row) => row.integrity_check.split('\n'))
      .filter((line) => line !== 'ok' && !HEADING.test(line))
      .slice(0, FAULTS_MAX)
      .map((line) => ({ file: DATABASE_FILE, offset: offsetOfFinding(line), what: line }));
  } catch (error) {
    return [faultOf(fromSqlite(error), DATABASE_FILE)];
  }
}

/** The heading that `integrity_check` writes before its findings. */
const HEADING = /^\*\*\* in database /;
