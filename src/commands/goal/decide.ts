/**
 * The decider of one goal: its fields, plan, links and deletion. The rules between goals (unique titles, no loop of
 * parents) are in `policy.ts`.
 *
 * - A revision is always an event, even without a difference, because every PATCH changes `updated_at`.
 * - A revision clears the plan only when the statement or the criteria differ. A plan for an earlier statement or
 *   earlier criteria is refused.
 */
import { isDeepStrictEqual } from 'node:util';
import {
  type GoalChanges,
  type GoalEvent,
  type GoalFields,
  type GoalLinkKind,
  type GoalPlan,
  type GoalStatus,
  goalEvents,
} from '../../events/goal.ts';
import { characterCount } from '../../lib/characters.ts';
import { isBlank } from '../blank.ts';
import type { Decider, Decision } from '../decider.ts';
import { Refusal } from '../refusal.ts';

export type GoalCommand =
  | { readonly type: 'CreateGoal'; readonly fields: GoalFields }
  /** An absent field stays as it is; null clears a workspace or a parent. */
  | { readonly type: 'ReviseGoal'; readonly changes: GoalChanges }
  /** `basis`: the text for which the plan was written. */
  | {
      readonly type: 'RecordPlan';
      readonly plan: GoalPlan;
      readonly provider: string;
      readonly model: string;
      readonly basis: Pick<GoalFields, 'statement' | 'success_criteria'>;
    }
  | {
      readonly type: 'LinkGoal';
      readonly link_id: string;
      readonly kind: GoalLinkKind;
      readonly target_id: string;
      readonly note: string | null;
    }
  /**
   * Links a run that starts under the goal, in the commit of the run. It is decided in any state: for a goal that is
   * being deleted, the run counts as started a moment earlier.
   */
  | { readonly type: 'LinkStartedRun'; readonly link_id: string; readonly session_id: string; readonly note: string }
  | { readonly type: 'DeleteGoal' };

export interface GoalState extends GoalFields {
  readonly life: 'none' | 'alive' | 'deleted';
  readonly status: GoalStatus;
  readonly isPlanned: boolean;
  readonly links: number;
}

const TITLE_CHARACTERS_MAX = 120;
export const LINKS_MAX = 10_000;
export const GOAL_NOT_FOUND = 'Goal not found';

export const goal: Decider<GoalCommand, GoalState, GoalEvent> = {
  category: 'goal',
  events: goalEvents,
  initial: {
    life: 'none',
    workspace: null,
    title: '',
    statement: '',
    status: 'active',
    success_criteria: [],
    tags: [],
    parent_goal_id: null,
    isPlanned: false,
    links: 0,
  },
  decide(command, state) {
    if (command.type === 'CreateGoal') {
      if (state.life !== 'none') return new Refusal('conflict', 'A goal with this id exists already.');
      return titleFault(command.fields.title) ?? [{ type: 'GoalCreated', data: command.fields }];
    }
    if (command.type === 'LinkStartedRun') {
      const { link_id, session_id: target_id, note } = command;
      return [{ type: 'GoalLinked', data: { link_id, kind: 'session', target_id, note } }];
    }
    if (state.life !== 'alive') return new Refusal('not_found', GOAL_NOT_FOUND);
    switch (command.type) {
      case 'ReviseGoal':
        return revised(command.changes, state);
      case 'RecordPlan':
        return planned(command, state);
      case 'LinkGoal':
        return linked(command, state);
      case 'DeleteGoal':
        return [{ type: 'GoalDeleted', data: {} }];
    }
  },
  evolve(state, event) {
    if (state.life === 'deleted') return state;
    switch (event.type) {
      case 'GoalCreated':
        return { ...state, ...event.data, life: 'alive' };
      case 'GoalRevised':
        return { ...state, ...event.data.changes, isPlanned: state.isPlanned && !event.data.plan_cleared };
      case 'GoalPlanned':
        return { ...state, isPlanned: true };
      case 'GoalLinked':
        return { ...state, links: state.links + 1 };
      case 'GoalDeleted':
        return { ...goal.initial, life: 'deleted' };
    }
  },
};

function titleFault(title: string): Refusal | undefined {
  if (isBlank(title)) return new Refusal('invalid', 'title must not be blank.');
  const characters = characterCount(title.trim());
  if (characters <= TITLE_CHARACTERS_MAX) return undefined;
  return new Refusal('invalid', `title must have at most ${TITLE_CHARACTERS_MAX} characters; it has ${characters}.`);
}

function revised(requested: GoalChanges, state: GoalState): Decision<GoalEvent> {
  const fault = requested.title === undefined ? undefined : titleFault(requested.title);
  if (fault !== undefined) return fault;
  const different = Object.entries(requested).filter(
    ([field, value]) => !isDeepStrictEqual(value, state[field as keyof GoalChanges]),
  );
  const changes: GoalChanges = Object.fromEntries(different);
  const restated = changes.statement !== undefined || changes.success_criteria !== undefined;
  return [{ type: 'GoalRevised', data: { changes, plan_cleared: restated && state.isPlanned } }];
}

function planned(command: Extract<GoalCommand, { type: 'RecordPlan' }>, state: GoalState): Decision<GoalEvent> {
  const { plan, provider, model, basis } = command;
  const { statement, success_criteria } = state;
  if (!isDeepStrictEqual(basis, { statement, success_criteria })) {
    return new Refusal('conflict', 'The goal was changed while it was planned; ask for a plan again.');
  }
  return [{ type: 'GoalPlanned', data: { plan, provider, model } }];
}

function linked(command: Extract<GoalCommand, { type: 'LinkGoal' }>, state: GoalState): Decision<GoalEvent> {
  const { link_id, kind, target_id, note } = command;
  if (isBlank(target_id)) return new Refusal('invalid', 'target_id must not be blank.');
  if (state.links >= LINKS_MAX) {
    return new Refusal('conflict', `The goal has ${LINKS_MAX} links, the most it may have.`);
  }
  return [{ type: 'GoalLinked', data: { link_id, kind, target_id, note } }];
}
