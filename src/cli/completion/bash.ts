/** Completion for bash 4 and newer. */
import { allCommands, type CommandNode, ID_KINDS, type OptionNode, type Value } from './tree.ts';

export function bashCompletion(root: CommandNode): string {
  const nodes = allCommands(root);
  const children = nodes.slice(1).map(({ path }) => quote(path.join(' ')));
  return `# bash completion for daybook. Load it with: source <(daybook completion bash)
_daybook() {
  local cur=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} path=daybook kind= words= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path \${COMP_WORDS[i]}" in
      ${children.join(' | ')}) path="$path \${COMP_WORDS[i]}" ;;
    esac
  done
  case "$path:$previous" in
${nodes.flatMap((node) => node.options.flatMap((option) => valueCase(node, option))).join('\n')}
    *)
      case "$path" in
${nodes.map(commandCase).join('\n')}
      esac
      [[ $cur == -* ]] || words=\${words//--*/}
      ;;
  esac
  case "$kind" in
    ${ID_KINDS.join(' | ')}) words+=" $(daybook completion --ids "$kind" 2>/dev/null | cut -f1)" ;;
    file) mapfile -t COMPREPLY < <(compgen -f -- "$cur") && return ;;
    folder) mapfile -t COMPREPLY < <(compgen -d -- "$cur") && return ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}
complete -o filenames -F _daybook daybook
`;
}

/** After an option with a value comes the value alone. */
function valueCase({ path }: CommandNode, { long, short, value }: OptionNode): readonly string[] {
  if (value === undefined) return [];
  const names = [long, ...(short === undefined ? [] : [short])];
  return [`    ${names.map((name) => quote(`${path.join(' ')}:${name}`)).join(' | ')}) ${assign(value, [])} ;;`];
}

/** Subcommands and the first argument's values stand before the options. */
function commandCase({ path, commands, options, arguments: [argument] }: CommandNode): string {
  const names = commands.map((child) => child.path.at(-1)!);
  const value = argument ?? { kind: 'text', choices: [] };
  return `        ${quote(path.join(' '))}) ${assign(value, [...names, ...value.choices], options)} ;;`;
}

function assign(
  { kind, choices }: Pick<Value, 'kind' | 'choices'>,
  words: readonly string[],
  options: readonly OptionNode[] = [],
): string {
  const all = [...new Set([...words, ...choices]), ...options.map(({ long }) => long)];
  return `kind=${kind} words=${quote(all.join(' '))}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
