/** `daybook completion`: prints a script that completes commands, options, files and ids of runs in a shell. */
import { Argument, Command, Option } from 'commander';
import { UsageError } from '../errors.ts';
import { notes } from '../help.ts';
import { print } from '../text.ts';
import { bashCompletion } from './bash.ts';
import { fishCompletion } from './fish.ts';
import { knownIds } from './ids.ts';
import { type CommandNode, ID_KINDS, type IdKind, treeOf } from './tree.ts';
import { zshCompletion } from './zsh.ts';

const SCRIPTS: Readonly<Record<string, (root: CommandNode) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

const HELP = `
  source <(daybook completion bash)                                    in ~/.bashrc
  source <(daybook completion zsh)                                     in ~/.zshrc, after compinit
  daybook completion fish > ~/.config/fish/completions/daybook.fish
`;

export function command(loadProgram: () => Promise<Command>): Command {
  return (
    new Command('completion')
      .description('Print the completion script for a shell.')
      .addArgument(new Argument('[shell]', 'bash, zsh or fish').choices(Object.keys(SCRIPTS)))
      // Used by the scripts.
      .addOption(new Option('--ids <kind>', 'ids of what the daemon has').choices(ID_KINDS).hideHelp())
      .addOption(new Option('--of <engagement>', 'engagement whose deliverables or gates are meant').hideHelp())
      .addHelpText('after', notes(HELP))
      .action(async (shell: string | undefined, { ids, of = '' }: { readonly ids?: IdKind; readonly of?: string }) => {
        if (ids !== undefined) return print(await knownIds(ids, of));
        if (shell === undefined) throw new UsageError('Name the shell: bash, zsh or fish.');
        await print(SCRIPTS[shell]!(treeOf(await loadProgram())));
      })
  );
}
