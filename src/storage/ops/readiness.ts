/**
 * The checks of `/health` and `/ready`.
 *
 * - `/health` covers faults that a restart might repair; `/ready` also those that need time or an operator.
 */
import type { KeyValueEngine } from '../engine.ts';
import type { BackupsState } from './backups.ts';

export interface Check {
  readonly name: string;
  /** The fault as a sentence, null when the check passes. */
  readonly problem: string | null;
}

export interface ReadinessParts {
  readonly engine: KeyValueEngine;
  /**
   * Fault of the data directory, such as another one at its path; null without a fault. Null for an ephemeral store.
   */
  readonly place: (() => string | null) | null;
  /** Why the disk takes no appends; null while it does. Null for an ephemeral store. */
  readonly diskFull: (() => string | null) | null;
  /** Why the database of the log takes no appends; null while it does. Null for a log in its directory. */
  readonly database: (() => string | null) | null;
  /** Why the read models cannot be read; null when they can. */
  readonly views: () => string | null;
  /** Null when no backups are scheduled. */
  readonly backups: (() => BackupsState) | null;
  readonly backupAgeHoursMax: number;
  /** Start of this process, Unix milliseconds. */
  readonly startedAt: number;
  readonly now: () => number;
}

/** Whether the engine takes writes. */
export function engineCheck({ failure }: KeyValueEngine): Check {
  return { name: 'engine', problem: failure === null ? null : `The engine is read-only: ${failure.message}` };
}

/** All checks of `/ready`, in the order of the answer. */
export function readyChecks(parts: ReadinessParts): Check[] {
  const { engine, database, diskFull, place, views, backups } = parts;
  return [
    engineCheck(engine),
    ...(database === null ? [] : [{ name: 'database', problem: database() }]),
    { name: 'views', problem: views() },
    ...(place === null ? [] : [{ name: 'place', problem: place() }]),
    ...(diskFull === null ? [] : [{ name: 'disk', problem: diskFull() }]),
    ...(backups === null ? [] : [backupCheck(backups(), parts)]),
  ];
}

/** The age counts from the start of the process at the earliest: a missed backup is made soon after the start. */
function backupCheck(state: BackupsState, { backupAgeHoursMax, startedAt, now }: ReadinessParts): Check {
  const since = Math.max(state.last?.verifiedAt ?? 0, startedAt);
  const hours = (now() - since) / 3_600_000;
  if (hours <= backupAgeHoursMax) return { name: 'backup', problem: null };
  const reason = state.failure === null ? '' : ` The latest attempt failed: ${state.failure}`;
  const problem = `No backup was made and verified for ${Math.floor(hours)} hours.${reason}`;
  return { name: 'backup', problem };
}
