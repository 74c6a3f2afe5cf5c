/**
 * The state of views that take no writes (a full disk). Meanwhile `apply` folds nothing, and a catch-up is attempted at
 * intervals until one has folded everything.
 */
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds between two attempts, unless the options say otherwise. */
const RETRY_MS = 1_000;

export interface StallOptions {
  /** Milliseconds between two attempts. */
  readonly retryMs?: number | undefined;
  /** Ends the attempts. */
  readonly closed: AbortSignal;
  readonly report: (message: string) => void;
  /** Folds everything that the views lack; false when they still take no writes. */
  attempt(): Promise<boolean>;
  /** The attempts have ended with an error: they were closed, or waiting does not help. */
  failed(error: unknown): void;
}

/** Whether the views are stalled, and the attempts to end it. */
export class Stall {
  readonly #options: StallOptions;
  #reason: string | null = null;
  #retrying: Promise<void> | null = null;

  constructor(options: StallOptions) {
    this.#options = options;
  }

  /** Why the views take no writes; null while they do. */
  get reason(): string | null {
    return this.#reason;
  }

  /** Starts the attempts; during a stall it only replaces the reason. */
  begin({ message }: Error): void {
    const report = `${message}; they follow the log again as soon as they can be written.`;
    if (this.#reason === null) this.#options.report(report);
    this.#reason = message;
    if (this.#retrying === null) this.retried().catch((error: unknown) => this.#options.failed(error));
  }

  end(): void {
    this.#reason = null;
  }

  /** Resolves when an attempt has folded everything. Rejects when the views are closed, or an attempt throws. */
  retried(): Promise<void> {
    this.#retrying ??= this.#retry();
    return this.#retrying;
  }

  async #retry(): Promise<void> {
    try {
      do await sleep(this.#options.retryMs ?? RETRY_MS, undefined, { ref: false, signal: this.#options.closed });
      while (!(await this.#options.attempt()) || this.#reason !== null);
    } finally {
      this.#retrying = null;
    }
  }
}
