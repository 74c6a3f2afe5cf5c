/**
 * State of memory encryption while the daemon runs: the cipher in use, the text index, and whether texts can be
 * read.
 *
 * - Without encryption the index lies in the views. With encryption no plain text may be on the disk: the index is
 *   built in memory after each start, and answers say `warming` until it is complete.
 * - While memories are encrypted and the key is missing, every memory route answers 503.
 */

import type { Observable, Subscription } from 'rxjs';
import { type Fingerprints, fingerprintsBy, PLAIN_FINGERPRINTS } from '../../commands/memory/fingerprints.ts';
import { ownTurn } from '../../lib/slices.ts';
import type { TextCipher } from '../../ports/text-cipher.ts';
import { newestDrawers } from '../../projections/memory/drawers.ts';
import { encryptionSettings } from '../../projections/memory/memories.ts';
import { warmRecall } from '../../projections/recall/recall.ts';
import type { Views } from '../../projections/views.ts';
import type { MemoryEncryption } from '../../queries/memory/encryption.ts';
import type { EventBatch } from '../../streams/committed-events.ts';
import { lockedMessage } from './key.ts';
import { buildIndex, updateIndex } from './text-index.ts';

/** Answers a question like a request, but records nothing. */
export type WarmUpStep = (question: string) => void;

export interface EncryptionStateParts {
  readonly views: Views;
  /** Events once the views hold them. */
  readonly folded$: Observable<EventBatch>;
  /** Opens text index tables in memory. */
  readonly openIndex: () => Views & { close(): void };
}

/** Number of questions that are asked before the first request, and their length. */
const WARM_UP_QUESTIONS = 8;
const WARM_UP_CHARACTERS = 60;

export class EncryptionState implements MemoryEncryption {
  readonly ready: Promise<void>;
  readonly #parts: EncryptionStateParts;
  readonly #markReady: () => void;
  #cipher: TextCipher | null = null;
  #fingerprints: Fingerprints = PLAIN_FINGERPRINTS;
  #memoryIndex: (Views & { close(): void }) | null = null;
  #subscription: Subscription | undefined;
  #isWarming = false;
  #isStopped = false;
  #refusal: string | null = null;
  #lockedReason = 'their key was not asked for yet';

  constructor(parts: EncryptionStateParts) {
    this.#parts = parts;
    const { promise, resolve } = Promise.withResolvers<void>();
    [this.ready, this.#markReady] = [promise, resolve];
  }

  isEncrypted(): boolean {
    return encryptionSettings(this.#parts.views) !== undefined;
  }

  isWarming(): boolean {
    return this.#isWarming;
  }

  isStopped(): boolean {
    return this.#isStopped;
  }

  cipher(): TextCipher | null {
    return this.#cipher;
  }

  fingerprints(): Fingerprints {
    return this.#fingerprints;
  }

  index(): Views {
    return this.#memoryIndex ?? this.#parts.views;
  }

  locked(): string | null {
    if (this.#refusal !== null) return this.#refusal;
    const settings = this.#cipher === null ? encryptionSettings(this.#parts.views) : undefined;
    return settings === undefined ? null : lockedMessage(settings, this.#lockedReason);
  }

  /** `reason` becomes the end of the sentence that `locked` returns. */
  keepLocked(reason: string): void {
    this.#lockedReason = reason;
  }

  /** Refuses every request with this reason, because memories would be stored without the required encryption. */
  refuseAll(reason: string): void {
    this.#refusal = reason;
  }

  /** Resolves `ready`: the start has ended, successfully or not. */
  markReady(): void {
    this.#markReady();
  }

  /** Sets the cipher. Resolves when the index is complete. */
  async unlock(cipher: TextCipher): Promise<void> {
    this.#cipher = cipher;
    this.#fingerprints = fingerprintsBy(cipher);
    this.#refusal = null;
    this.#markReady();
    if (this.#memoryIndex !== null) return;
    const index = this.#parts.openIndex();
    this.#memoryIndex = index;
    this.#isWarming = true;
    const parts = { views: this.#parts.views, index, cipher };
    this.#subscription = this.#parts.folded$.subscribe((events) => updateIndex(parts, events));
    try {
      await buildIndex(parts, () => this.#isStopped);
    } finally {
      this.#isWarming = false;
    }
  }

  /** Reads the index of the views into memory, then runs the steps. A question meanwhile reads the rest at once. */
  async warmUp(steps: readonly WarmUpStep[]): Promise<void> {
    this.#isWarming = true;
    try {
      while (this.#readsViewsIndex() && warmRecall(this.#parts.views)) await ownTurn();
      await this.#runSteps(steps);
    } finally {
      this.#isWarming = this.#memoryIndex !== null && this.#isWarming;
    }
  }

  stop(): void {
    this.#isStopped = true;
    this.#subscription?.unsubscribe();
    this.#memoryIndex?.close();
  }

  /** The first questions of a process take many times as long as later ones, because no code is compiled yet. */
  async #runSteps(steps: readonly WarmUpStep[]): Promise<void> {
    for (const { content } of newestDrawers(this.#parts.views, WARM_UP_QUESTIONS)) {
      for (const step of steps) {
        if (!this.#readsViewsIndex()) return;
        step(content.slice(0, WARM_UP_CHARACTERS));
        await ownTurn();
      }
    }
  }

  /** False once the daemon stops or encryption is enabled. */
  #readsViewsIndex(): boolean {
    return !this.#isStopped && this.#memoryIndex === null;
  }
}
