/**
 * `daybook open`: opens the console in a browser, already paired. The URL has a pairing offer in its fragment, which
 * browsers do not send; the page redeems the offer once and removes it from the URL.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Command } from 'commander';
import { clientOf, requireDaemon } from './client.ts';
import { CommandError } from './errors.ts';
import { notes } from './help.ts';
import { type AnswerOptions, answerOptions } from './options.ts';
import { print, printJson } from './text.ts';

interface OpenOptions extends AnswerOptions {
  readonly print?: boolean;
}

const HELP = `
The address allows one pairing within five minutes. From another machine the daemon also asks for the code that it shows
on its terminal.

  daybook open
  daybook open --print
  daybook open --print --json
`;

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};
const OPENER_DEFAULT = ['xdg-open'];
/** How long an opener may take to report that it found no browser. */
const OPENER_MS_MAX = 2_000;

export function command(): Command {
  const command = new Command('open')
    .description('Open the console in a browser, already paired.')
    .option('--print', 'print the address and start no browser')
    .action(open);
  return answerOptions(command, 'the address, and whether a browser was started, as JSON').addHelpText(
    'after',
    notes(HELP),
  );
}

async function open(options: OpenOptions): Promise<void> {
  const client = clientOf(options);
  const { token } = await client.api.pairing.offer();
  const { url } = requireDaemon(client.home);
  const address = `${url}/web#pair=${token}`;
  const isStarted = options.print !== true;
  if (isStarted) await startBrowser(address);
  if (options.json === true) return printJson({ url: address, browser_started: isStarted });
  await print(isStarted ? `The console is opening in your browser: ${url}/web\n` : `${address}\n`);
}

async function startBrowser(address: string): Promise<void> {
  const [program, ...words] = OPENERS[process.platform] ?? OPENER_DEFAULT;
  const child = spawn(program!, [...words, address], { detached: true, stdio: 'ignore' });
  const ended = once(child, 'exit', { signal: AbortSignal.timeout(OPENER_MS_MAX) }).then(
    ([code]) => code === 0,
    // Without an exit it is the browser itself.
    (error: Error) => error.name === 'AbortError',
  );
  if (!(await ended)) {
    throw new CommandError(`No browser could be started with ${program}. Open the address of: daybook open --print`);
  }
  child.unref();
}
