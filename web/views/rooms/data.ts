/** The data of the view: all rooms, which of them are open, and whether the log accepts writes. */
import { signal } from '@preact/signals';
import { api } from '../../api.ts';
import { ofCategory, resource } from '../../resource.ts';

const EVENTS_PAGE = 5_000;
const NAME_KEY = 'daybook.name';
const NAME_DEFAULT = 'Anonymous';
export const NAME_CHARACTERS_MAX = 64;

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

/** The name of this user that other peers of a room see; kept in this browser. */
export const personName = signal(localStorage.getItem(NAME_KEY) ?? NAME_DEFAULT);

export function rename(name: string): void {
  personName.value = name.slice(0, NAME_CHARACTERS_MAX) || NAME_DEFAULT;
  localStorage.setItem(NAME_KEY, personName.value);
}
