/**
 * Errors of appends under a lease: the lease is lost, a newer program is needed, or the log takes no appends for a
 * while.
 */
import { NewerEventError } from '../events/decode.ts';
import { ViewRefused } from '../projections/views-failures.ts';

/** This daemon may have lost the lease to another daemon. */
export class LeaseLost extends Error {
  constructor() {
    super('Another daemon may have taken this over.');
    this.name = 'LeaseLost';
  }
}

/** Another daemon has, or may have, taken the lease over. */
export function isFenced(error: unknown): boolean {
  return error instanceof LeaseLost || codeOf(error) === 'STORAGE_FENCED';
}

/** The state or the views depend on an event of a newer program. */
export function isFromNewerProgram(error: unknown): error is Error {
  return error instanceof NewerEventError || error instanceof ViewRefused;
}

/** The result of `read`, or that of `otherwise` when `read` depends on an event of a newer program. */
export function unlessNewer<Result>(read: () => Result, otherwise: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (isFromNewerProgram(error)) return otherwise();
    throw error;
  }
}

/** A condition that passes: afterwards the log takes appends again. */
export interface LogWait {
  /** As the reason of an interruption: `the disk was full`. */
  readonly reason: string;
  /** A sentence for the operator. */
  readonly note: string;
}

const WAITS: Readonly<Record<string, LogWait>> = {
  STORAGE_FULL: { reason: 'the disk was full', note: 'The disk is full; it goes on when there is room again.' },
  STORAGE_MOVED: {
    reason: 'the data directory was moved, removed or replaced',
    note: 'The data directory was moved, removed or replaced; it goes on when the directory is back.',
  },
  STORAGE_UNAVAILABLE: {
    reason: 'the database was away',
    note: 'The database cannot be reached; it goes on when the database is there again.',
  },
};

/** The condition that the writer waits for; null when waiting does not help. */
export function waitingFor(error: unknown): LogWait | null {
  return WAITS[codeOf(error)] ?? null;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
