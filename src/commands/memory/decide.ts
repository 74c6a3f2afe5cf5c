/**
 * The decider of one memory: it is stored, pinned, linked and finally removed for good. A removed id may be stored
 * again (an import brings it back).
 */
import { type Keeping, type MemoryBody, type MemoryEvent, memoryEvents } from '../../events/memory/events.ts';
import type { Decider, Decision } from '../decider.ts';
import { Refusal } from '../refusal.ts';

interface Link {
  readonly dst_id: string;
  readonly weight: number;
}

interface Tunnel extends Link {
  /**
   * The weight of the existing tunnel, or null. It is read from the views, because the tunnel disappears with the
   * memory at its other end; callers run in an exclusive section, so it cannot change meanwhile.
   */
  readonly existingWeight: number | null;
}

export type MemoryCommand =
  /** Decides no event when the id is already stored. */
  | { readonly type: 'KeepMemory'; readonly how: Keeping; readonly body: MemoryBody }
  | {
      readonly type: 'SealMemory';
      readonly body: MemoryBody;
      readonly made_by: Keeping;
      readonly positions: readonly number[];
    }
  | { readonly type: 'PinMemory' }
  | { readonly type: 'UnpinMemory' }
  | { readonly type: 'LayWaypoints'; readonly links: readonly Link[] }
  | { readonly type: 'DigTunnels'; readonly tunnels: readonly Tunnel[]; readonly automatic: boolean }
  /** Decides no event when the memory is pinned. */
  | { readonly type: 'DecayMemory'; readonly effective_salience: number; readonly positions: readonly number[] }
  | { readonly type: 'AbsorbMemory'; readonly into: string; readonly positions: readonly number[] }
  | { readonly type: 'DeleteMemory'; readonly positions: readonly number[] };

export type MemoryState =
  | { readonly life: 'absent' }
  | {
      readonly life: 'kept';
      readonly pinned: boolean;
      readonly sealed: boolean;
    };

/** The message for an unknown id. */
export const MEMORY_NOT_FOUND = 'memory not found';

const ABSENT: MemoryState = { life: 'absent' };

export const memory: Decider<MemoryCommand, MemoryState, MemoryEvent> = {
  category: 'memory',
  events: memoryEvents,
  initial: ABSENT,
  decide(command, state) {
    if (command.type === 'KeepMemory') {
      return state.life === 'kept' ? [] : [{ type: command.how, data: command.body }];
    }
    if (state.life === 'absent') return new Refusal('not_found', MEMORY_NOT_FOUND);
    return decideKept(command, state);
  },
  evolve(state, event) {
    switch (event.type) {
      case 'MemoryAdded':
      case 'MemoryImported':
      case 'MemoriesMerged':
      case 'ReflectionFormed':
        return { life: 'kept', pinned: event.data.pinned, sealed: event.data.sealed !== null };
      case 'MemorySealed':
        return { life: 'kept', pinned: event.data.pinned, sealed: true };
      case 'MemoryPinned':
        return state.life === 'kept' ? { ...state, pinned: true } : state;
      case 'MemoryUnpinned':
        return state.life === 'kept' ? { ...state, pinned: false } : state;
      case 'TunnelDug':
      case 'WaypointsLaid':
        return state;
      case 'MemoryDecayed':
      case 'MemoryAbsorbed':
      case 'MemoryDeleted':
        return ABSENT;
    }
  },
};

function decideKept(
  command: Exclude<MemoryCommand, { type: 'KeepMemory' }>,
  state: Extract<MemoryState, { life: 'kept' }>,
): Decision<MemoryEvent> {
  switch (command.type) {
    case 'SealMemory': {
      if (state.sealed) return [];
      const { body, made_by, positions } = command;
      return [{ type: 'MemorySealed', data: { ...body, made_by, positions: [...positions] } }];
    }
    case 'PinMemory':
      return state.pinned ? [] : [{ type: 'MemoryPinned', data: {} }];
    case 'UnpinMemory':
      return state.pinned ? [{ type: 'MemoryUnpinned', data: {} }] : [];
    case 'LayWaypoints':
      return command.links.length === 0 ? [] : [{ type: 'WaypointsLaid', data: { links: [...command.links] } }];
    case 'DigTunnels': {
      const { tunnels, automatic } = command;
      return tunnels
        .filter(({ weight, existingWeight }) => weight !== existingWeight)
        .map(({ dst_id, weight }) => ({ type: 'TunnelDug', data: { dst_id, weight, automatic } }) as const);
    }
    case 'DecayMemory': {
      if (state.pinned) return [];
      const { effective_salience, positions } = command;
      return [{ type: 'MemoryDecayed', data: { effective_salience, positions: [...positions] } }];
    }
    case 'AbsorbMemory': {
      if (state.pinned) return [];
      return [{ type: 'MemoryAbsorbed', data: { into: command.into, positions: [...command.positions] } }];
    }
    case 'DeleteMemory':
      return [{ type: 'MemoryDeleted', data: { positions: [...command.positions] } }];
  }
}
