/** `daybook briefing`: shows the newest briefing, or generates one and waits for it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import type { Briefing } from '../client/client.ts';
import type { Client } from './client.ts';
import { CommandError, UsageError } from './errors.ts';
import { notes } from './help.ts';
import { type AnswerOptions, answerOptions, wholeNumber } from './options.ts';
import { withDaemon, withLog } from './temporary-daemon.ts';
import { paragraph, print, printable, printJson, styled } from './text.ts';

interface BriefingOptions extends AnswerOptions {
  readonly generate?: boolean;
  readonly hours?: string;
}

const HOURS_MAX = 9_999;
const LONG_POLL_MS = 20_000;
/** Between two polls, for a daemon that answers long polls at once. */
const PAUSE_MS = 500;

const HELP = `
  daybook briefing                         show the newest one
  daybook briefing --generate              generate one now, then show it
  daybook briefing --generate --hours 72   the last 72 hours, such as a weekend
`;

export function command(): Command {
  const command = new Command('briefing')
    .description('Read the newest briefing, or make one now.')
    .option('--generate', 'generate one now and wait for it')
    .option('--hours <n>', 'with --generate: hours to cover (default: since the last briefing)')
    .action(briefing);
  return answerOptions(command, 'the briefing with its facts, as JSON').addHelpText('after', notes(HELP));
}

async function briefing(options: BriefingOptions): Promise<void> {
  const { generate } = options;
  if (generate !== true && options.hours !== undefined) throw new UsageError('--hours goes with --generate.');
  const hours =
    options.hours === undefined ? undefined : wholeNumber(options.hours, '--hours', { min: 1, max: HOURS_MAX });
  if (generate === true)
    await withDaemon(options, async (client) => show(client, await generated(client, hours), options));
  else await withLog(options, async (client) => show(client, await newest(client), options));
}

async function show(client: Client, id: string, options: AnswerOptions): Promise<void> {
  const found = await client.api.briefing.get(id);
  if (options.json === true) await printJson(found);
  else if (found.error === null) await print(textOf(found));
  if (found.error !== null) throw new CommandError(`The briefing failed: ${found.error}`);
}

async function newest(client: Client): Promise<string> {
  const { history, running } = await client.api.briefing.list();
  const written = history.find(({ status }) => status === 'written');
  if (written !== undefined) return written.id;
  throw new CommandError(
    running
      ? 'The first briefing is being made; ask again in a moment.'
      : 'There is no briefing yet. Make one with: daybook briefing --generate',
  );
}

async function generated(client: Client, hours: number | undefined): Promise<string> {
  const { id } = await client.api.briefing.generate({ hours });
  for (;;) {
    await client.api.briefing.list({ query: { limit: 0, wait: LONG_POLL_MS } });
    const { status } = await client.api.briefing.get(id);
    if (status !== 'running') return id;
    await sleep(PAUSE_MS);
  }
}

/** The Markdown source with bold headings, then the notes. On a terminal, lines are wrapped. */
function textOf({ markdown, notes }: Briefing): string {
  const lines = printable(markdown ?? '')
    .trimEnd()
    .split('\n')
    .map(lineOf);
  const footer = notes.map((note) => `${styled('dim', paragraph(note).trimEnd())}\n`).join('');
  return `${lines.join('')}${footer === '' ? '' : `\n${footer}`}`;
}

function lineOf(line: string): string {
  if (/^#+ /.test(line)) return `${styled('bold', line)}\n`;
  const [bullet = ''] = /^ *(?:[-*]|\d+\.) /.exec(line) ?? [];
  return `${bullet}${paragraph(line.slice(bullet.length), bullet.length)}`;
}
