/**
 * The decider of recalls: records the entries that context blocks showed, and the texts that repeat one. It has no
 * rules.
 */
import type { DataOf } from '../../events/define.ts';
import { type RecallEvent, recallEvents } from '../../events/memory/events.ts';
import type { Decider } from '../decider.ts';

export type RecallCommand =
  | { readonly type: 'RecordRecall'; readonly recalled: DataOf<RecallEvent, 'MemoriesRecalled'> }
  | { readonly type: 'RecogniseLoops'; readonly loops: readonly Loop[] };

export type Loop = DataOf<RecallEvent, 'RecallLoopRecognised'>;

/** The id of the only stream, `recall-store`. */
export const RECALL_STREAM_ID = 'store';

export const recalled: Decider<RecallCommand, null, RecallEvent> = {
  category: 'recall',
  events: recallEvents,
  initial: null,
  isStateless: true,
  decide(command) {
    if (command.type === 'RecogniseLoops') {
      return command.loops.map((loop) => ({ type: 'RecallLoopRecognised', data: loop }));
    }
    const { memory_ids, drawer_ids, fact_ids } = command.recalled;
    if (memory_ids.length + drawer_ids.length + fact_ids.length === 0) return [];
    return [{ type: 'MemoriesRecalled', data: command.recalled }];
  },
  evolve: (state) => state,
};
