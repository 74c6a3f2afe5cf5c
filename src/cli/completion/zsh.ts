/** Completion for zsh 5 and newer. */
import { shellWord } from '../../lib/shell-word.ts';
import { allCommands, type CommandNode, isIdKind, type OptionNode, type Value } from './tree.ts';

export function zshCompletion(root: CommandNode): string {
  return `#compdef daybook
# zsh completion for daybook. Load it with: source <(daybook completion zsh), or write it to a file _daybook in $fpath.
_daybook_ids() {
  local -a ids
  ids=(\${(f)"$(daybook completion --ids $1 --of "$2" 2>/dev/null | tr '\\t' ':')"})
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

function specsOf({ long, short, description, value }: OptionNode): readonly string[] {
  const text = `[${escaped(description)}]${value === undefined ? '' : `:${escaped(value.name)}:${actionOf(value)}`}`;
  return [long, ...(short === undefined ? [] : [short])].map((name) => `${name}${text}`);
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
