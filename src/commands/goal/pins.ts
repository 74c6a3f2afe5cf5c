/**
 * The decider of pins, stream `goal_pins-all`: one slot for each workspace and a global one, each with at most one
 * goal.
 */
import { type GoalPinEvent, goalPinEvents } from '../../events/goal.ts';
import type { Decider } from '../decider.ts';
import { Refusal } from '../refusal.ts';

/** `aliases` are other paths of the same folder: their slots are emptied, too. */
interface Slot {
  readonly workspace: string | null;
  readonly aliases?: readonly string[];
}

export type GoalPinCommand =
  /** Replaces the goal that the slot held. */
  | (Slot & { readonly type: 'PinGoal'; readonly goal_id: string })
  | (Slot & { readonly type: 'EmptySlot' })
  /** Removes the goal from every slot. */
  | { readonly type: 'UnpinGoal'; readonly goal_id: string };

/** Goal by slot. */
export type GoalPins = ReadonlyMap<string | null, string>;

export const PINS_STREAM_ID = 'all';
export const PIN_SLOTS_MAX = 10_000;

export const goalPins: Decider<GoalPinCommand, GoalPins, GoalPinEvent> = {
  category: 'goal_pins',
  events: goalPinEvents,
  initial: new Map(),
  decide(command, pins) {
    switch (command.type) {
      case 'PinGoal': {
        const { workspace, goal_id, aliases = [] } = command;
        const emptied = emptySlots(pins, aliases);
        if (pins.get(workspace) === goal_id) return emptied;
        if (pins.size - emptied.length >= PIN_SLOTS_MAX && !pins.has(workspace)) {
          return new Refusal('conflict', `${PIN_SLOTS_MAX} workspaces have a pinned goal already; unpin one first.`);
        }
        return [...emptied, { type: 'GoalPinned', data: { workspace, goal_id } }];
      }
      case 'EmptySlot':
        return emptySlots(pins, [command.workspace, ...(command.aliases ?? [])]);
      case 'UnpinGoal':
        return [...pins].flatMap(([workspace, goal_id]) =>
          goal_id === command.goal_id ? [{ type: 'GoalUnpinned', data: { workspace, goal_id } } as const] : [],
        );
    }
  },
  evolve(pins, event) {
    const next = new Map(pins);
    switch (event.type) {
      case 'GoalPinned':
        return next.set(event.data.workspace, event.data.goal_id);
      case 'GoalUnpinned':
        next.delete(event.data.workspace);
        return next;
    }
  },
};

function emptySlots(pins: GoalPins, workspaces: readonly (string | null)[]): readonly GoalPinEvent[] {
  return workspaces.flatMap((workspace) => {
    const goal_id = pins.get(workspace);
    return goal_id === undefined ? [] : [{ type: 'GoalUnpinned', data: { workspace, goal_id } } as const];
  });
}
