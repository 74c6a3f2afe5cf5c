/** `daybook briefing`: the newest briefing in the terminal, or a new one, followed until it is there. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { z } from 'zod';
import { homeOf } from '../config.ts';
import { type Client, createClient } from './client.ts';
import { CommandError, UsageError } from './failures.ts';
import { styled } from './style.ts';
import { print, printable } from './text.ts';

interface BriefingOptions {
  readonly home?: string;
  readonly json?: boolean;
  readonly generate?: boolean;
  readonly hours?: string;
}

/** How long the daemon holds one question about the end of a briefing. */
const WAIT_MS = 20_000;
/** Between questions to a daemon that does not hold them. */
const PAUSE_MS = 500;

const zEntry = z.looseObject({
  id: z.string(),
  status: z.string(),
  markdown: z.string().nullable(),
  notes: z.array(z.string()),
  error: z.string().nullable(),
});
const zDetail = z.looseObject(zEntry.shape);
const zOverview = z.looseObject({ history: z.array(zEntry), running: z.boolean() });

const HELP = `
  daybook briefing                         the newest one
  daybook briefing --generate              make one now, and read it
  daybook briefing --generate --hours 72   over the weekend
`;

export function briefingCommand(): Command {
  const command = new Command('briefing')
    .description('Read the newest briefing, or make one now.')
    .option('--generate', 'make one now and follow it')
    .option('--hours <n>', 'with --generate: covers so many hours instead of all since the one before')
    .option('--json', 'the briefing as the daemon has it, with its facts')
    .option('--home <dir>', 'home of the daemon (default: $DAYBOOK_HOME or ~/.daybook)')
    .addHelpText('after', HELP)
    .action(() => briefing(command.opts()));
  return command;
}

async function briefing(options: BriefingOptions): Promise<void> {
  const client = createClient(homeOf(process.env, options));
  const id = options.generate === true ? await generated(client, options) : await newest(client, options);
  const found = await client.request(`/briefing/${encodeURIComponent(id)}`, { schema: zDetail });
  if (options.json === true) await print(`${JSON.stringify(found)}\n`);
  else if (found.error === null) await print(shown(found));
  if (found.error !== null) throw new CommandError(`The briefing failed: ${found.error}`);
}

async function newest(client: Client, { hours }: BriefingOptions): Promise<string> {
  if (hours !== undefined) throw new UsageError('--hours goes with --generate.');
  const { history, running } = await client.request('/briefing', { schema: zOverview });
  const written = history.find(({ status }) => status === 'written');
  if (written !== undefined) return written.id;
  throw new CommandError(
    running
      ? 'The first briefing is being made; ask again in a moment.'
      : 'There is no briefing yet. Make one with: daybook briefing --generate',
  );
}

async function generated(client: Client, { hours }: BriefingOptions): Promise<string> {
  if (hours !== undefined && !/^[1-9]\d{0,3}$/.test(hours)) {
    throw new UsageError('--hours must be a whole number from 1 to 9999.');
  }
  const { id } = await client.request('/briefing/generate', {
    method: 'POST',
    body: hours === undefined ? {} : { hours: Number(hours) },
    idempotencyKey: randomUUID(),
    schema: z.object({ id: z.string() }),
  });
  for (;;) {
    await client.request(`/briefing?limit=0&wait=${WAIT_MS}`, { schema: zOverview });
    const { status } = await client.request(`/briefing/${encodeURIComponent(id)}`, { schema: zDetail });
    if (status !== 'running') return id;
    await sleep(PAUSE_MS);
  }
}

/** Markdown as it is, headings in bold where that is shown, and the notes below. */
function shown({ markdown, notes }: z.infer<typeof zEntry>): string {
  const lines = printable(markdown ?? '')
    .trimEnd()
    .split('\n')
    .map((line) => (/^#+ /.test(line) ? styled('bold', line) : line));
  const below = notes.map((note) => `${styled('dim', printable(note))}\n`).join('');
  return `${lines.join('\n')}\n${below === '' ? '' : `\n${below}`}`;
}
