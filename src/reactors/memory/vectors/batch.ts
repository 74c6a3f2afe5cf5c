/**
 * Embeds one batch of texts, one request at a time. When the provider refuses a batch, one text may be the reason:
 * halving finds the texts that the provider accepts; a text that is refused alone keeps its built-in vector.
 */
import { type Embedder, EmbedderError } from '../../../ports/embedder.ts';
import type { BatchEntry } from './backlog.ts';

export interface Embedded {
  readonly entry: BatchEntry;
  readonly vector: Float32Array;
}

export interface BatchParts {
  readonly embedder: Embedder;
  readonly signal: AbortSignal;
  /** Called as vectors come in. */
  readonly store: (embedded: readonly Embedded[]) => Promise<void>;
  /** Called for a text that the provider refuses while it accepts others. */
  readonly refuse: (entry: BatchEntry) => void;
}

/** A text that every working provider can embed. */
const PROBE = 'probe';

/** Throws the provider's error when it refuses even the probe. */
export async function embedBatch(parts: BatchParts, batch: readonly BatchEntry[]): Promise<void> {
  const { embedder, signal, store, refuse } = parts;
  let vectors: readonly Float32Array[];
  try {
    vectors = await embedTexts(embedder, { texts: batch.map(({ text }) => text), kind: 'document', signal });
    signal.throwIfAborted();
  } catch (error) {
    signal.throwIfAborted();
    if (!mayBeCausedByText(error)) throw error;
    await embedTexts(embedder, { texts: [PROBE], kind: 'document', signal });
    if (batch.length === 1) return refuse(batch[0]!);
    const middle = Math.ceil(batch.length / 2);
    await embedBatch(parts, batch.slice(0, middle));
    return embedBatch(parts, batch.slice(middle));
  }
  await store(batch.map((entry, at) => ({ entry, vector: vectors[at]! })));
}

interface EmbedRequest {
  readonly texts: readonly string[];
  readonly kind: 'document' | 'query';
  readonly signal: AbortSignal;
}

/** Returns one vector of finite numbers for each text. Throws `EmbedderError`. */
export async function embedTexts(
  embedder: Embedder,
  { texts, kind, signal }: EmbedRequest,
): Promise<readonly Float32Array[]> {
  const vectors = await embedder.embed(texts, { kind, signal });
  const isUsable =
    vectors.length === texts.length && vectors.every((each) => each.length > 0 && each.every(Number.isFinite));
  if (!isUsable) throw new EmbedderError('bad_output', 'The provider sent vectors that are no lists of numbers.');
  return vectors;
}

function mayBeCausedByText(error: unknown): boolean {
  return error instanceof EmbedderError && (error.reason === 'refused' || error.reason === 'bad_output');
}
