/**
 * Vectors of the configured embedding model for everything that is remembered, made in the background.
 *
 * - Nobody waits for the model but who asks a question, and that for seconds. Writing never does.
 * - One batch is under way at a time. A provider that fails is tried again, later and later, and at once when it
 *   answers a question.
 * - Vectors are in no event. What is erased is erased from every file in the same breath as from the views; at the
 *   start files are compared with what there is, for a process may have ended between the two.
 * - With encryption they lie sealed with the key of the texts. Switching it on throws the plain ones away.
 */
import { setImmediate as breathe } from 'node:timers/promises';
import type { Observable, Subscription } from 'rxjs';
import type { VectorStatus, VectorsUsed } from '../../../http/memory/vector-schemas.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { EmbeddersPort } from '../../../ports/embedder.ts';
import type { VectorFiles, VectorRef, VectorStore } from '../../../ports/vector-files.ts';
import type { Meaning } from '../../../projections/memory/meaning.ts';
import { memoryCounts } from '../../../projections/memory/memories.ts';
import { VECTOR_DIMENSIONS } from '../../../projections/recall/vector.ts';
import type { Views } from '../../../projections/views.ts';
import type { EventBatch } from '../../../streams/committed-events.ts';
import { createSignal } from '../../../streams/signal.ts';
import type { MemoryKeeper } from '../memory-store.ts';
import { BATCH_TEXTS_MAX, BATCH_TEXTS_MAX_HERE, createBacklog } from './backlog.ts';
import { type Embedded, embedBatch } from './batch.ts';
import { erasedBy, writtenBy } from './changes.ts';
import { modelOf, type VectorModel } from './model.ts';
import { createQuestions, meaningOf, messageOf } from './question.ts';
import { dropStrays } from './strays.ts';

export interface MemoryVectors {
  /** Once the views are folded and it is known whether texts can be read. */
  start(): void;
  /** Texts were unlocked, or are sealed from now on. Resolves when no plain vector is left. */
  rekeyed(): Promise<void>;
  status(): VectorStatus;
  /** A question for vectors of the model; null while the built-in ones are the configured ones. Never throws. */
  question(text: string): Promise<AskedVectors | null>;
  /** Asks nobody any more; whoever waits for an answer goes on without. */
  rest(): Promise<void>;
  close(): void;
}

export interface AskedVectors {
  readonly report: VectorsUsed;
  readonly meaning: Meaning | undefined;
}

export interface MemoryVectorsParts {
  readonly embedders: EmbeddersPort;
  readonly views: Views;
  /** What the views hold. */
  readonly folded$: Observable<EventBatch>;
  readonly memory: MemoryKeeper;
  readonly files: VectorFiles;
  readonly clock: Clock;
  readonly announce: (line: string) => void;
  /** Why the views cannot be read now, or null. */
  readonly viewsUnavailable: () => string | null;
}

const BACKOFF_MS_FIRST = 1_000;
const BACKOFF_MS_MAX = 30_000;
/** Views that are being folded anew are looked at again after so long. */
const VIEWS_MS = 250;
const NONE_YET = 'No entry has a vector of this model yet.';

export function createMemoryVectors(parts: MemoryVectorsParts): MemoryVectors {
  const { views, memory, files, announce, clock } = parts;
  const model = modelOf(parts.embedders);
  const questions = model.kind === 'provider' ? createQuestions(model.embedder, () => clock.now()) : null;
  const isReadable = (): boolean => !running.signal.aborted && parts.viewsUnavailable() === null;
  const isHere = model.kind === 'provider' && model.embedder.isLocal;
  const textsMax = isHere ? BATCH_TEXTS_MAX_HERE : BATCH_TEXTS_MAX;
  const backlog = createBacklog({ views, isReadable, textsMax, vault: () => memory.vault() });
  const [due, recovery] = [createSignal(), createSignal()];
  let store: VectorStore | null = null;
  let state: VectorStatus['state'] = model.kind === 'provider' ? 'loading' : 'complete';
  let error: string | undefined;
  /** The dimension the model was last seen to answer in, when it is not the store's. */
  let seenDimension: number | null = null;
  let subscription: Subscription | undefined;
  let running = new AbortController();
  let working: Promise<void> = Promise.resolve();
  let keyInUse: ReturnType<typeof memory.vault> = null;

  function onEvents(events: EventBatch): void {
    const erased = events.flatMap(erasedBy);
    if (erased.length > 0) forget(erased);
    if (model.kind !== 'provider') return;
    const written = events.flatMap(writtenBy);
    for (const ref of written) backlog.note(ref);
    if (written.length === 0) return;
    if (state === 'complete') state = 'embedding';
    due.send();
  }

  function forget(refs: readonly VectorRef[]): void {
    backlog.forget(refs);
    try {
      files.erase(refs);
    } catch (failure) {
      announce(`Vectors are thrown away, because one could not be erased: ${messageOf(failure)}`);
      discard();
    }
  }

  /** What cannot be read, or not be trusted, is embedded again. */
  function discard(): void {
    files.discard();
    store = null;
    backlog.restart();
    due.send();
  }

  function begin(): void {
    keyInUse = memory.vault();
    store = null;
    running = new AbortController();
    working = run(running.signal).catch((failure) => {
      [state, error] = ['waiting', messageOf(failure)];
      announce(`Vectors of memories are not made until the next start: ${error}`);
    });
  }

  async function run(signal: AbortSignal): Promise<void> {
    if (memory.locked() !== null) {
      if (memory.isEncrypted()) files.dropPlain();
      if (model.kind === 'provider') state = 'locked';
      return;
    }
    files.use(keyInUse);
    const strays = { files, views, isReadable, forget, pause: () => recovery.wait(signal, VIEWS_MS) };
    await dropStrays(strays, signal);
    if (model.kind !== 'provider') return;
    state = 'loading';
    backlog.restart();
    let isOpen = false;
    for (let failures = 0; !signal.aborted; ) {
      try {
        if (!isOpen) await use(files.open(model.identity, model.embedder.dimensions ?? null), signal);
        isOpen = true;
        await step(model, signal);
        failures = 0;
      } catch (failure) {
        if (signal.aborted) return;
        if (files.isDamage(failure)) discard();
        isOpen &&= store !== null;
        backlog.giveBack();
        failures += 1;
        [state, error] = ['waiting', messageOf(failure)];
        await recovery.wait(signal, Math.min(BACKOFF_MS_MAX, BACKOFF_MS_FIRST * 2 ** (failures - 1)));
      }
    }
  }

  /** One batch, or a sleep when there is none. */
  async function step(
    { embedder, identity }: Extract<VectorModel, { kind: 'provider' }>,
    signal: AbortSignal,
  ): Promise<void> {
    if (!isReadable()) return recovery.wait(signal, VIEWS_MS);
    if (seenDimension !== null && seenDimension !== store?.dimension) {
      await use(files.open(identity, seenDimension), signal);
      backlog.restart();
    }
    seenDimension = null;
    const batch = await backlog.next((entry) => store !== null && (store.has(entry) || store.isFull()));
    signal.throwIfAborted();
    if (batch.length === 0) {
      if (!isReadable()) return;
      [state, error] = ['complete', undefined];
      return due.wait(signal);
    }
    if (error === undefined) state = 'embedding';
    await embedBatch(
      { embedder, signal, keep: (embedded) => keep(embedded, signal), refuse: (entry) => backlog.refuse(entry) },
      batch,
    );
    error = undefined;
    questions?.isBack();
  }

  async function keep(embedded: readonly Embedded[], signal: AbortSignal): Promise<void> {
    if (model.kind !== 'provider') return;
    const dimension = embedded[0]!.vector.length;
    if (store?.dimension !== dimension) {
      await use(files.open(model.identity, dimension), signal);
      backlog.restart();
    }
    const kept = embedded.filter(({ entry }) => backlog.isWanted(entry));
    store?.put(kept.map(({ entry, vector }) => ({ ...entry, vector })));
  }

  async function use(next: VectorStore | null, signal: AbortSignal): Promise<void> {
    if (next !== store) questions?.forget();
    store = next;
    while (files.load()) {
      await breathe();
      signal.throwIfAborted();
    }
  }

  async function ask(text: string): Promise<{ readonly meaning: Meaning } | { readonly reason: string }> {
    if (model.kind === 'misconfigured') return { reason: model.error };
    if (questions === null || store === null || store.size() === 0) return { reason: error ?? NONE_YET };
    try {
      const vector = await questions.vectorOf(text);
      if (state === 'waiting') recovery.send();
      if (store === null) return { reason: NONE_YET };
      if (vector.length === store.dimension) return { meaning: meaningOf(store, vector, discard) };
      seenDimension = vector.length;
      due.send();
      return {
        reason: `The model answered in ${vector.length} dimensions instead of ${store.dimension}; all is embedded again.`,
      };
    } catch (failure) {
      return { reason: messageOf(failure) };
    }
  }

  return {
    start() {
      subscription = parts.folded$.subscribe(onEvents);
      begin();
    },
    async rekeyed() {
      if (memory.vault() === keyInUse) return;
      running.abort();
      await working;
      begin();
    },
    status() {
      const counts = memoryCounts(views);
      const total = counts.memories + counts.drawers;
      const about = { provider: model.provider, model: model.model, total };
      if (model.kind === 'built_in')
        return { ...about, dimension: VECTOR_DIMENSIONS, embedded: total, state: 'complete' };
      if (model.kind === 'misconfigured') {
        return { ...about, dimension: null, embedded: 0, state: 'misconfigured', error: model.error };
      }
      const skipped = backlog.refused();
      return {
        ...about,
        dimension: store?.dimension ?? null,
        embedded: Math.min(total, store?.size() ?? 0),
        state,
        ...(skipped > 0 && { skipped }),
        ...(error !== undefined && { error }),
      };
    },
    async question(text) {
      if (model.kind === 'built_in') return null;
      const answer = await ask(text);
      const about = { provider: model.provider, model: model.model };
      return 'meaning' in answer
        ? { report: { ...about, used: true }, meaning: answer.meaning }
        : { report: { ...about, used: false, fallback_reason: answer.reason }, meaning: undefined };
    },
    async rest() {
      questions?.stop();
      running.abort();
      await working;
    },
    close() {
      subscription?.unsubscribe();
      files.close();
    },
  };
}
