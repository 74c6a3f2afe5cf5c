/** Commands of briefings, their settings and their turns. */
import fc from 'fast-check';
import { type BriefingState, briefing } from '../../commands/briefing/decide.ts';
import { BRIEFING_SETTINGS_ID, briefingSettings } from '../../commands/briefing/settings.ts';
import { BRIEFING_TURN_ID, briefingTurn } from '../../commands/briefing/turn.ts';
import { BRIEFING_LENGTHS, briefingEvents, WEEKDAYS } from '../../events/briefing/events.ts';
import { arbitraryOf, smallText } from '../schema-values.ts';
import { type CommandSource, command, few, only, optional, times, type Wish } from './parts.ts';

export const briefingCommands = {
  briefing: {
    decider: briefing,
    ids: few('b'),
    fitted: inBriefing,
    weight: 3,
    command: fc.oneof(
      {
        weight: 4,
        arbitrary: arbitraryOf(briefingEvents.BriefingRequested.data).map((request: object) => ({
          type: 'RequestBriefing',
          ...request,
        })),
      },
      times(2, 'StartBriefing'),
      times(3, 'RecordFacts', { gathered: arbitraryOf(briefingEvents.BriefingGathered.data) }),
      times(4, 'AskBriefingModel', {
        asked: fc.record({ provider: smallText, model: smallText, request_hash: smallText }),
      }),
      times(3, 'RecordBriefingAnswer', {
        answered: arbitraryOf(briefingEvents.BriefingModelAnswered.data),
      }),
      command('RecordBriefingModelFailure', { failed: arbitraryOf(briefingEvents.BriefingModelFailed.data) }),
      command('WriteBriefing', { text: arbitraryOf(briefingEvents.BriefingWritten.data) }),
      command('FailBriefing', { message: smallText }),
      command('RecoverBriefing', { reason: smallText }),
    ),
  },
  briefingSettings: {
    decider: briefingSettings,
    ids: only(BRIEFING_SETTINGS_ID),
    command: command('ChangeBriefingSettings', {
      changes: optional({
        enabled: fc.boolean(),
        time: fc.constantFrom('07:00', '23:59', '24:00'),
        days: fc.subarray([...WEEKDAYS]),
        timezone: fc.constantFrom(null, 'Europe/Berlin', 'Nowhere'),
        length: fc.constantFrom(...BRIEFING_LENGTHS),
        keep: fc.integer({ min: 1, max: 3 }),
      }),
    }),
  },
  briefingTurn: {
    decider: briefingTurn,
    ids: only(BRIEFING_TURN_ID),
    command: command('TakeTurn', { briefing_id: few('b'), scheduled_for: fc.constantFrom(null, 1, 1_000_000) }),
  },
} satisfies Readonly<Record<string, CommandSource>>;

/** Outcomes of the model get the number of the open call. */
function inBriefing(command: Wish, state: BriefingState): Wish {
  const call = state.status === 'running' ? state.calls : 0;
  const { answered, failed } = command as { answered?: object; failed?: object };
  return {
    ...command,
    ...(answered !== undefined && { answered: { ...answered, call } }),
    ...(failed !== undefined && { failed: { ...failed, call } }),
  };
}
