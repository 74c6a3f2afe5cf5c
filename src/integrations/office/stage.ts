/** Copies an input into the job's folder and hashes it on the way, so that exactly the hashed bytes are converted. */
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { open, readFile, writeFile } from 'node:fs/promises';
import { DocumentError } from '../../ports/documents.ts';

export const INPUT_BYTES_MAX = 100 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;

export function tooLarge(): DocumentError {
  return new DocumentError('too_large', `The input has more than ${INPUT_BYTES_MAX} bytes.`);
}

/** Copies to `path` and returns the SHA-256 of the bytes. Throws `DocumentError` when the file grows past the limit. */
export async function stage(file: FileHandle, path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  await using copy = await open(path, 'wx', 0o600);
  const buffer = Buffer.alloc(CHUNK_BYTES);
  for (let position = 0; ; ) {
    signal.throwIfAborted();
    const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    if (position > INPUT_BYTES_MAX) throw tooLarge();
    hash.update(buffer.subarray(0, bytesRead));
    await copy.writeFile(buffer.subarray(0, bytesRead));
  }
  return hash.digest('hex');
}

/** Rewrites a staged text as UTF-8 without a byte order mark and returns it. */
export async function asUtf8(path: string): Promise<string> {
  const bytes = await readFile(path);
  const text = decoded(bytes);
  await writeFile(path, text);
  return text;
}

function decoded(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

const SEPARATORS = [',', ';', '\t', '|'] as const;

/** Character code of the field separator: the most frequent candidate in the first line, outside quotes. */
export function separatorOf(text: string): number {
  const line = text
    .slice(0, 64 * 1024)
    .split(/\r?\n/, 1)[0]!
    .replace(/"[^"]*"/g, '');
  const counts = SEPARATORS.map((separator) => line.split(separator).length);
  return SEPARATORS[counts.indexOf(Math.max(...counts))]!.charCodeAt(0);
}
