/** `daybook log tail`: the newest events, then every new one, across restarts of the daemon, until Ctrl-C. */
import type { Envelope } from '../../events/envelope.ts';
import { clientOf } from '../client.ts';
import { wholeNumber } from '../options.ts';
import { zLogHead } from '../schemas.ts';
import { print } from '../text.ts';
import { envelopeLine, isSelected, type Selection } from './envelope-line.ts';

interface TailOptions extends Selection {
  readonly home?: string;
  readonly lines: string;
  readonly json?: boolean;
}

export async function tail(options: TailOptions): Promise<void> {
  const lines = wholeNumber(options.lines, '--lines');
  const client = clientOf(options);
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const head = await client.request('/v1/log/head', { schema: zLogHead });
  const events = client.follow('/v1/events/stream', {
    after: String(Math.max(0, head.position - lines)),
    signal: stop.signal,
    isOver: () => Promise.resolve(false),
    interrupted: (reason) => process.stderr.write(`daybook: connection lost (${reason}); connecting again\n`),
  });
  for await (const { data } of events) {
    const envelope = JSON.parse(data) as Envelope;
    if (isSelected(envelope, options)) await print(envelopeLine(envelope, options.json === true));
  }
}
