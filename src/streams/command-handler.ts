/**
 * Carries out commands: load → fold → decide → append, again after a version conflict. The only writer of the event log
 * besides the storage's own tools.
 *
 * - Commands with the same lock key run one at a time. So a conflict comes from a stream that a command only reads, or
 *   from another process. After three conflicts a command takes the exclusive lock.
 * - A unit of work may span several streams: all events share one commit, and every version that was read is a
 *   condition of it.
 * - On a log that several daemons append to, a refusal counts only when this daemon has all events.
 * - A policy sees the state that a command leads to. `record` runs while the read models hold the events of the commit,
 *   and its command joins the commit: so the answer to an idempotent request is read from them and recorded with them.
 */
import type { Decider, Policy, UnitOfWork } from '../commands/decider.ts';
import { Refused } from '../commands/refusal.ts';
import type { UnknownTypes } from '../events/decode.ts';
import { KeyedMutex } from '../lib/keyed-mutex.ts';
import type { Clock } from '../ports/clock.ts';
import type { IdGenerator } from '../ports/id-generator.ts';
import type { Fence } from '../ports/leases.ts';
import type { Seen } from '../projections/projection.ts';
import type { EventLog, RecordedEvent } from '../storage/event-log.ts';
import type { Projector } from './projector.ts';
import { StreamStates } from './stream-states.ts';
import { Attempt, streamOf } from './unit-of-work.ts';
import { UpgradableLock } from './upgradable-lock.ts';

/** Who sends a command, and the operation that it is part of. */
export interface Origin {
  readonly actor: string;
  readonly correlation: string | null;
  /** The lease under which its commands are sent: the log refuses a commit when another holder has taken it over. */
  readonly fence?: Fence | undefined;
}

export interface DispatchOptions<State> {
  readonly origin: Origin;
  /** Sends commands to other streams, in the same commit. */
  readonly policy?: Policy<State> | undefined;
  /** Commands with the same key run one at a time; the default key is the stream. */
  readonly lockKey?: string | undefined;
  /**
   * For a long stream whose state the decision does not need: it is decided on the initial state, and contributes
   * nothing when this returns false. When another writer has appended to the stream meanwhile, it is asked again.
   */
  readonly isDue?: (() => boolean) | undefined;
  /**
   * Returns a command that joins the commit, or null. Runs while the read models hold the other events of the commit,
   * which it gets.
   */
  readonly record?: ((after: State, events: readonly Seen[]) => BatchCommand | null) | undefined;
}

export interface Dispatched<State> {
  readonly state: State;
  readonly events: readonly RecordedEvent[];
}

/** A command for one stream, carried out with others. Made by `batchCommand`, `unconditional` and `whileDue`. */
export interface BatchCommand {
  /** Sends the command; throws `Refused`. */
  sendTo(unit: UnitOfWork): void;
}

export interface CommandHandler {
  /** Carries out one command, and those of its policy. Throws `Refused`. */
  dispatch<Command, State>(
    decider: Decider<Command, State>,
    id: string,
    command: Command,
    options: DispatchOptions<State>,
  ): Promise<Dispatched<State>>;
  /**
   * Carries out commands of unrelated streams in one commit: all of their events are appended, or none are. A refused
   * command contributes nothing and stops no other. The log takes 10 000 events in a commit: the caller splits longer
   * batches.
   */
  dispatchBatch(commands: readonly BatchCommand[], origin: Origin): Promise<readonly RecordedEvent[]>;
  /** The newest state of a stream. */
  load<State>(decider: Decider<never, State>, id: string): State;
  /** The state of a stream at a version, folded anew. */
  loadAt<State>(decider: Decider<never, State>, id: string, version: number): State;
  /** Whether a command of this process has appended the event and its dispatch has not resolved yet. */
  isAppending(event: Pick<RecordedEvent, 'causation'>): boolean;
}

const ATTEMPTS_MAX = 16;
/** Conflicts after which a command takes the exclusive lock, because the streams that it reads change often. */
const CONFLICTS_BEFORE_EXCLUSIVE = 3;

/** A command whose stream is read before it is decided. */
export function batchCommand<Command, State>(
  decider: Decider<Command, State>,
  id: string,
  command: Command,
): BatchCommand {
  return { sendTo: (unit) => void unit.send(decider, id, command) };
}

/** A command whose decision does not depend on the state: its stream is not read and never conflicts. */
export function unconditional<Command, State>(
  decider: Decider<Command, State>,
  id: string,
  command: Command,
): BatchCommand {
  return { sendTo: (unit) => unit.sendUnconditional(decider, id, command) };
}

/**
 * Like `unconditional`, but contributes nothing unless `isDue` returns true. When another writer has appended to the
 * stream meanwhile, `isDue` is asked again.
 */
export function whileDue<Command, State>(
  isDue: () => boolean,
  decider: Decider<Command, State>,
  id: string,
  command: Command,
): BatchCommand {
  return {
    sendTo(unit) {
      if (isDue()) unit.sendUnread(decider, id, command);
    },
  };
}

interface Dependencies {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  /** The read models that `record` sees; absent when nothing folds the log. */
  readonly readModels?: Pick<Projector, 'preview'>;
  /** How deciders treat unknown event types in their streams; `skip` when left out. */
  readonly unknownTypes?: UnknownTypes;
  /** Fetches the events of other daemons; false when there were none. Absent when only this process appends. */
  readonly refresh?: (() => Promise<boolean>) | undefined;
}

/** The command handler of a log. One process has one for each log: locks and cached states belong to it. */
export function createCommandHandler(dependencies: Dependencies): CommandHandler {
  const { log, readModels, unknownTypes = 'skip' } = dependencies;
  const states = new StreamStates(log, unknownTypes);
  const unitsOfWork = new UnitsOfWork(dependencies, states);
  const mutex = new KeyedMutex();
  return {
    load(decider, id) {
      return states.current(decider, streamOf(decider, id)).state;
    },
    loadAt: (decider, id, version) => states.at(decider, streamOf(decider, id), version),
    isAppending: ({ causation }) => causation !== null && unitsOfWork.causations.has(causation),
    async dispatch(decider, id, command, { origin, policy, lockKey = streamOf(decider, id), isDue, record }) {
      return mutex.run(lockKey, () =>
        unitsOfWork.commit(origin, (unit) => {
          const before = policy === undefined ? decider.initial : unit.read(decider, id);
          let after = before;
          if (isDue === undefined) after = unit.send(decider, id, command);
          else if (isDue()) unit.sendUnread(decider, id, command);
          const refusal = policy?.(unit, { id, before, after });
          if (refusal !== undefined) throw new Refused(refusal);
          if (record !== undefined) {
            const seen = unit.seen(log.head().position);
            const make = () => record(after, seen);
            const recorded = readModels === undefined ? make() : readModels.preview(seen, make);
            recorded?.sendTo(unit);
          }
          return after;
        }),
      );
    },
    async dispatchBatch(commands, origin) {
      const { events } = await unitsOfWork.commit(origin, (unit) => {
        for (const command of commands) sendUnlessRefused(command, unit);
      });
      return events;
    },
  };
}

/** Carries out units of work. */
class UnitsOfWork {
  readonly #dependencies: Dependencies;
  readonly #states: StreamStates;
  readonly #lock = new UpgradableLock();
  /** Causation ids of the commits in progress. */
  readonly causations = new Set<string>();

  constructor(dependencies: Dependencies, states: StreamStates) {
    this.#dependencies = dependencies;
    this.#states = states;
  }

  /** Decides and appends, again after each conflict: `decide` may be called several times. */
  async commit<State>(origin: Origin, decide: (unit: Attempt) => State): Promise<Dispatched<State>> {
    const { log, clock, ids, refresh } = this.#dependencies;
    const { actor, correlation } = origin;
    let isRefreshed = false;
    while (this.#lock.closed !== null) await this.#lock.closed;
    const causation = ids.uuid();
    this.#lock.enter();
    this.causations.add(causation);
    try {
      for (let attempts = 0; attempts < ATTEMPTS_MAX; attempts += 1) {
        if (attempts === CONFLICTS_BEFORE_EXCLUSIVE) await this.#lock.exclusive();
        const at = clock.now();
        const attempt = new Attempt(this.#states, { at, actor });
        const decided = tryTo(() => decide(attempt));
        if ('refusal' in decided) {
          // A refusal appends nothing, so no version check shows that events of other daemons are missing here.
          const isOutdated = !isRefreshed && refresh !== undefined && (await refresh());
          if (!isOutdated) throw decided.refusal;
          isRefreshed = true;
          continue;
        }
        const { state } = decided;
        const batch = attempt.appends({ actor, correlation, causation, at, newId: () => ids.uuid() });
        if (batch.every(({ events }) => events.length === 0)) return { state, events: [] };
        // Read here, because a request may get its lease while its command waits.
        const { fence } = origin;
        const appended = await log.append(batch, fence === undefined ? {} : { fences: [fence] });
        if (appended.kind === 'conflict') continue;
        attempt.keepStates();
        return { state, events: appended.events };
      }
    } finally {
      this.causations.delete(causation);
      this.#lock.leave();
    }
    throw new Error(`A stream changed ${ATTEMPTS_MAX} times while a command on it was decided.`);
  }
}

/** The state that a decision leads to, or why it was refused. */
function tryTo<State>(decide: () => State): { readonly state: State } | { readonly refusal: Refused } {
  try {
    return { state: decide() };
  } catch (error) {
    if (error instanceof Refused) return { refusal: error };
    throw error;
  }
}

/** A refused command contributes nothing. */
export function sendUnlessRefused(command: BatchCommand, unit: UnitOfWork): void {
  try {
    command.sendTo(unit);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
  }
}
