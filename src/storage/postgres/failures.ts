/** Converts errors of the database and its connections to storage errors. No message holds a password. */
import { StorageError, type StorageErrorCode } from '../errors.ts';

/** Also the meaning of a prepared statement that is missing, or there already. */
export const POOLED = 'A pooler shares the connections of this daemon with others; the log needs its session mode.';
/** Classes and codes of SQLSTATE by meaning; the longer prefix wins. */
const MEANINGS: Readonly<Record<string, readonly [StorageErrorCode, string]>> = {
  '08': ['STORAGE_UNAVAILABLE', 'The connection to the database broke.'],
  '08P01': ['STORAGE_UNAVAILABLE', 'The database, or a pooler before it, refuses a request; its log says why.'],
  '25006': ['STORAGE_UNAVAILABLE', 'The database takes no writes at the moment.'],
  '26000': ['STORAGE_UNAVAILABLE', POOLED],
  '28': ['STORAGE_UNAVAILABLE', 'The database refuses the login.'],
  '3D000': ['STORAGE_UNAVAILABLE', 'The database does not exist.'],
  '3F000': ['STORAGE_CONFIG', 'The database has no schema for this log; make it with `daybook log init`.'],
  '40': ['STORAGE_UNAVAILABLE', 'The database took the transaction back.'],
  '42501': [
    'STORAGE_CONFIG',
    'The role of this daemon lacks a right (`daybook log init --role`), or row-level security is on.',
  ],
  '42P01': ['STORAGE_CONFIG', 'The schema of this log is incomplete; make it with `daybook log init`.'],
  '42P05': ['STORAGE_UNAVAILABLE', POOLED],
  '42883': ['STORAGE_CONFIG', 'The schema of this log is incomplete; make it with `daybook log init`.'],
  '53': ['STORAGE_UNAVAILABLE', 'The database lacks room, memory or connections.'],
  '53100': ['STORAGE_UNAVAILABLE', 'The disk of the database is full.'],
  '53300': ['STORAGE_UNAVAILABLE', 'The database, or the role of this daemon in it, has no connection left.'],
  '55P03': ['STORAGE_UNAVAILABLE', 'The log is locked by another writer for too long; see `daybook doctor`.'],
  '57': ['STORAGE_UNAVAILABLE', 'The database ended the statement or is about to stop.'],
  '58': ['STORAGE_UNAVAILABLE', 'The database cannot read or write its files.'],
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

/** The driver's message for a server that asks for a password when there is none. */
const NO_PASSWORD = /client password must be/;

/** Whether the password is wrong or missing. */
export function isPasswordFault(error: unknown): boolean {
  const { code, message = '' } = (error ?? {}) as { code?: string; message?: string };
  return code === '28P01' || NO_PASSWORD.test(message);
}

/** The error for callers; a `StorageError` is returned unchanged. */
export function storageErrorOf(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  const { code = '', message = '' } = error as { code?: string; message?: string };
  if (!isServerError(error)) {
    const reason = reasonOf(code, message);
    const what = `The database of the log is out of reach${reason === '' ? '' : ` (${reason})`}.`;
    return new StorageError('STORAGE_UNAVAILABLE', what, { cause: error });
  }
  for (let length = code.length; length >= 2; length -= 1) {
    const known = MEANINGS[code.slice(0, length)];
    if (known !== undefined) return new StorageError(known[0], `${known[1]} (SQLSTATE ${code})`, { cause: error });
  }
  const what = `The database refused a statement of the log (SQLSTATE ${code}): ${error.message}`;
  return new StorageError('STORAGE_IO', what, { cause: error });
}

/** Why there is no connection, in words without names of hosts and users; empty when nothing is known. */
function reasonOf(code: string, message: string): string {
  if (UNANSWERED.has(message)) return 'no answer in time';
  if (message === 'The server does not support SSL connections') return 'the server has no TLS';
  if (NO_PASSWORD.test(message)) return 'the server asks for a password';
  return /^[A-Z][A-Z0-9_]+$/.test(code) ? code : '';
}
