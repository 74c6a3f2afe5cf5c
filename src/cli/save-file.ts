/** Saves an answer of the daemon, such as a PDF, as a new file. */
import { CommandError } from './errors.ts';
import { createNewFile, type ExportTarget } from './export-target.ts';
import { print, printJson, bytes as size } from './text.ts';

/** Saves the file and reports its size. Throws `CommandError` as `writeNewFile`. */
export async function saveFile(
  path: string,
  content: Uint8Array,
  { json }: { readonly json?: boolean },
): Promise<void> {
  await writeNewFile(path, content);
  if (json === true) return printJson({ file: path, bytes: content.length });
  await print(`${path}: ${size(content.length)}\n`);
}

/** Throws `CommandError` when the file exists, or cannot be written. */
export async function writeNewFile(path: string, content: Uint8Array): Promise<void> {
  const file = newFile(path);
  await file.write(content);
  await file.end();
}

/** A new file to write to; its methods throw `CommandError` when the file exists, or cannot be written. */
export function newFile(path: string): ExportTarget {
  return createNewFile(path, (failure) => new CommandError(sentence(path, failure)));
}

function sentence(path: string, failure: NodeJS.ErrnoException): string {
  if (failure.code === 'EEXIST') return `${path} exists already and is not overwritten.`;
  if (failure.code === 'ENOENT') return `${path} cannot be written: its folder does not exist.`;
  return `${path} cannot be written: ${failure.message}`;
}
