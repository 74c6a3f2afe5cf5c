/**
 * A question as the model sees it: asked for once, remembered for a while, given up after seconds.
 *
 * - A provider that failed is left alone for a moment: nobody waits for it again and again.
 */
import type { Embedder } from '../../../ports/embedder.ts';
import type { VectorStore } from '../../../ports/vector-files.ts';
import type { Meaning } from '../../../projections/memory/meaning.ts';
import { asked } from './batch.ts';

/** Whoever asks is waiting: after so long the answer goes without the provider. */
export const QUESTION_MS_MAX = 3_000;
/** After a failure the provider is not asked for so long, unless a batch went through meanwhile. */
export const QUIET_MS = 5_000;
/** Vectors of questions that are remembered. */
const REMEMBERED_MAX = 128;
/** However alike all texts look to a model. */
const BACKGROUND_MAX = 0.95;

export interface Questions {
  /** Throws with what to tell whoever asked. */
  vectorOf(text: string): Promise<Float32Array>;
  /** The provider was heard of. */
  isBack(): void;
  /** What is remembered is of another dimension than what is asked for now. */
  forget(): void;
  stop(): void;
}

export function createQuestions(embedder: Embedder, now: () => number): Questions {
  const known = new Map<string, Promise<Float32Array>>();
  const stopped = new AbortController();
  let quiet: { readonly until: number; readonly reason: string } | null = null;

  async function ask(text: string): Promise<Float32Array> {
    const late = AbortSignal.timeout(QUESTION_MS_MAX);
    const signal = AbortSignal.any([late, stopped.signal]);
    try {
      const [vector] = await asked(embedder, { texts: [text], kind: 'query', signal });
      quiet = null;
      return vector!;
    } catch (error) {
      known.delete(text);
      const reason = late.aborted ? `The provider did not answer in ${QUESTION_MS_MAX / 1_000} s.` : messageOf(error);
      quiet = { until: now() + QUIET_MS, reason };
      throw new Error(reason, { cause: error });
    }
  }

  return {
    vectorOf(text) {
      const again = known.get(text);
      if (again !== undefined) {
        known.delete(text);
        known.set(text, again);
        return again;
      }
      if (quiet !== null && now() < quiet.until) return Promise.reject(new Error(quiet.reason));
      const vector = ask(text);
      known.set(text, vector);
      for (const oldest of known.keys()) {
        if (known.size <= REMEMBERED_MAX) break;
        known.delete(oldest);
      }
      return vector;
    },
    isBack() {
      quiet = null;
    },
    forget: () => known.clear(),
    stop: () => stopped.abort(),
  };
}

/** A store that cannot be read has nothing to say; that is reported once. */
export function meaningOf(store: VectorStore, question: Float32Array, broken: () => void): Meaning {
  let isBroken = false;
  const reading = <Result>(read: () => Result, otherwise: Result): Result => {
    if (isBroken) return otherwise;
    try {
      return read();
    } catch {
      isBroken = true;
      broken();
      return otherwise;
    }
  };
  const cosines = new Map<string, number | undefined>();
  return {
    cosineOf(kind, key) {
      const name = `${kind} ${key}`;
      if (!cosines.has(name)) {
        cosines.set(
          name,
          reading(() => store.cosine(question, { kind, key }), undefined),
        );
      }
      return cosines.get(name);
    },
    nearest: (kind, k) => reading(() => store.nearest(question, { kind, k }), []),
    background: Math.min(
      BACKGROUND_MAX,
      reading(() => store.background(question), 0),
    ),
  };
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
