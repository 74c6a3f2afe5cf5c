/** The built-in embedder: computes vectors in the daemon, and yields to the event loop between texts. */
import { hash } from 'node:crypto';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Embedder, EmbeddingChoice } from '../../ports/embedder.ts';

/** Returns a vector of length 1, or zeros, always of the same dimension. */
export type LocalVector = (text: string) => Float32Array;

/** Characters between two yields: a few milliseconds. */
const TURN_CHARACTERS = 50_000;
/** The vector of this text identifies the version of the function: vectors of different versions are never mixed. */
const PROBE = 'The quick brown fox: jumps(over, 13) lazy_dogs! Übermut tut selten gut.';

export function localRecipe(localVector: LocalVector): string {
  const { buffer, byteOffset, byteLength } = localVector(PROBE);
  const digest = hash('sha256', new Uint8Array(buffer, byteOffset, byteLength));
  return `local:${digest.slice(0, 16)}`;
}

export function localEmbedder(choice: EmbeddingChoice, localVector: LocalVector): Embedder {
  const embed: Embedder['embed'] = async (texts, { signal }) => {
    const vectors: Float32Array[] = [];
    let characters = 0;
    for (const text of texts) {
      signal?.throwIfAborted();
      vectors.push(localVector(text));
      characters += text.length;
      if (characters < TURN_CHARACTERS) continue;
      characters = 0;
      await yieldToOthers();
    }
    return vectors;
  };
  return {
    ...choice,
    recipe: localRecipe(localVector),
    dimension: localVector(PROBE).length,
    isLocal: true,
    embed,
    embedRaw: async (texts, options) => (await embed(texts, options)).map((vector) => [...vector]),
  };
}
