/** Parsing and checks of command-line options that several commands share. */
import type { Command } from 'commander';
import { UsageError } from './errors.ts';

/** A whole number from 0. Throws `UsageError` with the name of the option. */
export function wholeNumber(text: string, option: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new UsageError(`${option} must be a whole number from 0.`);
  return Number(text);
}

/** A model is chosen by its provider and its name together. */
export function requireModelPair({ provider, model }: { readonly provider?: string; readonly model?: string }): void {
  if ((provider === undefined) !== (model === undefined)) {
    throw new UsageError('--provider and --model go together: give both or none.');
  }
}

/** For a command that acts without a subcommand: any other word is an unknown one. */
export function rejectArguments(command: Command): void {
  if (command.args[0] !== undefined) command.error(`unknown command '${command.args[0]}'`);
}
