/**
 * Vectors of the configured embedding model for every memory and drawer, made in the background.
 *
 * - Only questions wait for the model, for seconds at most. Writes never wait for it.
 * - One batch is under way at a time. A failing provider is retried with growing delays, and at once when it answered
 *   a question.
 * - Vectors are in no event. An erased entry leaves every file in the same step as the views; at the start the files
 *   are compared with the views, because a process may have ended between the two.
 * - With encryption vectors are sealed with the key of the texts; enabling it discards the plain ones.
 */

import type { Observable, Subscription } from 'rxjs';
import { createSignal } from '../../../lib/signal.ts';
import { ownTurn } from '../../../lib/slices.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { EmbeddersPort } from '../../../ports/embedder.ts';
import type { TextCipher } from '../../../ports/text-cipher.ts';
import type { VectorFiles, VectorRef, VectorStore } from '../../../ports/vector-files.ts';
import { memoryCounts } from '../../../projections/memory/memories.ts';
import { VECTOR_DIMENSIONS } from '../../../projections/recall/vector.ts';
import type { Views } from '../../../projections/views.ts';
import type { MemoryEncryption } from '../../../queries/memory/encryption.ts';
import type { Meaning } from '../../../queries/memory/meaning.ts';
import type { VectorStatus, VectorsUsed } from '../../../queries/memory/schemas.ts';
import type { EventBatch } from '../../../streams/committed-events.ts';
import { BATCH_TEXTS_MAX, BATCH_TEXTS_MAX_LOCAL, Backlog, dropStrays, erasedBy, writtenBy } from './backlog.ts';
import { type Embedded, embedBatch } from './batch.ts';
import { configuredModel, type ProviderModel, type VectorModel } from './model.ts';
import { meaningOf, messageOf, QuestionVectors } from './question.ts';

export interface QuestionMeaning {
  readonly report: VectorsUsed;
  readonly meaning: Meaning | undefined;
}

export interface MemoryVectorsParts {
  readonly embedders: EmbeddersPort;
  readonly views: Views;
  /** Events once the views hold them. */
  readonly folded$: Observable<EventBatch>;
  readonly encryption: Pick<MemoryEncryption, 'cipher' | 'isEncrypted' | 'locked'>;
  readonly files: VectorFiles;
  readonly clock: Clock;
  readonly announce: (line: string) => void;
  /** Why the views cannot be read, or null. */
  readonly viewsUnavailable: () => string | null;
}

const BACKOFF_MS_FIRST = 1_000;
const BACKOFF_MS_MAX = 30_000;
/** Interval at which views under rebuild are checked. */
const VIEWS_POLL_MS = 250;
const NO_VECTORS = 'No entry has a vector of this model yet.';

export class MemoryVectors {
  readonly #parts: MemoryVectorsParts;
  readonly #model: VectorModel;
  readonly #questions: QuestionVectors | null;
  readonly #backlog: Backlog;
  /** Sent when entries wait for a vector. */
  readonly #due = createSignal();
  /** Sent when the provider or the views may be available again. */
  readonly #recovery = createSignal();
  #store: VectorStore | null = null;
  #state: VectorStatus['state'];
  #error: string | undefined;
  /** The dimension of the model's last answer when it differs from the store's. */
  #answeredDimension: number | null = null;
  #subscription: Subscription | undefined;
  #running = new AbortController();
  #work: Promise<void> = Promise.resolve();
  #cipher: TextCipher | null = null;

  constructor(parts: MemoryVectorsParts) {
    const { embedders, clock, views, encryption } = parts;
    const model = configuredModel(embedders);
    const isLocal = model.kind === 'provider' && model.embedder.isLocal;
    this.#parts = parts;
    this.#model = model;
    this.#state = model.kind === 'provider' ? 'loading' : 'complete';
    this.#questions = model.kind === 'provider' ? new QuestionVectors(model.embedder, () => clock.now()) : null;
    this.#backlog = new Backlog({
      views,
      isReadable: () => this.#isReadable(),
      batchTextsMax: isLocal ? BATCH_TEXTS_MAX_LOCAL : BATCH_TEXTS_MAX,
      cipher: () => encryption.cipher(),
    });
  }

  /** Called once the views are folded and the encryption has been unlocked, or not. */
  start(): void {
    this.#subscription = this.#parts.folded$.subscribe((events) => this.#onEvents(events));
    this.#run();
  }

  /** Starts again after unlocking or encryption. Resolves when no plain vector is left. */
  async rekey(): Promise<void> {
    if (this.#parts.encryption.cipher() === this.#cipher) return;
    this.#running.abort();
    await this.#work;
    this.#run();
  }

  status(): VectorStatus {
    const { memories, drawers } = memoryCounts(this.#parts.views);
    const total = memories + drawers;
    const model = this.#model;
    const names = { provider: model.provider, model: model.model, total };
    if (model.kind === 'built_in') {
      return { ...names, dimension: VECTOR_DIMENSIONS, embedded: total, state: 'complete' };
    }
    if (model.kind === 'misconfigured') {
      return { ...names, dimension: null, embedded: 0, state: 'misconfigured', error: model.error };
    }
    const skipped = this.#backlog.refusedCount();
    return {
      ...names,
      dimension: this.#store?.dimension ?? null,
      embedded: Math.min(total, this.#store?.size() ?? 0),
      state: this.#state,
      ...(skipped > 0 && { skipped }),
      ...(this.#error !== undefined && { error: this.#error }),
    };
  }

  /** The meaning of a question; null while the built-in vectors are configured. Never rejects. */
  async question(text: string): Promise<QuestionMeaning | null> {
    const { kind, provider, model } = this.#model;
    if (kind === 'built_in') return null;
    const answer = await this.#meaningOf(text);
    return 'meaning' in answer
      ? { report: { provider, model, used: true }, meaning: answer.meaning }
      : { report: { provider, model, used: false, fallback_reason: answer.reason }, meaning: undefined };
  }

  /** Ends all requests to the provider; waiting questions are answered without it. */
  async stop(): Promise<void> {
    this.#questions?.stop();
    this.#running.abort();
    await this.#work;
  }

  close(): void {
    this.#subscription?.unsubscribe();
    this.#parts.files.close();
  }

  #isReadable(): boolean {
    return !this.#running.signal.aborted && this.#parts.viewsUnavailable() === null;
  }

  #onEvents(events: EventBatch): void {
    const erased = events.flatMap(erasedBy);
    if (erased.length > 0) this.#forget(erased);
    if (this.#model.kind !== 'provider') return;
    const written = events.flatMap(writtenBy);
    for (const ref of written) this.#backlog.add(ref);
    if (written.length === 0) return;
    if (this.#state === 'complete') this.#state = 'embedding';
    this.#due.send();
  }

  #forget(refs: readonly VectorRef[]): void {
    this.#backlog.forget(refs);
    try {
      this.#parts.files.erase(refs);
    } catch (failure) {
      this.#parts.announce(`Vectors are thrown away, because one could not be erased: ${messageOf(failure)}`);
      this.#discard();
    }
  }

  /** Discards the open store; every entry is embedded again. */
  #discard(): void {
    this.#parts.files.discard();
    this.#store = null;
    this.#backlog.restart();
    this.#due.send();
  }

  #run(): void {
    this.#cipher = this.#parts.encryption.cipher();
    this.#store = null;
    this.#running = new AbortController();
    this.#work = this.#loop(this.#running.signal).catch((failure) => {
      [this.#state, this.#error] = ['waiting', messageOf(failure)];
      this.#parts.announce(`Vectors of memories are not made until the next start: ${this.#error}`);
    });
  }

  async #loop(signal: AbortSignal): Promise<void> {
    const { encryption, files, views } = this.#parts;
    const model = this.#model;
    if (encryption.locked() !== null) {
      if (encryption.isEncrypted()) files.dropPlain();
      if (model.kind === 'provider') this.#state = 'locked';
      return;
    }
    files.use(this.#cipher);
    const strays = {
      files,
      views,
      isReadable: () => this.#isReadable(),
      forget: (refs: readonly VectorRef[]) => this.#forget(refs),
      pause: () => this.#recovery.wait(signal, VIEWS_POLL_MS),
    };
    await dropStrays(strays, signal);
    if (model.kind !== 'provider') return;
    this.#state = 'loading';
    this.#backlog.restart();
    await this.#embedAll(model, signal);
  }

  /** Runs until the signal aborts. */
  async #embedAll(model: ProviderModel, signal: AbortSignal): Promise<void> {
    const { files } = this.#parts;
    let isOpen = false;
    for (let failures = 0; !signal.aborted; ) {
      try {
        if (!isOpen) await this.#use(files.open(model.identity, model.embedder.dimensions ?? null), signal);
        isOpen = true;
        await this.#step(model, signal);
        failures = 0;
      } catch (failure) {
        if (signal.aborted) return;
        if (files.isDamage(failure)) this.#discard();
        isOpen &&= this.#store !== null;
        this.#backlog.putBack();
        failures += 1;
        [this.#state, this.#error] = ['waiting', messageOf(failure)];
        await this.#recovery.wait(signal, Math.min(BACKOFF_MS_MAX, BACKOFF_MS_FIRST * 2 ** (failures - 1)));
      }
    }
  }

  /** Embeds one batch, or waits when every entry has a vector. */
  async #step(model: ProviderModel, signal: AbortSignal): Promise<void> {
    if (!this.#isReadable()) return this.#recovery.wait(signal, VIEWS_POLL_MS);
    if (this.#answeredDimension !== null && this.#answeredDimension !== this.#store?.dimension) {
      await this.#useDimension(model, this.#answeredDimension, signal);
    }
    this.#answeredDimension = null;
    const batch = await this.#backlog.nextBatch((entry) => this.#store?.has(entry) || this.#store?.isFull() || false);
    signal.throwIfAborted();
    if (batch.length === 0) {
      if (!this.#isReadable()) return;
      [this.#state, this.#error] = ['complete', undefined];
      return this.#due.wait(signal);
    }
    if (this.#error === undefined) this.#state = 'embedding';
    const store = (embedded: readonly Embedded[]) => this.#storeVectors(model, embedded, signal);
    const refuse = (entry: VectorRef) => this.#backlog.refuse(entry);
    await embedBatch({ embedder: model.embedder, signal, store, refuse }, batch);
    this.#error = undefined;
    this.#questions?.endPause();
  }

  async #storeVectors(model: ProviderModel, embedded: readonly Embedded[], signal: AbortSignal): Promise<void> {
    const dimension = embedded[0]!.vector.length;
    if (this.#store?.dimension !== dimension) await this.#useDimension(model, dimension, signal);
    const current = embedded.filter(({ entry }) => this.#backlog.isInBatch(entry));
    this.#store?.put(current.map(({ entry, vector }) => ({ ...entry, vector })));
  }

  /** Vectors of another dimension lie in another file, so every entry is embedded again. */
  async #useDimension({ identity }: ProviderModel, dimension: number, signal: AbortSignal): Promise<void> {
    await this.#use(this.#parts.files.open(identity, dimension), signal);
    this.#backlog.restart();
  }

  async #use(store: VectorStore | null, signal: AbortSignal): Promise<void> {
    if (store !== this.#store) this.#questions?.forget();
    this.#store = store;
    while (this.#parts.files.load()) {
      await ownTurn();
      signal.throwIfAborted();
    }
  }

  async #meaningOf(text: string): Promise<{ readonly meaning: Meaning } | { readonly reason: string }> {
    if (this.#model.kind === 'misconfigured') return { reason: this.#model.error };
    if (this.#questions === null || this.#store === null || this.#store.size() === 0) {
      return { reason: this.#error ?? NO_VECTORS };
    }
    try {
      const vector = await this.#questions.vectorOf(text);
      if (this.#state === 'waiting') this.#recovery.send();
      // The store may be discarded while the request is in flight.
      const store: VectorStore | null = this.#store;
      if (store === null) return { reason: NO_VECTORS };
      if (vector.length === store.dimension) return { meaning: meaningOf(store, vector, () => this.#discard()) };
      this.#answeredDimension = vector.length;
      this.#due.send();
      const lengths = `${vector.length} dimensions instead of ${store.dimension}`;
      return { reason: `The model answered in ${lengths}; all is embedded again.` };
    } catch (failure) {
      return { reason: messageOf(failure) };
    }
  }
}
