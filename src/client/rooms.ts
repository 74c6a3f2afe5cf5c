/** Which rooms there are, by the events that made them: the daemon lists the open ones only. */
import type { Client } from './client.ts';

const EVENTS_PAGE = 5_000;

/** Ids of all rooms, also closed ones, whose texts are kept. */
export async function everyRoom({ log }: Pick<Client, 'log'>): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page: Awaited<ReturnType<typeof log.list>> = await log.list({
      query: { type: 'RoomCreated', after, limit: EVENTS_PAGE },
    });
    ids.push(...page.events.map(({ stream }) => stream.slice(streamOfRoom('').length)));
    after = page.next;
  }
  return ids;
}

export async function hasRoom({ log }: Pick<Client, 'log'>, id: string): Promise<boolean> {
  return (await log.list({ query: { stream: streamOfRoom(id), limit: 1 } })).events.length > 0;
}

export function streamOfRoom(id: string): string {
  return `room-${id}`;
}
