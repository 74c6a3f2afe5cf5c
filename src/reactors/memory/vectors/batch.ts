/**
 * One batch of texts through a provider, one request at a time. When it is refused, a single text may be the reason:
 * what the provider takes by itself is found by halving, what it does not take keeps its built-in vector.
 */
import { type Embedder, EmbedderError } from '../../../ports/embedder.ts';
import type { Due } from './backlog.ts';

export interface Embedded {
  readonly entry: Due;
  readonly vector: Float32Array;
}

export interface BatchParts {
  readonly embedder: Embedder;
  readonly signal: AbortSignal;
  /** Called as vectors come in. */
  readonly keep: (embedded: readonly Embedded[]) => Promise<void>;
  /** The provider is well and does not take this text. */
  readonly refuse: (entry: Due) => void;
}

/** Any provider that works at all has a vector for this. */
const PROBE = 'probe';

/** Throws what the provider said when it would not even take a word. */
export async function embedBatch(parts: BatchParts, batch: readonly Due[]): Promise<void> {
  const { embedder, signal, keep, refuse } = parts;
  let vectors: readonly Float32Array[];
  try {
    vectors = await asked(embedder, { texts: batch.map(({ text }) => text), kind: 'document', signal });
    signal.throwIfAborted();
  } catch (error) {
    signal.throwIfAborted();
    if (!mayBeTheText(error)) throw error;
    await asked(embedder, { texts: [PROBE], kind: 'document', signal });
    if (batch.length === 1) return refuse(batch[0]!);
    const middle = Math.ceil(batch.length / 2);
    await embedBatch(parts, batch.slice(0, middle));
    return embedBatch(parts, batch.slice(middle));
  }
  await keep(batch.map((entry, at) => ({ entry, vector: vectors[at]! })));
}

interface Asking {
  readonly texts: readonly string[];
  readonly kind: 'document' | 'query';
  readonly signal: AbortSignal;
}

/** Vectors that can be compared: numbers, all of them. */
export async function asked(embedder: Embedder, { texts, kind, signal }: Asking): Promise<readonly Float32Array[]> {
  const vectors = await embedder.embed(texts, { kind, signal });
  const usable =
    vectors.length === texts.length && vectors.every((each) => each.length > 0 && each.every(Number.isFinite));
  if (!usable) throw new EmbedderError('bad_output', 'The provider sent vectors that are no lists of numbers.');
  return vectors;
}

function mayBeTheText(error: unknown): boolean {
  return error instanceof EmbedderError && (error.reason === 'refused' || error.reason === 'bad_output');
}
