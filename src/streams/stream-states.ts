/**
 * Folded states of streams, cached with their versions. A cached state covers a prefix of its stream: `current` folds
 * the events after it.
 */
import type { Decider } from '../commands/decider.ts';
import { decodeEvents, type UnknownTypes } from '../events/decode.ts';
import type { EventLog, RecordedEvent } from '../storage/event-log.ts';

const CACHED_STATES_MAX = 512;

export interface Versioned<State = unknown> {
  readonly version: number;
  readonly state: State;
}

/** The states of the streams of one log. */
export class StreamStates {
  readonly #log: EventLog;
  readonly #unknown: UnknownTypes;
  /** Two generations: a state that is not used while the young generation fills is dropped with the old one. */
  #young = new Map<string, Versioned>();
  #old = new Map<string, Versioned>();

  constructor(log: EventLog, unknown: UnknownTypes) {
    this.#log = log;
    this.#unknown = unknown;
  }

  /** The newest version of a stream, 0 for none. */
  version(stream: string): number {
    return this.#log.streamVersion(stream);
  }

  /** The state of a stream at its newest version. */
  current<State>(decider: Decider<never, State>, stream: string): Versioned<State> {
    const version = this.#log.streamVersion(stream);
    if (version === 0) return { state: decider.initial, version };
    const known = this.#cached(stream);
    const before = (known?.state ?? decider.initial) as State;
    const after = known?.version ?? 0;
    if (version === after) return { state: before, version };
    const state = this.#fold(decider, before, this.#log.readStream(stream, { after }));
    this.keep(stream, { state, version });
    return { state, version };
  }

  /** The state of a stream at a version, folded from its first event. */
  at<State>(decider: Decider<never, State>, stream: string, version: number): State {
    return this.#fold(decider, decider.initial, this.#log.readStream(stream, { limit: version }));
  }

  keep(stream: string, entry: Versioned): void {
    if (this.#young.size >= CACHED_STATES_MAX / 2) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(stream, entry);
  }

  #fold<State>(decider: Decider<never, State>, before: State, events: Iterable<RecordedEvent>): State {
    let state = before;
    for (const stored of events) {
      const [event] = decodeEvents(decider.events, [stored], this.#unknown);
      if (event !== undefined) state = decider.evolve(state, event);
      else if (stored.erased === true) state = decider.evolveErased?.(state, stored) ?? state;
    }
    return state;
  }

  #cached(stream: string): Versioned | undefined {
    const aged = this.#young.has(stream) ? undefined : this.#old.get(stream);
    if (aged !== undefined) this.keep(stream, aged);
    return this.#young.get(stream);
  }
}
