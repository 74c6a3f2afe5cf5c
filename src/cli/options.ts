/** Parsing and checks of command-line options that several commands share. */
import type { Command } from 'commander';
import { closest } from '../lib/closest.ts';
import { UsageError } from './errors.ts';

interface Range {
  readonly min?: number;
  readonly max?: number;
}

/** A whole number. Throws `UsageError` with the name of the option. */
export function wholeNumber(text: string, option: string, { min = 0, max }: Range = {}): number {
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= (max ?? number)) return number;
  throw new UsageError(`${option} must be a whole number from ${min}${max === undefined ? '' : ` to ${max}`}.`);
}

/** Adds a command below another one. */
export function subcommand(parent: Command, name: string, description: string): Command {
  return parent.command(name).description(description);
}

export interface ModelOptions {
  readonly provider?: string;
  readonly model?: string;
}

/** Adds `--provider` and `--model`. */
export function modelOptions(command: Command): Command {
  return command
    .option('--provider <id>', 'model provider; together with --model')
    .option('--model <id>', 'model; together with --provider');
}

/** Throws `UsageError` when only one of provider and model is set. */
export function requireModelPair({ provider, model }: ModelOptions): void {
  if ((provider === undefined) !== (model === undefined)) {
    throw new UsageError('--provider and --model go together: give both or none.');
  }
}

/** The daemon answers with its own model when it cannot use the requested one. Warns the user about that. */
export function warnAboutModel({ provider, model }: ModelOptions, isUsed: boolean): void {
  if (provider === undefined || isUsed) return;
  process.stderr.write(
    `daybook: the daemon cannot ask ${provider}/${model}; its own model answers instead. See daybook doctor.\n`,
  );
}

/** Options of every command that shows an answer of the daemon. */
export interface AnswerOptions {
  readonly home?: string;
  readonly json?: boolean;
}

/** Adds `--home`. A group takes it from anywhere on the command line, and passes it on to the subcommand that is called. */
export function homeOption(
  command: Command,
  words = 'home of the daemon (default: $DAYBOOK_HOME or ~/.daybook)',
): Command {
  return command.option('--home <dir>', words).hook('preAction', (own, called) => {
    const { home } = own.opts();
    if (home !== undefined) called.setOptionValue('home', home);
  });
}

/**
 * Adds the options to a command and its subcommands. They may be anywhere on the command line.
 *
 * @param json What `--json` prints, of a command that has no `--json` of its own.
 */
export function answerOptions(command: Command, json = 'the answer of the daemon as JSON'): Command {
  for (const child of command.commands) answerOptions(child, json);
  if (!command.options.some(({ long }) => long === '--json')) command.option('--json', json);
  return homeOption(command).hook('preAction', (own, called) => {
    for (const [name, value] of Object.entries(own.opts())) called.setOptionValue(name, value);
  });
}

/** Parser of an option that may be repeated. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** The action of a command that also runs without a subcommand: an argument is reported as an unknown subcommand. */
export function withoutSubcommand<Options>(action: (options: Options, command: Command) => Promise<void>) {
  return (options: Options, command: Command): Promise<void> => {
    rejectArguments(command);
    return action(options, command);
  };
}

function rejectArguments(command: Command): void {
  const [word] = command.args;
  if (word === undefined) return;
  const meant = closest(
    word,
    command.commands.map((child) => child.name()),
  );
  command.error(`unknown command '${word}'${meant === undefined ? '' : `\n(Did you mean ${meant}?)`}`);
}
