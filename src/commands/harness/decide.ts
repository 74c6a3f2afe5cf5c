/** The decider of harness overrides: one stored patch per key, replaced as a whole, removed when it is empty. */
import { isDeepStrictEqual } from 'node:util';
import { type HarnessEvent, type HarnessPatch, harnessEvents } from '../../events/harness.ts';
import type { Decider } from '../decider.ts';

export type HarnessCommand =
  /** An empty patch removes the override. */
  | { readonly type: 'SetHarnessOverride'; readonly key: string; readonly patch: HarnessPatch }
  | { readonly type: 'RemoveHarnessOverride'; readonly key: string };

type HarnessState = Readonly<Record<string, HarnessPatch>>;

/** The id of the only stream, `settings-harness`. */
export const HARNESS_STREAM_ID = 'harness';

export const harnessOverrides: Decider<HarnessCommand, HarnessState, HarnessEvent> = {
  category: 'settings',
  events: harnessEvents,
  initial: {},
  decide(command, state) {
    const stored = state[command.key];
    const patch = command.type === 'SetHarnessOverride' ? command.patch : {};
    if (Object.keys(patch).length === 0) {
      return stored === undefined ? [] : [{ type: 'HarnessOverrideRemoved', data: { key: command.key } }];
    }
    if (isDeepStrictEqual(stored, patch)) return [];
    return [{ type: 'HarnessOverrideSet', data: { key: command.key, patch } }];
  },
  evolve(state, event) {
    switch (event.type) {
      case 'HarnessOverrideSet':
        return { ...state, [event.data.key]: event.data.patch };
      case 'HarnessOverrideRemoved': {
        const { [event.data.key]: _removed, ...rest } = state;
        return rest;
      }
    }
  },
};
