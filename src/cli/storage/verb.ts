/**
 * How storage commands end: 0 good, 1 a fault in the data or its medium, 2 bad usage; a failure is one sentence.
 *
 * - Bad usage is what the caller can put right by asking differently: another folder, another number, first stopping
 *   who holds the store. Nothing was changed then.
 */
import { StorageError, type StorageErrorCode } from '../../storage/errors.ts';
import { CommandError, UsageError } from '../failures.ts';

const USAGE = new Set<StorageErrorCode>([
  'STORAGE_CONFIG',
  'STORAGE_TARGET',
  'STORAGE_FOREIGN',
  'STORAGE_BACKEND_MISMATCH',
  'STORAGE_LOCKED',
  'STORAGE_BUSY',
  'STORAGE_KEY_INVALID',
  'STORAGE_VALUE_INVALID',
]);
/** Of the file system, when a folder or file that the caller named cannot be used as it was meant. */
const UNUSABLE = /^(EACCES|EPERM|EROFS|ENOTDIR|EISDIR|EEXIST|SQLITE_CANTOPEN\w*|SQLITE_READONLY\w*)$/;

/** Wraps the action of a verb. */
export function ending<Given extends readonly unknown[]>(
  action: (...given: Given) => Promise<void>,
): (...given: Given) => Promise<void> {
  return async (...given) => {
    try {
      await action(...given);
    } catch (error) {
      throw plain(error);
    }
  };
}

export function plain(error: unknown): unknown {
  const cause = error instanceof StorageError ? error.cause : error;
  const code = (cause as { code?: string } | undefined)?.code ?? '';
  if (error instanceof StorageError && (USAGE.has(error.code) || UNUSABLE.test(code))) {
    return new UsageError(sentence(error.message));
  }
  if (error instanceof StorageError) return new CommandError(sentence(error.message));
  if (UNUSABLE.test(code)) return new UsageError(sentence((error as Error).message));
  return error;
}

function sentence(text: string): string {
  return /[.!?\n]$/.test(text) ? text : `${text}.`;
}

/** The data has a fault, and what it is was said already. */
export function foundFault(): void {
  process.exitCode = 1;
}

export async function printJson(value: unknown): Promise<void> {
  const { print } = await import('../text.ts');
  await print(`${JSON.stringify(value)}\n`);
}

/** Label and value, one a line. */
export async function printFacts(facts: Readonly<Record<string, unknown>>): Promise<void> {
  const { print, table } = await import('../text.ts');
  await print(table(Object.entries(facts).map(([name, value]) => [name, String(value)])));
}
