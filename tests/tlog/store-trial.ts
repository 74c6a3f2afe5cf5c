/** A data directory of 1 000 events, and the result of `log verify` after some of its bytes were changed. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { recompute } from '../../src/cli/log/recompute.ts';
import { directorySource } from '../../src/cli/log/source.ts';
import { formatCheckpoint } from '../../src/lib/tlog/checkpoint.ts';
import { formatNote, formatVerifierKey, signingKey, signText, verifierKey } from '../../src/lib/tlog/signed-note.ts';
import { StorageError } from '../../src/storage/errors.ts';
import { type DiskBackend, FIRST_STORE } from '../../src/storage/marker.ts';
import { openStorage } from '../../src/storage/open.ts';
import { event, to } from '../storage/log-helpers.ts';
import { memoryFolder } from '../support/folders.ts';

export const EVENTS = 1_000;
/** Of these, so many are written after everything before was compacted: they are in the write-ahead log. */
const LAST_EVENTS = 16;
export const CONFIG = { lsm: { wal_segment_bytes: 65_536 }, cow: { wal_buffer_size: 65_536 } };
/** They belong to the process that has the directory open, and hold nothing. */
const OF_THE_PROCESS = /(?:^|\/)(?:daybook\.lock.*|data\.sqlite-shm)$/;

export type Files = ReadonlyMap<string, Buffer>;

export interface StoreImage {
  readonly backend: DiskBackend;
  readonly files: Files;
  readonly root: string;
}

/** The files of a log after an orderly end, or as a killed process leaves them. */
export async function storeImage(backend: DiskBackend, end: 'closed' | 'killed'): Promise<StoreImage> {
  const directory = memoryFolder(`image-${backend}`);
  const storage = await openStorage({ directory, backend, config: CONFIG });
  const { log, engine } = storage;
  const append = (count: number, from: number) =>
    log.append(Array.from({ length: count }, (_, at) => to(`stream-${at % 3}`, [event(from + at)])));
  await append(EVENTS - LAST_EVENTS, 1);
  await engine.compact();
  await append(LAST_EVENTS - 1, EVENTS - LAST_EVENTS + 1);
  if (backend === 'embedded_kv') restartLog(directory);
  await append(1, EVENTS);
  const root = log.treeHash(EVENTS);
  const killed = filesIn(directory);
  await storage.close();
  return { backend, files: end === 'killed' ? killed : filesIn(directory), root };
}

/** The next commit of `embedded_kv` is at the beginning of its write-ahead log: what it does not overwrite is left behind it. */
function restartLog(directory: string): void {
  const database = new Sqlite(join(directory, FIRST_STORE, 'data.sqlite'));
  database.pragma('wal_checkpoint(RESTART)');
  database.close();
}

function filesIn(directory: string): Files {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .filter((name) => !OF_THE_PROCESS.test(name))
    .sort();
  return new Map(names.map((name) => [name, readFileSync(join(directory, name))]));
}

const scratch = new Map<string, string>();

/** One folder for each name: it is filled anew for each trial. */
export function scratchFolder(name: string): string {
  const folder = scratch.get(name) ?? join(memoryFolder(name), 'data');
  scratch.set(name, folder);
  return folder;
}

export function writeFiles(directory: string, files: Files): void {
  rmSync(directory, { recursive: true, force: true });
  for (const [name, bytes] of files) {
    mkdirSync(dirname(join(directory, name)), { recursive: true, mode: 0o700 });
    writeFileSync(join(directory, name), bytes);
  }
}

/** The files with some bytes of one of them changed, each in one bit. */
export function flipped({ files }: StoreImage, name: string, offsets: Iterable<number>): Files {
  const bytes = Buffer.from(files.get(name)!);
  for (const offset of offsets) bytes[offset]! ^= 1 << (offset % 8);
  return new Map([...files, [name, bytes]]);
}

const ORIGIN = 'example.org/log';
const KEY = signingKey(Buffer.alloc(32, 1));

/** A checkpoint of all events that somebody else holds, in a file, and the key that signed it. */
export function noteOf(root: string, by = KEY): { readonly path: string; readonly vkey: string } {
  const text = formatCheckpoint({ origin: ORIGIN, size: EVENTS, root: Buffer.from(root, 'hex') });
  const path = join(memoryFolder('held'), 'old.note');
  writeFileSync(path, formatNote({ text, signatures: [signText(by, ORIGIN, text)] }));
  return { path, vkey: formatVerifierKey(verifierKey(ORIGIN, 1, by.publicKey)) };
}

/** What `log verify --checkpoint` does: `ok`, or the first thing that is wrong or was repaired. */
export async function verdict(directory: string, { root }: Pick<StoreImage, 'root'>): Promise<string> {
  try {
    const storage = await openStorage({ directory, config: CONFIG });
    try {
      const source = directorySource(storage);
      const { position } = await source.head();
      const fault = (await storage.engine.verify())[0] ?? (await storage.log.verify()).errors[0];
      if (fault !== undefined) return `wrong: ${fault.file} at ${fault.offset}: ${fault.what}`;
      const { problems } = await recompute(source.events({ after: 0, through: position }), {
        ...{ progress: { at: () => undefined }, total: position },
        trusted: { position: EVENTS, tree_hash: root, isSigned: true },
      });
      if (problems.length > 0) return `wrong: ${problems[0]!.what}`;
      const [repaired] = storage.engine.repaired ?? [];
      return repaired === undefined ? 'ok' : `repaired: ${repaired.file} at ${repaired.offset}: ${repaired.what}`;
    } finally {
      await storage.close();
    }
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    return `wrong: ${error.message}`;
  }
}
