/** Completion for bash 4 and newer. */
import { shellWord } from '../../lib/shell-word.ts';
import { allCommands, type CommandNode, ID_KINDS, type OptionNode, type Value, valueOptions } from './tree.ts';

export function bashCompletion(root: CommandNode): string {
  const nodes = allCommands(root);
  const children = nodes.slice(1).map(({ path }) => shellWord(path.join(' ')));
  return `# bash completion for daybook. Load it with: source <(daybook completion bash)
_daybook() {
  local cur=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} path=daybook kind= words= first= at=0 i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path \${COMP_WORDS[i]}" in
      ${children.join(' | ')}) path="$path \${COMP_WORDS[i]}" at=0 && continue ;;
    esac
    case "$path:\${COMP_WORDS[i - 1]}" in
      ${valueOptions(nodes).map(shellWord).join(' | ')}) continue ;;
    esac
    [[ \${COMP_WORDS[i]} == -* ]] && continue
    ((at++)) || first=\${COMP_WORDS[i]}
  done
  case "$path:$previous" in
${nodes.flatMap((node) => node.options.flatMap((option) => valueCase(node, option))).join('\n')}
    *)
      case "$at:$path" in
${nodes.flatMap(commandCases).join('\n')}
      esac
      [[ $cur == -* ]] || words=\${words//--*/}
      ;;
  esac
  case "$kind" in
    ${ID_KINDS.join(' | ')}) words+=" $(daybook completion --ids "$kind" --of "$first" 2>/dev/null | cut -f1)" ;;
    file) mapfile -t COMPREPLY < <(compgen -f -- "$cur") && return ;;
    folder) mapfile -t COMPREPLY < <(compgen -d -- "$cur") && return ;;
  esac
  # compgen -W would expand the words, and thereby execute ids.
  local -a all
  local word
  read -r -d '' -a all <<< "$words"
  COMPREPLY=()
  for word in "\${all[@]}"; do
    [[ $word == "$cur"* ]] && COMPREPLY+=("$word")
  done
}
complete -o filenames -F _daybook daybook
`;
}

/** The case for the word after an option with a value: only values. */
function valueCase({ path }: CommandNode, { long, short, value }: OptionNode): readonly string[] {
  if (value === undefined) return [];
  const names = [long, ...(short === undefined ? [] : [short])];
  return [`    ${names.map((name) => shellWord(`${path.join(' ')}:${name}`)).join(' | ')}) ${assign(value, [])} ;;`];
}

/** A case for each argument position: subcommands and values of the argument, then options. */
function commandCases({ path, commands, options, arguments: places }: CommandNode): readonly string[] {
  const names = commands.map((child) => child.path.at(-1)!);
  const text = { kind: 'text', choices: [] } as const;
  const first = names.length > 0 && places.length === 0 ? [text] : [];
  const cases = [...first, ...places].map((value, at) => {
    const words = at === 0 ? [...names, ...value.choices] : value.choices;
    return `        ${shellWord(`${at}:${path.join(' ')}`)}) ${assign(value, words, options)} ;;`;
  });
  return [...cases, `        *:${shellWord(path.join(' '))}) ${assign(text, [], options)} ;;`];
}

function assign(
  { kind, choices }: Pick<Value, 'kind' | 'choices'>,
  words: readonly string[],
  options: readonly OptionNode[] = [],
): string {
  const all = [...new Set([...words, ...choices]), ...options.map(({ long }) => long)];
  return `kind=${kind} words=${shellWord(all.join(' '))}`;
}
