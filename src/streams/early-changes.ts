/**
 * The streams of a reactor that this process changes before the work of the last process is recovered. Requests are
 * served by then, so a stream that is not at rest may be work of this process (nothing to recover) or work of the last
 * one (half done: nothing may start on it before its interruption is recorded).
 */
import type { Leases } from '../ports/leases.ts';
import type { RecordedEvent } from '../storage/event-log.ts';
import type { CommandHandler } from './command-handler.ts';
import type { AnyReactor } from './reactor.ts';

export interface EarlyChangesParts {
  readonly reactor: AnyReactor;
  readonly commandHandler: CommandHandler;
  readonly leases: Leases;
}

/** The changed streams of one reactor, until its recovery. */
export class EarlyChanges {
  readonly #parts: EarlyChangesParts;
  /** By the id of the stream: the version before the first change. Null after the recovery. */
  #versions: Map<string, number> | null = new Map();
  /** Ids of streams whose interruption is recorded. */
  readonly #recovered = new Set<string>();

  constructor(parts: EarlyChangesParts) {
    this.#parts = parts;
  }

  /** Records an event of the stream, unless it comes from another daemon or the recovery has ended. */
  add(event: RecordedEvent, id: string): void {
    const { leases, commandHandler } = this.#parts;
    if (this.#versions === null || this.#versions.has(id)) return;
    if (!leases.isShared || commandHandler.isAppending(event)) this.#versions.set(id, event.version - 1);
  }

  /** Whether the stream was at rest before this process changed it. */
  isBegunHere(id: string): boolean {
    const version = this.#versions?.get(id);
    if (version === undefined) return false;
    const { commandHandler, reactor } = this.#parts;
    return reactor.next(commandHandler.loadAt(reactor.decider, id, version)) === undefined;
  }

  /** Whether the due effect may be half done. On a shared log the lease of the stream tells instead. */
  isUnrecovered(id: string): boolean {
    const isChanged = this.#versions?.has(id) === true && !this.#recovered.has(id);
    return isChanged && !this.#parts.leases.isShared && !this.isBegunHere(id);
  }

  /** The interruption of the stream is recorded: it goes on in the order of the recovery, before those after it. */
  recovered(id: string): void {
    this.#recovered.add(id);
  }

  forget(id: string): void {
    this.#versions?.delete(id);
  }

  /** Ends the recovery. Returns the ids of the changed streams. */
  end(): readonly string[] {
    const ids = [...(this.#versions?.keys() ?? [])];
    this.#versions = null;
    this.#recovered.clear();
    return ids;
  }
}
