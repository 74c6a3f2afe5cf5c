/** Completion for fish 3 and newer. */
import { allCommands, type CommandNode, isIdKind, type Value } from './tree.ts';

export function fishCompletion(root: CommandNode): string {
  const nodes = allCommands(root);
  const known = nodes.slice(1).map(({ path }) => quote(path.join(' ')));
  return `# fish completion for daybook. Load it with: daybook completion fish | source
function __daybook_path
    set -l path daybook
    for word in (commandline -opc)[2..-1]
        contains -- "$path $word" ${known.join(' ')}
        and set path "$path $word"
    end
    echo $path
end
function __daybook_at
    test (__daybook_path) = "$argv[1]"
end
function __daybook_ids
    daybook completion --ids $argv[1] 2>/dev/null
end
complete -c daybook -f
${nodes.flatMap(linesOf).join('\n')}
`;
}

function linesOf({ path, commands, options, arguments: [argument] }: CommandNode): readonly string[] {
  const here = `complete -c daybook -n ${quote(`__daybook_at ${quote(path.join(' '))}`)}`;
  const subcommands = commands.map((child) => `${here} -a ${quote(child.path.at(-1)!)} -d ${quote(child.summary)}`);
  const flags = options.map(({ long, short, description, value }) => {
    const names = `-l ${long.slice(2)}${short === undefined ? '' : ` -s ${short.slice(1)}`}`;
    return `${here} ${names} -d ${quote(description)}${value === undefined ? '' : ` -r ${wordsOf(value)}`}`;
  });
  const values = argument === undefined || wordsOf(argument) === '' ? [] : [`${here} ${wordsOf(argument)}`];
  return [...subcommands, ...values, ...flags];
}

function wordsOf({ kind, choices }: Pick<Value, 'kind' | 'choices'>): string {
  if (choices.length > 0) return `-a ${quote(choices.join(' '))}`;
  if (isIdKind(kind)) return `-a '(__daybook_ids ${kind})'`;
  if (kind === 'folder') return "-a '(__fish_complete_directories)'";
  return kind === 'file' ? '-F' : '';
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
