/** Completion for fish 3 and newer. */
import { allCommands, type CommandNode, isIdKind, type Value, valueOptions } from './tree.ts';

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
function __daybook_arguments
    set -l path daybook
    set -l previous
    set -l found
    for word in (commandline -opc)[2..-1]
        if contains -- "$path $word" ${known.join(' ')}
            set path "$path $word"
            set found
        else if not contains -- "$path:$previous" ${valueOptions(nodes).map(quote).join(' ')}
            and not string match -q -- '-*' $word
            set -a found $word
        end
        set previous $word
    end
    for word in $found
        echo -- $word
    end
end
function __daybook_place
    __daybook_at $argv[1]
    and test (count (__daybook_arguments)) = $argv[2]
end
function __daybook_ids
    set -l before (__daybook_arguments)
    daybook completion --ids $argv[1] --of "$before[1]" 2>/dev/null
end
complete -c daybook -f
${nodes.flatMap(linesOf).join('\n')}
`;
}

function linesOf({ path, commands, options, arguments: places }: CommandNode): readonly string[] {
  const here = `complete -c daybook -n ${quote(`__daybook_at ${quote(path.join(' '))}`)}`;
  const subcommands = commands.map((child) => `${here} -a ${quote(child.path.at(-1)!)} -d ${quote(child.summary)}`);
  const flags = options.map(({ long, short, description, value }) => {
    const names = `-l ${long.slice(2)}${short === undefined ? '' : ` -s ${short.slice(1)}`}`;
    return `${here} ${names} -d ${quote(description)}${value === undefined ? '' : ` -r ${wordsOf(value)}`}`;
  });
  const values = places
    .map((argument, at) => ({ words: wordsOf(argument), condition: `__daybook_place ${quote(path.join(' '))} ${at}` }))
    .filter(({ words }) => words !== '')
    .map(({ words, condition }) => `complete -c daybook -n ${quote(condition)} ${words}`);
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
