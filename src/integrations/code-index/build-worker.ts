/**
 * Child process of an index build: walks, splits, counts words and writes the file. Its parent computes the vectors.
 *
 * - It runs at low priority and ends when its parent is gone.
 * - The next window of chunks is prepared while the vectors of the current one are computed.
 * - When the embedder fails or the parent is gone, the vectors so far are kept in a file for the next build, unless an
 *   earlier file has more.
 * - When the model's dimension changed, the build starts again without earlier vectors.
 */
import { rmSync } from 'node:fs';
import { setPriority } from 'node:os';
import { keepCompiledCode } from '../../lib/compiled-code.ts';
import type { BuildOutcome, BuildProgress } from '../../ports/code-index.ts';
import { chunksOf } from '../chunker/chunker.ts';
import { languageOf } from '../chunker/languages.ts';
import type { WalkRequest } from '../tools/walk.ts';
import type { Meta } from './format.ts';
import { mergePrevious, openPrevious, type PreviousIndex } from './previous-index.ts';
import { SCAN_LIMITS, type Scan, type ScannedFile, scan } from './scan.ts';
import { textHash } from './search.ts';
import { countWords } from './terms.ts';
import { IndexWriter, type NewChunk } from './writer.ts';

export interface BuildJob {
  readonly walk: WalkRequest;
  readonly meta: Meta;
  readonly builtAt: number;
  /** See `BuildPlace`. */
  readonly dimension: number | null;
  /** Path of the index, and of the unfinished file. */
  readonly path: string;
  readonly part: string;
  /** Path of the vectors of a failed build. */
  readonly kept: string;
}

export type BuiltIndex = Omit<BuildOutcome, 'path'>;

export type BuildMessage =
  | { readonly type: 'embed'; readonly texts: readonly string[] }
  | { readonly type: 'progress'; readonly progress: BuildProgress }
  | { readonly type: 'built'; readonly built: BuiltIndex }
  | { readonly type: 'failed'; readonly message: string };

/** Response to `embed`. */
export type EmbeddedTexts = { readonly vectors: readonly Float32Array[] } | { readonly failure: string };

const WINDOW_CHUNKS = 256;
const PROGRESS_MS = 100;
const NICENESS = 10;

class DimensionChanged extends Error {}
class NoVectors extends Error {}

interface Counts {
  files: number;
  done: number;
  embedded: number;
  reused: number;
  reportedAt: number;
}

interface Build {
  readonly scanned: Scan;
  readonly writer: IndexWriter;
  readonly previous: PreviousIndex | null;
  readonly counts: Counts;
  /** Rows by text hash, so that equal texts are embedded once. */
  readonly written: Map<string, number>;
}

interface WindowFile {
  readonly file: ScannedFile;
  readonly chunks: readonly NewChunk[];
}

/** Called when the parent is gone; fails a pending request for vectors. */
let orphaned = (): void => undefined;

process.once('disconnect', () => orphaned());
process.once('message', (job: BuildJob) => {
  lowerPriority();
  build(job)
    .then(
      (built): BuildMessage => ({ type: 'built', built }),
      (error: Error): BuildMessage => ({ type: 'failed', message: error.message }),
    )
    .then((message) => {
      keepCompiledCode();
      post(message);
    });
});

/** Does nothing when the parent is gone. The callback takes the error of a parent whose end is not noticed yet. */
function post(message: BuildMessage): void {
  if (process.connected) process.send!(message, undefined, undefined, () => undefined);
}

/** Throws `NoVectors` when the parent is gone, so that the vectors so far are kept. */
function requireParent(): void {
  if (!process.connected) throw new NoVectors('the daemon is gone');
}

function lowerPriority(): void {
  try {
    setPriority(NICENESS);
  } catch {
    // Not allowed on this system; the build runs at normal priority.
  }
}

async function build(job: BuildJob): Promise<BuiltIndex> {
  const { previous: built, note } = await openPrevious({ path: job.path, ...job.meta });
  const { previous: kept } = await openPrevious({ path: job.kept, ...job.meta });
  const previous = mergePrevious([built, kept]);
  const notes = note === null ? [] : [note];
  try {
    if (previous !== null && job.dimension !== null && job.dimension !== previous.dimension) {
      throw dimensionChanged(previous, [job.dimension]);
    }
    return await attempt(job, previous, { notes, keptChunks: kept?.size ?? 0 });
  } catch (error) {
    if (!(error instanceof DimensionChanged)) throw error;
    return await attempt(job, null, { notes: [...notes, error.message], keptChunks: 0 });
  } finally {
    await previous?.close();
  }
}

async function attempt(
  job: BuildJob,
  previous: PreviousIndex | null,
  { notes, keptChunks }: { readonly notes: readonly string[]; readonly keptChunks: number },
): Promise<BuiltIndex> {
  const counts = { files: 0, done: 0, embedded: 0, reused: 0, reportedAt: 0 };
  const scanned = scan(job.walk, SCAN_LIMITS);
  const writer = new IndexWriter(job.part);
  const state: Build = { scanned, writer, previous, counts, written: new Map() };
  try {
    await embedFiles(state);
    requireParent();
    report(state, 'writing');
    await writer.finish(job.path, job.meta, job.builtAt);
    rmSync(job.kept, { force: true });
  } catch (error) {
    const isWorthKeeping = error instanceof NoVectors && counts.embedded > 0 && writer.chunks > keptChunks;
    if (isWorthKeeping) await writer.finish(job.kept, job.meta, job.builtAt);
    else writer.discard();
    throw error;
  }
  const { files, embedded, reused } = counts;
  const limited = scanned.skipped.over_limit === 0 ? [] : [limitNote(scanned.skipped.over_limit)];
  const facts = { chunks: writer.chunks, files, dimension: writer.dimension, embedded, reused };
  return { ...facts, skipped: scanned.skipped, notes: [...notes, ...limited] };
}

function limitNote(files: number): string {
  const { filesMax, textBytesMax } = SCAN_LIMITS;
  return `${files} files were left out: an index holds at most ${filesMax} files and ${textBytesMax} bytes of text.`;
}

async function embedFiles(state: Build): Promise<void> {
  let writing: Promise<void> = Promise.resolve();
  let window: WindowFile[] = [];
  let size = 0;
  const flush = async (): Promise<void> => {
    const full = window;
    window = [];
    size = 0;
    await writing;
    writing = write(state, full);
    // The next `await writing` throws its failure; until then it must not count as unhandled.
    writing.catch(() => undefined);
  };
  for (const file of state.scanned.files()) {
    const chunks = await newChunks(state, file);
    window.push({ file, chunks });
    size += chunks.length;
    state.counts.files += 1;
    report(state, 'embedding');
    if (size >= WINDOW_CHUNKS) await flush();
  }
  await flush();
  await writing;
}

async function newChunks({ previous }: Build, file: ScannedFile): Promise<readonly NewChunk[]> {
  const { path, sha256, text } = file;
  const chunks = previous?.chunks(path, sha256) ?? (await chunksOf(text, languageOf(path)));
  return chunks
    .filter((chunk) => chunk.text.trim() !== '')
    .map((chunk) => ({
      firstLine: chunk.startLine,
      lastLine: chunk.endLine,
      text: chunk.text,
      symbol: chunk.symbol,
      hash: textHash(chunk.text),
      words: countWords(`${path} ${chunk.symbol ?? ''}`, countWords(chunk.text)),
    }));
}

async function write(state: Build, window: readonly WindowFile[]): Promise<void> {
  requireParent();
  const vectors = await vectorsFor(
    state,
    window.flatMap(({ chunks }) => chunks),
  );
  const { writer, counts, written } = state;
  for (const { file, chunks } of window) {
    writer.beginFile([file.path, file.sha256, file.bytes, languageOf(file.path)?.name ?? null]);
    for (const chunk of chunks) {
      const key = keyOf(chunk);
      const vector = vectors.get(key) ?? writer.vectorAt(written.get(key)!);
      if (!written.has(key)) written.set(key, writer.chunks);
      writer.add(chunk, vector);
      counts.done += 1;
    }
  }
  report(state, 'embedding');
}

/** The vectors of texts that this build has not written yet, reused or requested. */
async function vectorsFor(state: Build, chunks: readonly NewChunk[]): Promise<Map<string, Float32Array>> {
  const { previous, counts, written } = state;
  const vectors = new Map<string, Float32Array>();
  const wanted = new Map<string, string>();
  for (const chunk of chunks) {
    const key = keyOf(chunk);
    const old = written.has(key) || vectors.has(key) ? null : previous?.vector(chunk.hash);
    if (old != null) vectors.set(key, old);
    else if (!written.has(key) && !vectors.has(key)) wanted.set(key, chunk.text);
  }
  const embedded = wanted.size === 0 ? [] : await embed([...wanted.values()]);
  counts.embedded += wanted.size;
  counts.reused += chunks.length - wanted.size;
  for (const [index, key] of [...wanted.keys()].entries()) vectors.set(key, embedded[index]!);
  checkDimension(state, vectors);
  return vectors;
}

function checkDimension({ previous, writer }: Build, vectors: ReadonlyMap<string, Float32Array>): void {
  const dimensions = new Set([...vectors.values()].map(({ length }) => length));
  if (writer.dimension !== null) dimensions.add(writer.dimension);
  if (previous === null || dimensions.size < 2) return;
  dimensions.delete(previous.dimension);
  throw dimensionChanged(previous, [...dimensions]);
}

function dimensionChanged({ dimension }: PreviousIndex, answered: readonly number[]): DimensionChanged {
  const numbers = `${answered.join(', ')} numbers and did with ${dimension}`;
  return new DimensionChanged(`The model answers with ${numbers}; everything was embedded again.`);
}

/** Requests vectors from the parent, one request at a time. Rejects with `NoVectors`. */
function embed(texts: readonly string[]): Promise<readonly Float32Array[]> {
  return new Promise((resolve, reject) => {
    process.once('message', (answer: EmbeddedTexts) => {
      if ('vectors' in answer) resolve(answer.vectors);
      else reject(new NoVectors(answer.failure));
    });
    orphaned = () => reject(new NoVectors('the daemon is gone'));
    post({ type: 'embed', texts });
  });
}

function keyOf({ hash }: NewChunk): string {
  return hash.toString('latin1');
}

function report({ counts, scanned }: Build, phase: BuildProgress['phase']): void {
  const now = performance.now();
  if (phase === 'embedding' && now - counts.reportedAt < PROGRESS_MS) return;
  counts.reportedAt = now;
  post({
    type: 'progress',
    progress: {
      phase,
      files_done: counts.files,
      files_total: Math.max(scanned.total, counts.files),
      chunks_done: counts.done,
      chunks_embedded: counts.embedded,
    },
  });
}
