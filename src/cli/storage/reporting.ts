/**
 * Results and errors of storage commands. Exit code 0 success, 1 a fault in the data or its medium, 2 bad usage.
 *
 * - Bad usage is an error that other arguments, or stopping the process that has the store open, would avoid. Nothing
 *   is changed in that case.
 */
import { StorageError, type StorageErrorCode } from '../../storage/errors.ts';
import { CommandError, UsageError } from '../errors.ts';
import { asSentence, print, printJson, table } from '../text.ts';

const USAGE_CODES = new Set<StorageErrorCode>([
  'STORAGE_CONFIG',
  'STORAGE_TARGET',
  'STORAGE_FOREIGN',
  'STORAGE_BACKEND_MISMATCH',
  'STORAGE_LOCKED',
  'STORAGE_BUSY',
  'STORAGE_KEY_INVALID',
  'STORAGE_VALUE_INVALID',
]);
/** Codes of the file system for a folder or file that cannot be used as the caller asked. */
const UNUSABLE_FILE_CODES = /^(EACCES|EPERM|EROFS|ENOTDIR|EISDIR|EEXIST|SQLITE_CANTOPEN\w*|SQLITE_READONLY\w*)$/;

/** An action whose storage errors are turned into errors with the right exit code. */
export function withExitCodes<Arguments extends readonly unknown[]>(
  action: (...args: Arguments) => Promise<void>,
): (...args: Arguments) => Promise<void> {
  return async (...args) => {
    try {
      await action(...args);
    } catch (error) {
      throw asCommandError(error);
    }
  };
}

export function asCommandError(error: unknown): unknown {
  const cause = error instanceof StorageError ? error.cause : error;
  const code = (cause as { code?: string } | undefined)?.code ?? '';
  if (error instanceof StorageError && (USAGE_CODES.has(error.code) || UNUSABLE_FILE_CODES.test(code))) {
    return new UsageError(asSentence(error.message));
  }
  if (error instanceof StorageError) return new CommandError(asSentence(error.message));
  if (UNUSABLE_FILE_CODES.test(code)) return new UsageError(asSentence((error as Error).message));
  return error;
}

/**
 * One object as JSON, or as a table of names and values: times (`…_at`, Unix milliseconds in JSON) in UTC, null as
 * `none`. Paths and hashes are never cut.
 */
export async function printFacts(
  facts: Readonly<Record<string, unknown>>,
  { json }: { readonly json?: boolean } = {},
): Promise<void> {
  if (json === true) return printJson(facts);
  const rows = Object.entries(facts).map(([name, value]) => [name, factText(name, value)]);
  await print(table(rows, { columns: Number.POSITIVE_INFINITY }));
}

function factText(name: string, value: unknown): string {
  if (value === null) return 'none';
  return name.endsWith('_at') && typeof value === 'number' ? new Date(value).toISOString() : String(value);
}
