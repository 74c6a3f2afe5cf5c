/**
 * The parts of an earlier index that a build reuses: vectors by text hash, and chunks of unchanged files.
 *
 * - The whole file is verified first, so no damaged byte is reused.
 */
import type { Chunk } from '../chunker/chunker.ts';
import { CHUNK_BYTES, type ChunkRow, DamagedIndex, decodeChunk } from './format.ts';
import { type IndexReader, openIndex } from './reader.ts';

export interface PreviousIndex {
  readonly dimension: number;
  /** Number of chunks. */
  readonly size: number;
  /** Null when no chunk has this text. */
  vector(hash: Buffer): Float32Array | null;
  /** The chunks of an unchanged file; null when it changed. */
  chunks(path: string, sha256: string): readonly Chunk[] | null;
  close(): Promise<void>;
}

export interface PreviousLookup {
  readonly previous: PreviousIndex | null;
  /** The reason why an existing index is not used, as a sentence. */
  readonly note: string | null;
}

export interface PreviousRequest {
  readonly path: string;
  readonly recipe: string;
  readonly workspace: string;
}

export async function openPrevious(wanted: PreviousRequest): Promise<PreviousLookup> {
  let reader: IndexReader;
  try {
    reader = await openIndex(wanted.path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { previous: null, note: null };
    return { previous: null, note: unusable((error as Error).message) };
  }
  try {
    const { meta } = reader;
    if (meta.workspace !== wanted.workspace) throw new DamagedIndex('it was made of another workspace');
    if (meta.recipe !== wanted.recipe) throw new DamagedIndex('it was made by another version of the program');
    await reader.verify();
    return { previous: await previousOf(reader), note: null };
  } catch (error) {
    await reader.close();
    return { previous: null, note: unusable((error as Error).message) };
  }
}

function unusable(why: string): string {
  return `The index of before was not used (${why}); everything was embedded again.`;
}

/** Combines indexes: the first that has a vector provides it. Indexes of another dimension are left out. */
export function mergePrevious(indexes: readonly (PreviousIndex | null)[]): PreviousIndex | null {
  const present = indexes.filter((each) => each !== null);
  const first = present.find(({ dimension }) => dimension > 0) ?? present[0];
  if (first === undefined) return null;
  const fitting = present.filter(({ dimension }) => dimension === first.dimension);
  return {
    dimension: first.dimension,
    size: fitting.reduce((sum, { size }) => sum + size, 0),
    vector(hash) {
      for (const each of fitting) {
        const vector = each.vector(hash);
        if (vector !== null) return vector;
      }
      return null;
    },
    chunks: (path, sha256) => first.chunks(path, sha256),
    async close() {
      for (const each of present) await each.close();
    },
  };
}

async function previousOf(reader: IndexReader): Promise<PreviousIndex> {
  const table = await reader.table('chunks');
  const texts = await reader.table('texts');
  const files = await reader.files();
  const rowsByHash = new Map<string, number>();
  const rowsByFile = new Map<number, ChunkRow[]>();
  for (let row = 0; row * CHUNK_BYTES < table.length; row += 1) {
    const chunk = decodeChunk(table, row);
    rowsByHash.set(chunk.hash.toString('latin1'), row);
    const rows = rowsByFile.get(chunk.file) ?? [];
    rows.push(chunk);
    rowsByFile.set(chunk.file, rows);
  }
  const fileByPath = new Map(files.map(([path, sha256], index) => [path, { index, sha256 }]));
  return {
    dimension: reader.header.dimension,
    size: reader.header.chunks,
    vector(hash) {
      const row = rowsByHash.get(hash.toString('latin1'));
      return row === undefined ? null : reader.vector(row);
    },
    chunks(path, sha256) {
      const file = fileByPath.get(path);
      if (file?.sha256 !== sha256) return null;
      const rows = rowsByFile.get(file.index) ?? [];
      return rows.map(({ textAt, textBytes, symbolBytes, firstLine, lastLine }) => {
        const symbolAt = textAt + textBytes;
        const symbol = texts.toString('utf8', symbolAt, symbolAt + symbolBytes) || null;
        return { text: texts.toString('utf8', textAt, symbolAt), symbol, startLine: firstLine, endLine: lastLine };
      });
    },
    close: () => reader.close(),
  };
}
