/**
 * The decider of the texts of one source: the same text is stored once, even if its drawers share words with others.
 */
import { type ChunkedText, type DrawerEvent, drawerEvents, type Place } from '../../events/memory/drawers.ts';
import type { Decider } from '../decider.ts';

export type DrawerCommand =
  | {
      readonly type: 'ChunkText';
      readonly text_id: string;
      readonly text_key: string;
      readonly places: readonly Place[];
      /** The rest of a long text: counted now, and stored by `ContinueText`. */
      readonly later?: readonly Place[];
      /** Whether the views have the same text under this source. Callers run one at a time, so this cannot change. */
      readonly repeated: boolean;
    }
  | {
      /** The next places of a text whose storing has begun. */
      readonly type: 'ContinueText';
      readonly places: readonly Place[];
    }
  | {
      readonly type: 'SealText';
      readonly text: ChunkedText & { readonly repeated: number };
      readonly places: readonly (Place & { readonly created_at: number; readonly position: number })[];
      /** Positions of the plain events on the former stream. */
      readonly positions: readonly number[];
    }
  | {
      readonly type: 'DeleteDrawer';
      readonly id: string;
      /** Ids of the texts with a place that has its words. */
      readonly text_ids: readonly string[];
      readonly positions: readonly number[];
    };

const storedEvent = (place: Place) => ({ type: 'DrawerStored', data: place }) as const;

/** Ids of the deleted drawers. */
type DrawerState = readonly string[];

export const drawer: Decider<DrawerCommand, DrawerState, DrawerEvent> = {
  category: 'drawer',
  events: drawerEvents,
  initial: [],
  decide(command, state) {
    switch (command.type) {
      case 'ChunkText': {
        const { text_id, text_key, places, later = [] } = command;
        const all = [...places, ...later];
        const count = (kind: Place['kind']): number => all.filter((place) => place.kind === kind).length;
        const chunks = all.length - count('blank');
        if (command.repeated) return [{ type: 'TextRepeated', data: { text_key, chunks } }];
        const counts = { created: count('new'), exact: count('exact'), near: count('near'), blank: count('blank') };
        return [
          { type: 'TextChunked', data: { text_id, text_key, chunks: all.length, ...counts } },
          ...places.map(storedEvent),
        ];
      }
      case 'ContinueText':
        return command.places.map(storedEvent);
      case 'SealText': {
        const { text, places, positions } = command;
        return [
          { type: 'TextSealed', data: { ...text, positions: [...positions] } },
          ...places.map((place) => ({ type: 'DrawerSealed', data: place }) as const),
        ];
      }
      case 'DeleteDrawer': {
        if (state.includes(command.id)) return [];
        const { id, text_ids, positions } = command;
        return [{ type: 'DrawerDeleted', data: { id, text_ids: [...text_ids], positions: [...positions] } }];
      }
    }
  },
  evolve(state, event) {
    switch (event.type) {
      case 'DrawerDeleted':
        return [...state, event.data.id];
      case 'TextChunked':
      case 'TextSealed':
      case 'TextRepeated':
      case 'DrawerStored':
      case 'DrawerSealed':
        return state;
    }
  },
};
