/** `daybook log read`: a stretch of the log. */
import { z } from 'zod';
import { homeOf } from '../../config.ts';
import { readDiscovery } from '../../discovery.ts';
import { type Envelope, zEnvelope } from '../../events/envelope.ts';
import { type Client, createClient } from '../client.ts';
import { whole } from '../numbers.ts';
import { print } from '../text.ts';
import { envelopeLine, isSelected, type Selection } from './show.ts';
import { openLogSource } from './source.ts';

interface ReadOptions extends Selection {
  readonly home?: string;
  readonly after: string;
  readonly limit: string;
  readonly json?: boolean;
}

/** Events a page holds at most; the daemon's own limit. */
const PAGE_EVENTS = 5_000;

export async function read(options: ReadOptions): Promise<void> {
  const wanted = { ...options, after: whole(options.after, '--after'), limit: whole(options.limit, '--limit') };
  const home = homeOf(process.env, options);
  const events = readDiscovery(home) === null ? fromDirectory(home, wanted) : fromDaemon(createClient(home), wanted);
  for await (const envelope of events) await print(envelopeLine(envelope, options.json === true));
}

interface Wanted extends Selection {
  readonly after: number;
  readonly limit: number;
}

const zPage = z.object({ events: z.array(zEnvelope), next: z.int().nullable(), head: z.int() });

/** The daemon chooses; pages follow one another until there are enough events or no more. */
async function* fromDaemon(client: Client, { after, limit, stream, type }: Wanted): AsyncGenerator<Envelope> {
  let from: number | null = after;
  let left = limit;
  while (from !== null && left > 0) {
    const query = new URLSearchParams({ after: String(from), limit: String(Math.min(left, PAGE_EVENTS)) });
    if (stream !== undefined) query.set('stream', stream);
    if (type !== undefined) query.set('type', type);
    const page: z.infer<typeof zPage> = await client.request(`/v1/events?${query}`, { schema: zPage });
    yield* page.events;
    left -= page.events.length;
    from = page.next;
  }
}

async function* fromDirectory(home: string, { after, limit, ...selection }: Wanted): AsyncGenerator<Envelope> {
  const source = await openLogSource(home);
  try {
    let left = limit;
    if (left === 0) return;
    for await (const envelope of source.events({ after, through: (await source.head()).position })) {
      if (!isSelected(envelope, selection)) continue;
      yield envelope;
      left -= 1;
      if (left === 0) return;
    }
  } finally {
    await source.close();
  }
}
