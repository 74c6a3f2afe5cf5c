/** The command handler with defaults for the clock, the ids and the origin. */
import type { Decider, Policy } from '../commands/decider.ts';
import { systemClock, systemIds } from '../integrations/system.ts';
import type { Clock } from '../ports/clock.ts';
import type { IdGenerator } from '../ports/id-generator.ts';
import type { EventLog, RecordedEvent } from '../storage/event-log.ts';
import {
  type BatchCommand,
  createCommandHandler as createHandler,
  type Dispatched,
  type Origin,
} from '../streams/command-handler.ts';

export interface CommandHandlerOptions {
  readonly log: EventLog;
  /** The actor of commands without an origin; `owner` when left out. */
  readonly actor?: string;
  /** Default: the time of the system. */
  readonly clock?: Clock;
  /** Default: UUIDv7 that ascend. */
  readonly ids?: IdGenerator;
}

export interface DispatchOptions<State> {
  /** Who sends the command, and the operation that it is part of. Default: the handler's actor, no correlation. */
  readonly origin?: Origin;
  /** Sends commands to other streams, in the same commit. */
  readonly policy?: Policy<State>;
  /** Commands with the same key run one at a time. Default: the stream. */
  readonly lockKey?: string;
}

export interface CommandHandler {
  /**
   * Carries out one command on the stream `<category>-<id>`: loads the state, decides and appends, again after a
   * version conflict. Resolves when the events are durable and projections of this process hold them. Throws `Refused`
   * when the decider or the policy answers with a refusal, and `StorageError`.
   */
  dispatch<Command, State>(
    decider: Decider<Command, State>,
    id: string,
    command: Command,
    options?: DispatchOptions<State>,
  ): Promise<Dispatched<State>>;
  /**
   * Carries out commands of unrelated streams in one commit, at most 10 000 events. A refused command contributes
   * nothing and stops no other.
   */
  dispatchBatch(commands: readonly BatchCommand[], origin?: Origin): Promise<readonly RecordedEvent[]>;
  /** The newest state of a stream. */
  load<State>(decider: Decider<never, State>, id: string): State;
}

/**
 * Creates the command handler of a log: the only way to write.
 *
 *     const { dispatch } = createCommandHandler({ log });
 *     await dispatch(bookmark, 'news', { type: 'AddBookmark', fields });
 */
export function createCommandHandler({
  log,
  actor = 'owner',
  clock = systemClock,
  ids = systemIds,
}: CommandHandlerOptions): CommandHandler {
  const handler = createHandler({ log, clock, ids });
  const byDefault: Origin = { actor, correlation: null };
  return {
    dispatch: (decider, id, command, { origin = byDefault, ...options } = {}) =>
      handler.dispatch(decider, id, command, { origin, ...options }),
    dispatchBatch: (commands, origin = byDefault) => handler.dispatchBatch(commands, origin),
    load: (decider, id) => handler.load(decider, id),
  };
}
