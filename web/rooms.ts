/** All rooms, and which of them are open: for the view Rooms and for Ctrl-K. */
import { api } from './api.ts';
import { ofCategory, resource } from './resource.ts';

export interface KnownRoom {
  readonly id: string;
  readonly isOpen: boolean;
}

/** `room-2` comes before `room-10`. */
const byName = new Intl.Collator(undefined, { numeric: true });

/** All rooms: a closed one keeps its texts. Open ones come first, then by name. */
export const rooms = resource({
  load: async (): Promise<readonly KnownRoom[]> => {
    const open = new Set(await api.rooms.list());
    const ids = new Set([...open, ...(await api.rooms.list({ query: { all: 'true' } }))]);
    return [...ids]
      .map((id) => ({ id, isOpen: open.has(id) }))
      .sort((one, other) => Number(other.isOpen) - Number(one.isOpen) || byName.compare(one.id, other.id));
  },
  concerns: ofCategory('room'),
});
