/** The rooms of the daemon, and the one that a beginning of an id names. */
import type { Client } from '../client.ts';
import { pickId } from '../ids.ts';

/** Ids of all rooms, also of closed ones. */
export function everyRoom({ api }: Client): Promise<readonly string[]> {
  return api.rooms.list({ query: { all: 'true' } });
}

/** Throws for an unknown room. Entering it would create it. */
export async function roomIdOf(client: Client, idOrPrefix: string): Promise<string> {
  const choices = (await everyRoom(client)).map((id) => ({ id, names: [id] }));
  return pickId(idOrPrefix, choices, { one: 'room', many: 'rooms', list: 'daybook room list --all' });
}
