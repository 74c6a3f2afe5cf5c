/**
 * A batch of commands on streams that have nothing to do with each other, in one commit: all of their events are
 * appended, or none are.
 *
 * - Why not `dispatch` with `together`: there one command leads and decides on the others, and one refusal refuses all.
 *   Here none leads. A refused command contributes nothing and stops nothing (a memory that left meanwhile must not
 *   stop the other 999 of its batch), and a batch of new streams does not push the states of others out of the cache.
 * - Optimistic, like a single command: when another writer was faster, all are decided again.
 * - The log takes 10 000 events in a commit: a longer batch is the caller's to split.
 */
import type { Decider } from '../commands/decider.ts';
import { isRefusal, type Refusal } from '../commands/refusal.ts';
import type { Clock } from '../ports/clock.ts';
import type { IdGenerator } from '../ports/id-generator.ts';
import type { EventLog, RecordedEvent, StreamAppend } from '../storage/event-log.ts';
import { type Dispatcher, newEvent, type Origin } from './dispatch.ts';

type AnyEvent = { readonly type: string; readonly data: unknown };

/** One command for one stream. */
export interface Part {
  readonly stream: string;
  /** What it decides rests on nothing in its stream: whatever version that has, it is appended. */
  readonly isFree?: true;
  decide(dispatcher: Dispatcher, now: number): readonly AnyEvent[];
}

export interface TogetherParts {
  readonly log: EventLog;
  readonly dispatcher: Dispatcher;
  readonly clock: Clock;
  readonly ids: IdGenerator;
}

const CONFLICT_RETRIES_MAX = 16;

export function part<Command, State, Event extends AnyEvent>(
  decider: Decider<Command, State, Event>,
  id: string,
  command: Command,
): Part {
  return {
    stream: `${decider.category}-${id}`,
    decide: (dispatcher, now) => decided(decider.decide(command, dispatcher.load(decider, id), { now })),
  };
}

/** Of a command that its decider answers alike in every state: the stream is not read for it. */
export function freePart<Command, State, Event extends AnyEvent>(
  decider: Decider<Command, State, Event>,
  id: string,
  command: Command,
): Part {
  return {
    stream: `${decider.category}-${id}`,
    isFree: true,
    decide: (_, now) => decided(decider.decide(command, decider.initial, { now })),
  };
}

function decided(decision: readonly AnyEvent[] | Refusal): readonly AnyEvent[] {
  return isRefusal(decision) ? [] : decision;
}

/** No two parts may name the same stream. */
export async function dispatchTogether(
  { log, dispatcher, clock, ids }: TogetherParts,
  parts: readonly Part[],
  origin: Origin,
): Promise<readonly RecordedEvent[]> {
  for (let tries = 0; tries < CONFLICT_RETRIES_MAX; tries += 1) {
    const at = clock.now();
    const causation = ids.uuid();
    const batch: StreamAppend[] = parts.flatMap((each) => {
      const events = each.decide(dispatcher, at);
      if (events.length === 0) return [];
      const envelopes = events.map((event) => newEvent(event, { ...origin, causation, at, ids }));
      const expectedVersion = each.isFree === true ? 'any' : log.streamVersion(each.stream);
      return [{ stream: each.stream, expectedVersion, events: envelopes }];
    });
    if (batch.length === 0) return [];
    const result = await log.append(batch);
    if (result.kind !== 'conflict') return result.events;
  }
  throw new Error(`${parts.length} streams changed ${CONFLICT_RETRIES_MAX} times while their commands were decided.`);
}
