/** `daybook completion`: prints a script that completes commands, options, files and ids of runs in a shell. */
import { Argument, Command } from 'commander';
import { print } from '../text.ts';
import { bashCompletion } from './bash.ts';
import { fishCompletion } from './fish.ts';
import { type CommandNode, treeOf } from './tree.ts';
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

export function completionCommand(loadProgram: () => Promise<Command>): Command {
  return new Command('completion')
    .description('Print the completion script for a shell.')
    .addArgument(new Argument('<shell>', 'bash, zsh or fish').choices(Object.keys(SCRIPTS)))
    .addHelpText('after', HELP)
    .action(async (shell: string) => print(SCRIPTS[shell]!(treeOf(await loadProgram()))));
}
