/**
 * Commands in, events out: load → fold → decide → append, again when another writer was faster. The only writer of the
 * event log beside the storage's own tools.
 *
 * - Commands with one lock key run one at a time; a conflict comes from a stream that a command only reads, or from
 *   another process. After three conflicts a command takes the exclusive lock.
 * - A unit of work may span several streams: all events share one commit, and every version that was read is a
 *   condition of it.
 * - On a log that others append to, too, a refusal holds only when nothing of theirs is missing here.
 * - A policy sees the state that a command leads to. A record is made while the read models hold what the commit brings
 *   about, and joins it: so the answer of an idempotent request is read from them and recorded in the same commit.
 */
import type { Decider, Policy, UnitOfWork } from '../commands/decider.ts';
import { Refused } from '../commands/refusal.ts';
import type { UnknownTypes } from '../events/decode.ts';
import { KeyedMutex } from '../lib/keyed-mutex.ts';
import type { Clock } from '../ports/clock.ts';
import type { IdGenerator } from '../ports/id-generator.ts';
import type { Fence } from '../ports/leases.ts';
import type { EventLog, RecordedEvent } from '../storage/event-log.ts';
import type { Projector } from './projector.ts';
import { StreamStates } from './stream-states.ts';
import { Attempt, streamOf } from './unit-of-work.ts';
import { UpgradableLock } from './upgradable-lock.ts';

/** On whose behalf, and as part of what. */
export interface Origin {
  readonly actor: string;
  readonly correlation: string | null;
  /** The lease under which all of its commands are sent: see `DispatchOptions.fence`. */
  readonly fence?: Fence | undefined;
}

export interface DispatchOptions<State> {
  readonly origin: Origin;
  /** What the command brings about in other streams, in the same commit. */
  readonly policy?: Policy<State> | undefined;
  /** Commands with one key run one at a time; the default key is the stream. */
  readonly lockKey?: string | undefined;
  /** Makes a command that joins the commit, while the read models hold the other events of it; null: none. */
  readonly record?: ((after: State) => BatchCommand | null) | undefined;
  /** The lease under which the command is sent: the log refuses it when another holder has taken that over. */
  readonly fence?: Fence | undefined;
}

export interface Dispatched<State> {
  readonly state: State;
  readonly events: readonly RecordedEvent[];
}

/** One command for one stream, to be carried out with others; made by the functions below. */
export interface BatchCommand {
  /** Sends the command; throws `Refused`. */
  sendTo(unit: UnitOfWork): void;
}

export interface CommandHandler {
  /** Carries out one command, and what its policy brings about. Throws `Refused`. */
  dispatch<Command, State>(
    decider: Decider<Command, State>,
    id: string,
    command: Command,
    options: DispatchOptions<State>,
  ): Promise<Dispatched<State>>;
  /**
   * Carries out commands of unrelated streams in one commit: all of their events are appended, or none are. A refused
   * command contributes nothing and stops no other. The log takes 10 000 events in a commit: splitting a longer batch
   * is up to the caller.
   */
  dispatchBatch(commands: readonly BatchCommand[], origin: Origin): Promise<readonly RecordedEvent[]>;
  /** The state of a stream as the log has it now. */
  load<State>(decider: Decider<never, State>, id: string): State;
  /** Whether a command of this process appends the event: true until its dispatch resolves. */
  isAppending(event: Pick<RecordedEvent, 'causation'>): boolean;
}

const ATTEMPTS_MAX = 16;
/** Conflicts after which a command takes the exclusive lock: what it reads may change all the time. */
const CONFLICTS_BEFORE_EXCLUSIVE = 3;

export function batchCommand<Command, State>(
  decider: Decider<Command, State>,
  id: string,
  command: Command,
): BatchCommand {
  return { sendTo: (unit) => void unit.send(decider, id, command) };
}

/** A command that its decider answers alike in every state: its stream is not read, and is never in conflict. */
export function unconditional<Command, State>(
  decider: Decider<Command, State>,
  id: string,
  command: Command,
): BatchCommand {
  return { sendTo: (unit) => unit.sendUnconditional(decider, id, command) };
}

/**
 * As `unconditional`, but only as long as `isDue` says so: otherwise it contributes nothing. It is asked again when
 * something was appended to the stream meanwhile, here or by another daemon.
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
  /** Where records are made; absent where nothing folds the log. */
  readonly readModels?: Pick<Projector, 'preview'>;
  /** What a decider does not know in its streams: passed over when left out. */
  readonly unknownTypes?: UnknownTypes;
  /** Takes over what others have appended to the log; false when there was nothing. Absent: nobody else appends. */
  readonly refresh?: (() => Promise<boolean>) | undefined;
}

export function createCommandHandler(dependencies: Dependencies): CommandHandler {
  const { log, readModels, unknownTypes = 'skip' } = dependencies;
  const states = new StreamStates(log, unknownTypes);
  const unitsOfWork = new UnitsOfWork(dependencies, states);
  const mutex = new KeyedMutex();
  return {
    load(decider, id) {
      return states.current(decider, streamOf(decider, id)).state;
    },
    isAppending: ({ causation }) => causation !== null && unitsOfWork.causations.has(causation),
    async dispatch(decider, id, command, { origin, policy, lockKey = streamOf(decider, id), record, fence }) {
      const { result: state, events } = await mutex.run(lockKey, () =>
        unitsOfWork.commit(
          (unit) => {
            const before = policy === undefined ? decider.initial : unit.read(decider, id);
            const after = unit.send(decider, id, command);
            const refusal = policy?.(unit, { id, before, after });
            if (refusal !== undefined) throw new Refused(refusal);
            if (record !== undefined) {
              const make = () => record(after);
              const made = readModels === undefined ? make() : readModels.preview(unit.seen(log.head().position), make);
              made?.sendTo(unit);
            }
            return after;
          },
          { origin, fences: fence === undefined ? [] : [fence] },
        ),
      );
      return { state, events };
    },
    async dispatchBatch(commands, origin) {
      const { events } = await unitsOfWork.commit(
        (unit) => {
          for (const command of commands) sendUnlessRefused(command, unit);
        },
        { origin, fences: [] },
      );
      return events;
    },
  };
}

/** Carries out units of work. */
class UnitsOfWork {
  readonly #dependencies: Dependencies;
  readonly #states: StreamStates;
  readonly #lock = new UpgradableLock();
  /** Those of the commits under way. */
  readonly causations = new Set<string>();

  constructor(dependencies: Dependencies, states: StreamStates) {
    this.#dependencies = dependencies;
    this.#states = states;
  }

  /** Decides and appends until no other writer comes between. `decide` may be called again. */
  async commit<Result>(
    decide: (unit: Attempt) => Result,
    { origin, fences }: { readonly origin: Origin; readonly fences: readonly Fence[] },
  ): Promise<{ readonly result: Result; readonly events: readonly RecordedEvent[] }> {
    const { log, clock, ids, refresh } = this.#dependencies;
    let isRefreshed = false;
    const { actor, correlation } = origin;
    while (this.#lock.closed !== null) await this.#lock.closed;
    this.#lock.enter();
    const causation = ids.uuid();
    this.causations.add(causation);
    try {
      for (let attempts = 0; attempts < ATTEMPTS_MAX; attempts += 1) {
        if (attempts === CONFLICTS_BEFORE_EXCLUSIVE) await this.#lock.exclusive();
        const at = clock.now();
        const attempt = new Attempt(this.#states, { at, actor });
        const decided = tryTo(() => decide(attempt));
        if ('refusal' in decided) {
          // Nothing is appended that a shared log would compare with what others have appended: so that is asked for.
          const isOutdated = !isRefreshed && refresh !== undefined && (await refresh());
          if (!isOutdated) throw decided.refusal;
          isRefreshed = true;
          continue;
        }
        const { result } = decided;
        const batch = attempt.appends({ actor, correlation, causation, at, newId: () => ids.uuid() });
        if (batch.every(({ events }) => events.length === 0)) return { result, events: [] };
        const appended = await log.append(batch, {
          fences: origin.fence === undefined ? fences : [origin.fence, ...fences],
        });
        if (appended.kind === 'conflict') continue;
        attempt.keepStates();
        return { result, events: appended.events };
      }
    } finally {
      this.causations.delete(causation);
      this.#lock.leave();
    }
    throw new Error(`A stream changed ${ATTEMPTS_MAX} times while a command on it was decided.`);
  }
}

/** The result of a decision, or why it was refused. */
function tryTo<Result>(decide: () => Result): { readonly result: Result } | { readonly refusal: Refused } {
  try {
    return { result: decide() };
  } catch (error) {
    if (error instanceof Refused) return { refusal: error };
    throw error;
  }
}

function sendUnlessRefused(command: BatchCommand, unit: UnitOfWork): void {
  try {
    command.sendTo(unit);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
  }
}
