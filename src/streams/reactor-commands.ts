/**
 * Sends the commands of one reactor, each under the lease of its stream.
 *
 * - While the log takes no appends (disk full, database unreachable), interruptions cannot be recorded. They are sent
 *   again until the log takes them.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fence, Lease, Leases } from '../ports/leases.ts';
import type { CommandHandler, Dispatched } from './command-handler.ts';
import { isFenced, LeaseLost, type LogWait, waitingFor } from './log-refusals.ts';
import type { AnyReactor } from './reactor.ts';
import { streamOf } from './unit-of-work.ts';

/** Milliseconds between two attempts, unless the options say otherwise. */
const RETRY_MS = 1_000;

export interface ReactorCommandsParts {
  readonly reactor: AnyReactor;
  readonly commandHandler: CommandHandler;
  readonly leases: Leases;
  readonly report: (message: string) => void;
  /** Milliseconds between two attempts on a log that takes no appends; 1 000 when left out. */
  readonly retryMs?: number | undefined;
  /** Ends the attempts. */
  readonly stopping: AbortSignal;
  /** Whether the runner has stopped: errors of later attempts are not reported. */
  readonly isStopped: () => boolean;
}

/** The effect of a stream ended without an outcome; `lease` is null when the lease is lost. */
export interface Interruption {
  readonly reason: string;
  readonly lease: Lease | null;
}

/** Sends the commands of one reactor. */
export class ReactorCommands {
  readonly #parts: ReactorCommandsParts;
  /** Whether it was reported that the log takes no appends, and no effect has succeeded since. */
  #isWaitReported = false;

  constructor(parts: ReactorCommandsParts) {
    this.#parts = parts;
  }

  /** Sends a command to the stream. Throws `LeaseLost` unless this daemon certainly holds the lease. */
  async send(id: string, command: unknown, lease: Fence | null): Promise<Dispatched<unknown>> {
    const { leases, commandHandler, reactor } = this.#parts;
    if (lease === null || !leases.isHeld(streamOf(reactor.decider, id))) throw new LeaseLost();
    const { name, holder, epoch } = lease;
    const origin = { actor: reactor.actor(id), correlation: id, fence: { name, holder, epoch } };
    return commandHandler.dispatch(reactor.decider, id, command, { origin });
  }

  /**
   * Records an interruption. Returns the condition to wait for; null when it is recorded, or left to the next holder of
   * the lease.
   */
  async interrupt(id: string, { reason, lease }: Interruption): Promise<LogWait | null> {
    const { leases, reactor } = this.#parts;
    try {
      await this.send(id, reactor.recovery(reason), lease);
      return null;
    } catch (error) {
      const wait = waitingFor(error);
      if (wait === null && !isFenced(error)) throw error;
      if (wait === null) leases.lost(streamOf(reactor.decider, id));
      return wait;
    }
  }

  /** Records an interruption as soon as the log takes appends, unless the lease is lost or the runner stops first. */
  async interruptLater(
    id: string,
    { wait, ...interruption }: Interruption & { readonly wait: LogWait },
  ): Promise<void> {
    const { retryMs = RETRY_MS, stopping, isStopped } = this.#parts;
    if (!this.#isWaitReported) this.report(id, new Error(wait.note));
    this.#isWaitReported = true;
    try {
      do await sleep(retryMs, undefined, { ref: false, signal: stopping });
      while ((await this.interrupt(id, interruption)) !== null);
    } catch (error) {
      if (!isStopped()) this.report(id, error);
    }
  }

  /** An effect succeeded: the log takes appends. */
  succeeded(): void {
    this.#isWaitReported = false;
  }

  report(id: string, error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.#parts.report(`${streamOf(this.#parts.reactor.decider, id)}: ${message}`);
  }
}
