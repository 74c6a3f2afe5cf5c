/** Commands of goals, their pins and their titles. */
import fc from 'fast-check';
import { type GoalState, goal } from '../../commands/goal/decide.ts';
import { goalPins, PINS_STREAM_ID } from '../../commands/goal/pins.ts';
import { goalTitle } from '../../commands/goal/title.ts';
import { GOAL_LINK_KINDS, GOAL_STATUSES, zGoalPlan } from '../../events/goal.ts';
import { arbitraryOf, smallText } from '../schema-values.ts';
import { anywhere, type CommandSource, command, few, fresh, only, optional, type Wish } from './parts.ts';

const goalFields = fc.record({
  workspace: anywhere,
  title: smallText,
  statement: smallText,
  success_criteria: fc.array(smallText, { maxLength: 2 }),
  tags: fc.array(smallText, { maxLength: 2 }),
  parent_goal_id: fc.constantFrom(null, 'g1'),
});

export const goalCommands = {
  goal: {
    decider: goal,
    ids: few('g'),
    fitted: (command: Wish, { statement, success_criteria }: GoalState) =>
      command.type === 'RecordPlan' ? ({ ...command, basis: { statement, success_criteria } } as Wish) : command,
    command: fc.oneof(
      command('CreateGoal', { fields: goalFields }),
      command('ReviseGoal', {
        changes: optional({
          title: smallText,
          statement: smallText,
          status: fc.constantFrom(...GOAL_STATUSES),
          parent_goal_id: fc.constantFrom(null, 'g1'),
        }),
      }),
      command('RecordPlan', {
        plan: arbitraryOf(zGoalPlan),
        provider: smallText,
        model: smallText,
      }),
      command('LinkGoal', {
        link_id: fresh,
        kind: fc.constantFrom(...GOAL_LINK_KINDS),
        target_id: smallText,
        note: anywhere,
      }),
      command('LinkStartedRun', { link_id: fresh, session_id: smallText, note: smallText }),
      command('DeleteGoal'),
    ),
  },
  goalPins: {
    decider: goalPins,
    ids: only(PINS_STREAM_ID),
    command: fc.oneof(
      command('PinGoal', { workspace: anywhere, goal_id: few('g') }),
      command('EmptySlot', { workspace: anywhere }),
      command('UnpinGoal', { goal_id: few('g') }),
    ),
  },
  goalTitle: {
    decider: goalTitle,
    ids: few('t'),
    command: fc.oneof(command('ClaimTitle', { goal_id: few('g') }), command('ReleaseTitle', { goal_id: few('g') })),
  },
} satisfies Readonly<Record<string, CommandSource>>;
