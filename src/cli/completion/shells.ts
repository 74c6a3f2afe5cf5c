/** Completion scripts for bash, zsh and fish. */
import { shellWord } from '../../lib/shell-word.ts';
import {
  allCommands,
  type CommandNode,
  ID_KINDS,
  isIdKind,
  type OptionNode,
  type Value,
  valueOptions,
} from './tree.ts';

/** For bash 4 and newer. */
export function bashCompletion(root: CommandNode): string {
  const nodes = allCommands(root);
  const children = nodes.slice(1).map(({ path }) => shellWord(path.join(' ')));
  return `# bash completion for daybook. Load it with: source <(daybook completion bash)
_daybook() {
  local cur=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} path=daybook kind= words= first= at=0 i
  local -a ids
  # --option=value is three words.
  [[ $previous == = ]] && previous=\${COMP_WORDS[COMP_CWORD - 2]}
  [[ $cur == = ]] && cur=
  for ((i = 1; i < COMP_CWORD; i++)); do
    [[ \${COMP_WORDS[i]} == = || \${COMP_WORDS[i - 1]} == = ]] && continue
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
  # Quotes spaces, and adds a slash to what is the name of a folder: a command is none. Fails outside of a completion.
  [[ $kind != text ]] && compopt -o filenames 2>/dev/null
  case "$kind" in
    ${ID_KINDS.join(' | ')}) mapfile -t ids < <(daybook completion --ids "$kind" --of "$first" 2>/dev/null | cut -f1) ;;
    file) mapfile -t COMPREPLY < <(compgen -f -- "$cur") && return ;;
    folder) mapfile -t COMPREPLY < <(compgen -d -- "$cur") && return ;;
  esac
  # compgen -W would expand the words, and thereby execute ids.
  local -a all
  local word
  read -r -d '' -a all <<< "$words"
  COMPREPLY=()
  for word in "\${all[@]}" "\${ids[@]}"; do
    [[ $word == "$cur"* ]] && COMPREPLY+=("$word")
  done
}
complete -F _daybook daybook
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

/** For zsh 5 and newer. */
export function zshCompletion(root: CommandNode): string {
  return `#compdef daybook
# zsh completion for daybook. Load it with: source <(daybook completion zsh), or write it to a file _daybook in $fpath.
_daybook_ids() {
  local -a ids
  ids=(\${(f)"$(daybook completion --ids $1 --of "$2" 2>/dev/null)"})
  # _describe takes what is after the first colon for the description.
  ids=("\${(@)ids//:/\\\\:}")
  ids=("\${(@)ids/$'\\t'/:}")
  _describe $1 ids
}
${allCommands(root).map(functionOf).join('\n')}
if [[ $funcstack[1] == _daybook ]]; then
  _daybook "$@"
else
  compdef _daybook daybook
fi
`;
}

function functionOf(node: CommandNode): string {
  const name = nameOf(node);
  const options = node.options.flatMap(specsOf).map((spec) => `    ${shellWord(spec)} \\\n`);
  if (node.commands.length === 0) {
    const places = node.arguments.map((argument, at) => {
      const spec = `${at + 1}${argument.isRequired ? '' : ':'}:${escaped(argument.name)}:${actionOf(argument)}`;
      return `    ${shellWord(spec)} \\\n`;
    });
    return `${name}() {\n  _arguments -s -S \\\n${options.join('')}${places.join('').replace(/ \\\n$/, '')}\n}`;
  }
  const children = node.commands.map((child) => shellWord(`${child.path.at(-1)}:${escaped(child.summary)}`));
  const cases = node.commands.map((child) => `        ${child.path.at(-1)}) ${nameOf(child)} ;;`);
  return `${name}() {
  local context state state_descr line
  typeset -A opt_args
  _arguments -C \\
${options.join('')}    '1:command:->command' '*::argument:->argument'
  case $state in
    command)
      local -a commands=(${children.join(' ')})
      _describe 'command' commands
      ;;
    argument)
      case $line[1] in
${cases.join('\n')}
      esac
      ;;
  esac
}`;
}

function nameOf({ path }: CommandNode): string {
  return `_${path.join('_').replaceAll('-', '_')}`;
}

/** A value is the next word or, of a long option, behind an equals sign. */
function specsOf({ long, short, description, value }: OptionNode): readonly string[] {
  const text = `[${escaped(description)}]${value === undefined ? '' : `:${escaped(value.name)}:${actionOf(value)}`}`;
  const whole = `${long}${value === undefined ? '' : '='}${text}`;
  return [whole, ...(short === undefined ? [] : [`${short}${text}`])];
}

/** zsh calls an action that starts with a space unchanged; otherwise it inserts options of its own. */
function actionOf({ kind, choices }: Value): string {
  if (choices.length > 0) return `(${choices.join(' ')})`;
  if (isIdKind(kind)) return ` _daybook_ids ${kind} "$line[1]"`;
  if (kind === 'folder') return '_files -/';
  return kind === 'file' ? '_files' : ' ';
}

function escaped(text: string): string {
  return text.replaceAll(/[\\:[\]]/g, '\\$&');
}

/** For fish 3 and newer. */
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
