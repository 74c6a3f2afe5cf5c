/** `daybook log tail`: the newest events, then every new one, across restarts of the daemon, until Ctrl-C. */
import { clientOf } from '../client.ts';
import { sayInterrupted, untilInterrupted } from '../interrupt.ts';
import { wholeNumber } from '../options.ts';
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
