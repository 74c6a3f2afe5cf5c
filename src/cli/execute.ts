/**
 * Runs one command of the program.
 *
 * - Exit codes: 0 done, 1 not done, 2 bad usage; commands that follow a run add 3 (partial) and 4 (cancelled).
 * - Every failure is one sentence on stderr, without control characters: it may quote names and files of others.
 */
import type { Command } from 'commander';
import { closest } from '../lib/closest.ts';
import { fitHelp } from './help.ts';
import { ignoringHangUp } from './interrupt.ts';
import { printable } from './text.ts';

/** Loads a command and runs it with its arguments. */
export async function execute(load: () => Promise<Command>, words: readonly string[]): Promise<void> {
  using _ = ignoringHangUp();
  handleOutputErrors();
  try {
    const command = await load();
    configureErrors(command);
    command.hook('preAction', (_, called) => refuseEmptyPaths(called));
    // With `--help` after an unknown command, commander would print the help and exit with 0.
    const args = isUnknownIn(command, words[0]) ? words.slice(0, 1) : words;
    await command.parseAsync(args, { from: 'user' });
  } catch (error) {
    process.exitCode = exitCodeOf(error);
  }
}

/** Whether the first argument of a command with subcommands is an unknown subcommand. */
function isUnknownIn({ commands }: Command, word = '-'): boolean {
  const known = ['help', ...commands.map((command) => command.name())];
  return commands.length > 0 && !word.startsWith('-') && !known.includes(word);
}

/** Usage errors are thrown, each as one sentence that names the help; the help fits the terminal. */
function configureErrors(command: Command, path = command.name()): void {
  command.exitOverride();
  fitHelp(command);
  // Without this, a command that also runs without a subcommand has no `help`.
  if (command.commands.length > 0) command.helpCommand(true);
  // A command inherits the setting of its parent, which reports excess arguments as unknown subcommands.
  if (command.commands.length === 0 && command.parent !== null) command.allowExcessArguments(false);
  command.configureOutput({
    outputError: (text, write) => {
      const sentence = withSuggestion(
        printable(text)
          .replace(/^error: /, '')
          .trim()
          .replaceAll('\n', ' '),
      );
      write(`${path}: ${sentence.replace(/[.)]?$/, (end) => (end === ')' ? ').' : '.'))} See ${path} --help.\n`);
    },
  });
  for (const child of command.commands) configureErrors(child, `${path} ${child.name()}`);
}

const PATHS = /[<[](?:dir|file|path|prefix)[>\]]/;

/** An empty path, as of an unset variable of a script, would be the current folder. */
function refuseEmptyPaths(called: Command): void {
  const given = called.registeredArguments.map((argument, at) => [`<${argument.name()}>`, called.args[at]]);
  for (let command: Command | null = called; command !== null; command = command.parent) {
    const values = command.opts();
    given.push(...command.options.map((option) => [option.flags, values[option.attributeName()]]));
  }
  const [empty] = given.find(([flags, value]) => value === '' && PATHS.test(flags!)) ?? [];
  if (empty !== undefined) called.error(`'${empty}' must not be empty`);
}

/** Adds the closest choice to commander's message about an invalid choice. */
function withSuggestion(sentence: string): string {
  const [, value = '', choices = ''] = /'([^']*)' is invalid.*Allowed choices are (.*)\.$/.exec(sentence) ?? [];
  const meant = closest(value, choices.split(', '));
  return meant === undefined ? sentence : `${sentence} (Did you mean ${meant}?)`;
}

/** 0 for help, 2 for bad usage, that of the signal for `Interrupted`, 1 for anything else. */
function exitCodeOf(thrown: unknown): number {
  const error = causeOf(thrown);
  const { code, exitCode = 1, name, message } = error as Error & { code?: string; exitCode?: number };
  if (name === 'Interrupted') return exitCode;
  if (code?.startsWith('commander.') === true) return exitCode === 0 ? 0 : 2;
  process.stderr.write(`daybook: ${printable(message ?? String(error))}\n`);
  return name === 'ConfigError' || name === 'UsageError' || code === 'STORAGE_CONFIG' ? 2 : 1;
}

/** When a store could not be closed after a failure either, the first failure. */
function causeOf(error: unknown): unknown {
  return error instanceof SuppressedError ? causeOf(error.suppressed) : error;
}

/**
 * A reader that closes standard output, as in `daybook log export | head`, is no failure, but a check that failed still
 * is; any other write error is one. Errors on standard error are ignored: a daemon may outlive the reader of its
 * messages.
 */
function handleOutputErrors(): void {
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') process.exit(process.exitCode ?? 0);
    process.stderr.write(`daybook: Standard output cannot be written: ${message}\n`);
    process.exit(1);
  });
}
