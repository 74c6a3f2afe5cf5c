/**
 * A cache of conversion results, by hash of the document, target, version of the engine and of the filter table.
 *
 * - A result is complete or absent: its note is renamed into place, then the result, so that each result in the folder
 *   has a note by which it is removed later.
 * - The note has the hash of the result: a changed or missing result is not used.
 * - At most `ENTRIES_MAX` results in `CACHE_BYTES_MAX`; the least recently used are removed first.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { Mutex } from '../../lib/keyed-mutex.ts';

const CACHE_BYTES_MAX = 1024 * 1024 * 1024;
const ENTRIES_MAX = 1_000;
/** Raise it when a change of the filters changes the result of the same input. */
const TABLE_VERSION = 1;

export interface Entry {
  readonly output: string;
  readonly bytes: number;
}

export interface Cache {
  find(key: string): Promise<Entry | null>;
  /** Moves a finished file into the cache. */
  keep(key: string, finished: { readonly path: string; readonly extension: string }): Promise<Entry>;
}

export interface CacheLimits {
  readonly bytesMax: number;
  readonly entriesMax: number;
}

const zNote = z.object({ file: z.string(), bytes: z.int(), sha256: z.string() });
const NOTE = '.json';

export function cacheKey(of: { readonly input: string; readonly target: string; readonly engine: string }): string {
  const text = [TABLE_VERSION, of.input, of.target, of.engine].join('\n');
  return createHash('sha256').update(text).digest('hex');
}

export function createCache(
  folder: string,
  limits: CacheLimits = { bytesMax: CACHE_BYTES_MAX, entriesMax: ENTRIES_MAX },
): Cache {
  // A result that is used meanwhile is not removed as the least recently used one.
  const uses = new Mutex();
  return {
    async find(key) {
      const note = await readNote(join(folder, key + NOTE));
      if (note === null) return null;
      const output = join(folder, note.file);
      const same = await hashOf(output).then(
        (hash) => hash === note.sha256,
        () => false,
      );
      const isKept = same && (await uses.run(() => touch(join(folder, key + NOTE))));
      return isKept ? { output, bytes: note.bytes } : null;
    },
    async keep(key, { path, extension }) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const sha256 = await hashOf(path);
      const { size: bytes } = await stat(path);
      const file = `${key}.${extension}`;
      const output = join(folder, file);
      await chmod(path, 0o600);
      const draft = `${path}${NOTE}`;
      await writeFile(draft, JSON.stringify({ file, bytes, sha256 }), { mode: 0o600 });
      await uses.run(async () => {
        await rename(draft, join(folder, key + NOTE));
        await rename(path, output);
        await evict(folder, key, limits);
      });
      return { output, bytes };
    },
  };
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

async function readNote(path: string): Promise<z.infer<typeof zNote> | null> {
  try {
    const parsed = zNote.safeParse(JSON.parse(await readFile(path, 'utf8')));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/** Records a use. False when the file is gone; a file whose time cannot be set may be used too. */
function touch(path: string): Promise<boolean> {
  const now = new Date();
  return utimes(path, now, now).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  );
}

/** Removes the least recently used results until the rest fits; never the newest one. */
async function evict(folder: string, kept: string, { bytesMax, entriesMax }: CacheLimits): Promise<void> {
  const notes = (await readdir(folder)).filter((name) => name.endsWith(NOTE));
  const entries = await Promise.all(
    notes.map(async (name) => {
      const note = await readNote(join(folder, name));
      const { mtimeMs } = await stat(join(folder, name));
      return { name, mtimeMs, file: note?.file ?? '', bytes: note?.bytes ?? 0 };
    }),
  );
  let bytes = 0;
  const newestFirst = entries.toSorted(
    (a, b) => Number(b.name === kept + NOTE) - Number(a.name === kept + NOTE) || b.mtimeMs - a.mtimeMs,
  );
  for (const [index, entry] of newestFirst.entries()) {
    bytes += entry.bytes;
    if (index === 0 || (index < entriesMax && bytes <= bytesMax)) continue;
    await rm(join(folder, entry.name), { force: true });
    if (entry.file !== '') await rm(join(folder, entry.file), { force: true });
  }
}
