/** `daybook log read` and `tail`: a range of the log, and its newest events. */
import type { LogListAnswer } from '../../client/client.ts';
import { homeOf } from '../../config/load.ts';
import { readDiscovery } from '../../discovery.ts';
import type { Envelope } from '../../events/envelope.ts';
import { type Client, clientOf, createClient } from '../client.ts';
import { sayInterrupted, untilInterrupted } from '../interrupt.ts';
import { wholeNumber } from '../options.ts';
import { print } from '../text.ts';
import { envelopeLine, isSelected, type Selection } from './envelope-line.ts';
import { openLogSource } from './source.ts';

interface ReadOptions extends Selection {
  readonly home?: string;
  readonly after: string;
  readonly limit: string;
  readonly json?: boolean;
}

const PAGE_EVENTS = 5_000;

export async function read(options: ReadOptions): Promise<void> {
  const selection = {
    ...options,
    after: wholeNumber(options.after, '--after'),
    limit: wholeNumber(options.limit, '--limit'),
  };
  const home = homeOf(process.env, options);
  const events =
    readDiscovery(home) === null ? fromDirectory(home, selection) : fromDaemon(createClient(home), selection);
  for await (const envelope of events) await print(envelopeLine(envelope, options.json === true));
}

interface Range extends Selection {
  readonly after: number;
  readonly limit: number;
}

/** The daemon selects the events; pages are read until there are enough or no more. */
async function* fromDaemon(client: Client, { after, limit, stream, type }: Range): AsyncGenerator<Envelope> {
  let from: number | null = after;
  let remaining = limit;
  while (from !== null && remaining > 0) {
    const query = { after: from, limit: Math.min(remaining, PAGE_EVENTS), stream, type };
    const page: LogListAnswer = await client.api.log.list({ query });
    yield* page.events;
    remaining -= page.events.length;
    from = page.next;
  }
}

async function* fromDirectory(home: string, { after, limit, ...selection }: Range): AsyncGenerator<Envelope> {
  await using source = await openLogSource(home);
  let remaining = limit;
  if (remaining === 0) return;
  for await (const envelope of source.events({ after, through: (await source.head()).position })) {
    if (!isSelected(envelope, selection)) continue;
    yield envelope;
    remaining -= 1;
    if (remaining === 0) return;
  }
}

interface TailOptions extends Selection {
  readonly home?: string;
  readonly lines: string;
  readonly json?: boolean;
}

/** The newest events, then every new one, across restarts of the daemon, until Ctrl-C. */
export async function tail(options: TailOptions): Promise<void> {
  const lines = wholeNumber(options.lines, '--lines');
  const client = clientOf(options);
  await untilInterrupted(async (signal) => {
    const head = await client.api.log.head();
    const events = client.follow((api, options) => api.log.events(options), {
      after: String(Math.max(0, head.position - lines)),
      signal,
      interrupted: sayInterrupted,
    });
    for await (const { data: envelope } of events) {
      if (isSelected(envelope, options)) await print(envelopeLine(envelope, options.json === true));
    }
  });
}
