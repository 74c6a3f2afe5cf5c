/** All rooms, and which of them are open: for the view Rooms and for Ctrl-K. */
import { api } from './api.ts';
import { ofCategory, resource } from './resource.ts';

const EVENTS_PAGE = 5_000;

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
    const ids = new Set([...open, ...(await created())]);
    return [...ids]
      .map((id) => ({ id, isOpen: open.has(id) }))
      .sort((one, other) => Number(other.isOpen) - Number(one.isOpen) || byName.compare(one.id, other.id));
  },
  concerns: ofCategory('room'),
});

async function created(): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page: Awaited<ReturnType<typeof api.log.list>> = await api.log.list({
      query: { type: 'RoomCreated', after, limit: EVENTS_PAGE },
    });
    ids.push(...page.events.map(({ stream }) => stream.slice('room-'.length)));
    after = page.next;
  }
  return ids;
}
