/** Converts errors of the database and its connections to storage errors. No message holds a password. */
import { StorageError, type StorageErrorCode } from '../errors.ts';

/** A prepared statement is missing, or there already. */
const POOLED = 'A pooler shares the connections of this daemon with others; the log needs its session mode.';
/** Classes and codes of SQLSTATE by meaning; the longer prefix wins. */
const MEANINGS: Readonly<Record<string, readonly [StorageErrorCode, string]>> = {
  '08': ['STORAGE_UNAVAILABLE', 'The connection to the database broke.'],
  '25006': ['STORAGE_UNAVAILABLE', 'The database takes no writes at the moment.'],
  '26000': ['STORAGE_UNAVAILABLE', POOLED],
  '28': ['STORAGE_UNAVAILABLE', 'The database refuses the login.'],
  '3D000': ['STORAGE_UNAVAILABLE', 'The database does not exist.'],
  '3F000': ['STORAGE_CONFIG', 'The database has no schema for this log; make it with `daybook log init`.'],
  '40': ['STORAGE_UNAVAILABLE', 'The database took the transaction back.'],
  '42501': ['STORAGE_CONFIG', 'The role of this daemon lacks a right; grant it with `daybook log init --role`.'],
  '42P01': ['STORAGE_CONFIG', 'The schema of this log is incomplete; make it with `daybook log init`.'],
  '42P05': ['STORAGE_UNAVAILABLE', POOLED],
  '42883': ['STORAGE_CONFIG', 'The schema of this log is incomplete; make it with `daybook log init`.'],
  '53': ['STORAGE_UNAVAILABLE', 'The database lacks room, memory or connections.'],
  '55P03': ['STORAGE_UNAVAILABLE', 'The log is locked by another writer for too long.'],
  '57': ['STORAGE_UNAVAILABLE', 'The database ended the statement or is about to stop.'],
};

/** Whether the server itself answered with an error, so that nothing was committed and the connection still works. */
export function isServerError(error: unknown): error is Error & { readonly code: string } {
  const { code, severity } = error as { code?: unknown; severity?: unknown };
  return typeof code === 'string' && typeof severity === 'string';
}

/** The system's error codes for a server that cannot be reached. */
const UNREACHED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'ENOENT',
]);
/** The driver's messages for a timeout of a connection and of a statement. */
const UNANSWERED = new Set(['timeout expired', 'Query read timeout']);

/** Whether no server answered, so that an attempt with other credentials or encryption would fail, too. */
export function isUnreached(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  return UNREACHED.has(code ?? '') || UNANSWERED.has(message ?? '');
}

/** The error for callers; a `StorageError` is returned unchanged. */
export function storageErrorOf(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  const { code = '', message = '' } = error as { code?: string; message?: string };
  if (!isServerError(error)) {
    const reason = UNANSWERED.has(message) ? ' (no answer in time)' : /^E[A-Z]+$/.test(code) ? ` (${code})` : '';
    return new StorageError('STORAGE_UNAVAILABLE', `The database of the log is out of reach${reason}.`, {
      cause: error,
    });
  }
  for (let length = code.length; length >= 2; length -= 1) {
    const known = MEANINGS[code.slice(0, length)];
    if (known !== undefined) return new StorageError(known[0], `${known[1]} (SQLSTATE ${code})`, { cause: error });
  }
  const what = `The database refused a statement of the log (SQLSTATE ${code}): ${error.message}`;
  return new StorageError('STORAGE_IO', what, { cause: error });
}
