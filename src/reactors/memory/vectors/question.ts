/**
 * Vectors of questions: each question is embedded once and cached; the provider has QUESTION_MS_MAX to answer.
 *
 * - After a failure the provider is not asked for PAUSE_MS, so that not every request waits for it.
 */
import { isPaused } from '../../../lib/timers.ts';
import type { Embedder } from '../../../ports/embedder.ts';
import type { VectorStore } from '../../../ports/vector-files.ts';
import type { Meaning } from '../../../queries/memory/meaning.ts';
import { embedTexts } from './batch.ts';

/** A request waits this long for the vector of its question; then it is answered without the provider. */
const QUESTION_MS_MAX = 3_000;
/** After a failure the provider is not asked for this long, unless a batch succeeds meanwhile. */
export const PAUSE_MS = 5_000;
const REMEMBERED_MAX = 128;
/** The highest background, which a model reaches that gives all texts nearly the same vector. */
const BACKGROUND_MAX = 0.95;

export class QuestionVectors {
  readonly #embedder: Embedder;
  readonly #now: () => number;
  /** Oldest first. */
  readonly #remembered = new Map<string, Promise<Float32Array>>();
  readonly #stopped = new AbortController();
  #pause: { readonly until: number; readonly reason: string } | null = null;

  constructor(embedder: Embedder, now: () => number) {
    this.#embedder = embedder;
    this.#now = now;
  }

  /** Rejects with the reason that the answer reports. */
  vectorOf(text: string): Promise<Float32Array> {
    const remembered = this.#remembered.get(text);
    if (remembered !== undefined) {
      this.#remembered.delete(text);
      this.#remembered.set(text, remembered);
      return remembered;
    }
    if (this.#pause !== null && isPaused(this.#pause.until, { now: this.#now(), msMax: PAUSE_MS })) {
      return Promise.reject(new Error(this.#pause.reason));
    }
    const vector = this.#embed(text);
    this.#remembered.set(text, vector);
    for (const oldest of this.#remembered.keys()) {
      if (this.#remembered.size <= REMEMBERED_MAX) break;
      this.#remembered.delete(oldest);
    }
    return vector;
  }

  /** Ends the pause, because the provider answered a batch. */
  endPause(): void {
    this.#pause = null;
  }

  /** Drops the remembered vectors, because another dimension is in use. */
  forget(): void {
    this.#remembered.clear();
  }

  stop(): void {
    this.#stopped.abort();
  }

  async #embed(text: string): Promise<Float32Array> {
    const timeout = AbortSignal.timeout(QUESTION_MS_MAX);
    const signal = AbortSignal.any([timeout, this.#stopped.signal]);
    try {
      const [vector] = await embedTexts(this.#embedder, { texts: [text], kind: 'query', signal });
      this.#pause = null;
      return vector!;
    } catch (error) {
      this.#remembered.delete(text);
      const tooLate = `The provider did not answer in ${QUESTION_MS_MAX / 1_000} s.`;
      const reason = timeout.aborted ? tooLate : messageOf(error);
      this.#pause = { until: this.#now() + PAUSE_MS, reason };
      throw new Error(reason, { cause: error });
    }
  }
}

/**
 * The meaning of a question in a store. When the store cannot be read, the result is empty and `onDamage` is called
 * once.
 */
export function meaningOf(store: VectorStore, question: Float32Array, onDamage: () => void): Meaning {
  let isDamaged = false;
  const read = <Result>(query: () => Result, otherwise: Result): Result => {
    if (isDamaged) return otherwise;
    try {
      return query();
    } catch {
      isDamaged = true;
      onDamage();
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
          read(() => store.cosine(question, { kind, key }), undefined),
        );
      }
      return cosines.get(name);
    },
    nearest: (kind, k) => read(() => store.nearest(question, { kind, k }), []),
    background: Math.min(
      BACKGROUND_MAX,
      read(() => store.background(question), 0),
    ),
  };
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
