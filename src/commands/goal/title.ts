/** The decider of titles: a stream for each (workspace, title), held by at most one goal. */
import { createHash } from 'node:crypto';
import { type GoalTitleEvent, goalTitleEvents } from '../../events/goal.ts';
import type { Decider } from '../decider.ts';
import { Refusal } from '../refusal.ts';

export interface GoalTitleCommand {
  readonly type: 'ClaimTitle' | 'ReleaseTitle';
  readonly goal_id: string;
}

export interface TitleState {
  readonly goal_id: string | null;
}

export const goalTitle: Decider<GoalTitleCommand, TitleState, GoalTitleEvent> = {
  category: 'goal_title',
  events: goalTitleEvents,
  initial: { goal_id: null },
  decide({ type, goal_id }, state) {
    if (type === 'ReleaseTitle') {
      return state.goal_id === goal_id ? [{ type: 'GoalTitleReleased', data: { goal_id } }] : [];
    }
    if (state.goal_id === goal_id) return [];
    if (state.goal_id === null) return [{ type: 'GoalTitleClaimed', data: { goal_id } }];
    return new Refusal('conflict', 'A goal with this title exists already in this workspace.');
  },
  evolve(_state, event) {
    switch (event.type) {
      case 'GoalTitleClaimed':
        return { goal_id: event.data.goal_id };
      case 'GoalTitleReleased':
        return { goal_id: null };
    }
  },
};

/** The stream id of a title: a hash, because a title may be longer than a stream's name and hold any character. */
export function titleKey({ workspace, title }: { readonly workspace: string | null; readonly title: string }): string {
  return createHash('sha256')
    .update(JSON.stringify([workspace, title]))
    .digest('hex');
}
