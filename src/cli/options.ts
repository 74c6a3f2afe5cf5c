/** Parsing and checks of command-line options that several commands share. */
import type { Command } from 'commander';
import { closest } from '../lib/closest.ts';
import { UsageError } from './errors.ts';

/** A whole number from 0. Throws `UsageError` with the name of the option. */
export function wholeNumber(text: string, option: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new UsageError(`${option} must be a whole number from 0.`);
  return Number(text);
}

/** A whole number from 1. Throws `UsageError` with the name of the option. */
export function positiveNumber(text: string, option: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError(`${option} must be a whole number from 1.`);
  return Number(text);
}

/** A model is chosen by its provider and its name together. */
export function requireModelPair({ provider, model }: { readonly provider?: string; readonly model?: string }): void {
  if ((provider === undefined) !== (model === undefined)) {
    throw new UsageError('--provider and --model go together: give both or none.');
  }
}

/** Options of every command that shows what a daemon answers. */
export interface AnswerOptions {
  readonly home?: string;
  readonly json?: boolean;
}

/** Adds them to a command and to all below it. They count wherever they stand on the command line. */
export function answerOptions(command: Command): Command {
  for (const child of command.commands) answerOptions(child);
  return command
    .option('--json', 'the answer of the daemon as it is')
    .option('--home <dir>', 'home of the daemon (default: $DAYBOOK_HOME or ~/.daybook)')
    .hook('preAction', (own, called) => {
      for (const [name, value] of Object.entries(own.opts())) called.setOptionValue(name, value);
    });
}

/** For an option that is given several times. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

type Given<Fields> = {
  [Name in keyof Fields as undefined extends Fields[Name] ? never : Name]: Fields[Name];
} & {
  [Name in keyof Fields as undefined extends Fields[Name] ? Name : never]?: Exclude<Fields[Name], undefined>;
};

/** The fields without those of options that were not given. */
export function onlyGiven<Fields extends object>(fields: Fields): Given<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<Fields>;
}

/** For a command that acts without a subcommand: any other word is an unknown one. */
export function rejectArguments(command: Command): void {
  const [word] = command.args;
  if (word === undefined) return;
  const meant = closest(
    word,
    command.commands.map((child) => child.name()),
  );
  command.error(`unknown command '${word}'${meant === undefined ? '' : `\n(Did you mean ${meant}?)`}`);
}
