/** Helpers of the goal tests: a set of fields, a command handler on a log in memory, and goals over HTTP. */
import { expect } from 'vitest';
import { type GoalCommand, type GoalState, goal } from '../../src/commands/goal/decide.ts';
import { GOALS_LOCK_KEY, goalPolicy } from '../../src/commands/goal/policy.ts';
import type { GoalFields, GoalPlan } from '../../src/events/goal.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { IdGenerator } from '../../src/ports/id-generator.ts';
import { goals } from '../../src/projections/goal.ts';
import { openViews, type ViewsStore } from '../../src/projections/views.ts';
import { eventTable } from '../../src/resources.ts';
import type { EventLog } from '../../src/storage/event-log.ts';
import { openStorage } from '../../src/storage/open.ts';
import { type CommandHandler, createCommandHandler } from '../../src/streams/command-handler.ts';
import { createCommittedEvents } from '../../src/streams/committed-events.ts';
import { Projector } from '../../src/streams/projector.ts';
import { type Asked, ask, type Reply as JsonReply } from '../support/asking.ts';
import { steadySystem } from '../support/steady-system.ts';

export const ORIGIN = { actor: 'owner', correlation: null };

export function fields(changes: Partial<GoalFields> = {}): GoalFields {
  return {
    workspace: null,
    title: 'Ship it',
    statement: '',
    success_criteria: [],
    tags: [],
    parent_goal_id: null,
    ...changes,
  };
}

export const PLAN: GoalPlan = {
  goal: 'Ship it',
  steps: [{ id: 1, description: 'Look', tool: 'read_file', estimated_path: null, status: 'pending' }],
  estimated_files: [],
  risks: [],
};

export interface GoalFixture {
  readonly log: EventLog;
  readonly commandHandler: CommandHandler;
  /** Every writer on the log uses it: no two events may have one id. */
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly store: ViewsStore;
  readonly projector: Projector;
  /** As the routes send it. */
  send(id: string, command: GoalCommand): Promise<GoalState>;
}

/** The log, one command handler, and the views that follow it. The clock stands still, and now and then goes back. */
export async function openGoals(): Promise<GoalFixture> {
  const { log } = await openStorage({ directory: '', ephemeral: true });
  const steady = steadySystem();
  const { ids } = steady;
  const clock = { now: () => 1_700_000_000_000 + (steady.clock.now() % 7) };
  const commandHandler = createCommandHandler({ log, clock, ids });
  const { store, projector } = await foldingViews(log);
  createCommittedEvents(log, projector);
  return { log, commandHandler, clock, ids, store, projector, send: sender(commandHandler) };
}

export function sender(commandHandler: CommandHandler): GoalFixture['send'] {
  return async (id, command) =>
    (await commandHandler.dispatch(goal, id, command, { origin: ORIGIN, policy: goalPolicy, lockKey: GOALS_LOCK_KEY }))
      .state;
}

export async function foldingViews(log: EventLog): Promise<{ store: ViewsStore; projector: Projector }> {
  const store = openViews(null);
  const report = (line: string): void => expect(line).toBe('no report');
  const projector = new Projector({ log, store, projections: [goals], events: eventTable, report });
  await projector.catchUp();
  return { store, projector };
}

/** Every row of the goal views. */
export function rowsOf(store: ViewsStore): unknown {
  return goals.tables.map((table) => store.all(`SELECT * FROM ${table} ORDER BY 1, 2`));
}

/** An id as the routes make them, from a small number. */
export function idFrom(n: number): string {
  return n.toString(16).padStart(32, '0');
}

// biome-ignore lint/suspicious/noExplicitAny: the body is whatever the daemon answered; assertions say what it should be.
export type Reply = JsonReply<any>;

export type Ask = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Reply>;

export function asking(daemon: Asked): Ask {
  return (method, path, body, headers) => ask(daemon, method, path, body, headers);
}

/** Creates a goal and answers its record. */
export async function made(ask: Ask, body: Record<string, unknown>): Promise<Reply['body']> {
  const reply = await ask('POST', '/v1/goals', body);
  expect([reply.status, reply.body.error]).toEqual([201, undefined]);
  return reply.body;
}

/** The whole stream of a run, to its end. */
export async function streamOf(daemon: Asked, session: string): Promise<Reply['body'][]> {
  const text = await (await daemon.request(`/stream/${session}?after=0`)).text();
  return [...text.matchAll(/^data: (.*)$/gm)].map((match) => JSON.parse(match[1]!));
}
