/** The events of one run, live or recorded, from the event log of the daemon. */
import type { LogListAnswer } from '../../client/client.ts';
import { decodeEvents } from '../../events/decode.ts';
import { zEnvelope } from '../../events/envelope.ts';
import { runEvents as eventTable, type RunEvent } from '../../events/run/events.ts';
import type { Client } from '../client.ts';

const PAGE_EVENTS = 5_000;

export async function headPosition(client: Client): Promise<number> {
  return (await client.api.log.head()).position;
}

/** Live events after a position, until the signal aborts. */
export async function* runEvents(
  client: Client,
  { session, after, signal }: { readonly session: string; readonly after: number; readonly signal: AbortSignal },
): AsyncGenerator<RunEvent> {
  const stream = `run-${session}`;
  const events = client.follow((api, options) => api.log.events({ ...options, after, stream }), { signal });
  for await (const { data } of events) yield* decodeEvents(eventTable, [zEnvelope.parse(data)]);
}

/** All recorded events of a run. */
export async function* recordedEvents(client: Client, session: string): AsyncGenerator<RunEvent> {
  let after: number | null = 0;
  while (after !== null) {
    const query = { stream: `run-${session}`, after, limit: PAGE_EVENTS };
    const page: LogListAnswer = await client.api.log.list({ query });
    yield* decodeEvents(eventTable, page.events);
    after = page.next;
  }
}
