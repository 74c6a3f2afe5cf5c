/**
 * Fits the help of commands to the terminal. In a narrow one, a description is below its term. Command lines of
 * examples are never broken, so that they can be copied.
 */
import { type AddHelpTextContext, type Command, Help } from 'commander';
import { COLUMNS_DEFAULT } from './text.ts';

const BESIDE_COLUMNS_MIN = 30;
const TERM_INDENT = 2;
const BELOW_INDENT = 6;
const USAGE_INDENT = 'Usage: '.length;

class FittingHelp extends Help {
  override minWidthToWrap = 1;

  override prepareContext({ helpWidth }: { readonly helpWidth?: number }): void {
    this.helpWidth ??= helpWidth || COLUMNS_DEFAULT;
  }

  override styleUsage(usage: string): string {
    return this.#indented(usage, USAGE_INDENT);
  }

  override formatItem(term: string, termWidth: number, description: string, helper: Help): string {
    const descriptionWidth = this.#width() - termWidth - 2 * TERM_INDENT;
    if (descriptionWidth >= BESIDE_COLUMNS_MIN) return super.formatItem(term, termWidth, description, helper);
    const below = ' '.repeat(BELOW_INDENT) + this.#indented(description, BELOW_INDENT);
    const head = ' '.repeat(TERM_INDENT) + this.#indented(term, BELOW_INDENT);
    return description === '' ? head : `${head}\n${below}`;
  }

  /** In the format of `notes` below. */
  notes(text: string): string {
    const blocks = text.replace(/^\n+|\n+$/g, '').split(/\n{2,}/);
    return blocks
      .map((block) => (block.startsWith(' ') ? this.#examples(block) : this.#indented(block.replaceAll('\n', ' '), 0)))
      .join('\n\n');
  }

  /** Notes are beside the commands that leave room for them, and below the others. */
  #examples(block: string): string {
    const examples = block
      .split(/\n {2}(?! )/)
      .map((example) => example.trim().split(/\s{2,}/))
      .map(([line = '', ...note]) => ({ line, note: note.join(' ') }));
    const roomMax = this.#width() - BESIDE_COLUMNS_MIN - 2 * TERM_INDENT;
    const beside = examples.filter(({ line, note }) => note !== '' && line.length <= roomMax);
    const termWidth = Math.max(0, ...beside.map(({ line }) => line.length));
    return examples
      .map(({ line, note }) => {
        if (line.length <= termWidth || note === '') return super.formatItem(line, termWidth, note, this);
        const below = ' '.repeat(BELOW_INDENT) + this.#indented(note, BELOW_INDENT);
        return `${' '.repeat(TERM_INDENT)}${line}\n${below}`;
      })
      .join('\n');
  }

  #width(): number {
    return this.helpWidth ?? COLUMNS_DEFAULT;
  }

  /** Wrapped to the width; lines after the first are indented. */
  #indented(text: string, columns: number): string {
    return this.boxWrap(text, this.#width() - columns).replaceAll('\n', `\n${' '.repeat(columns)}`);
  }
}

/** Applies to the command alone, not to its subcommands. */
export function fitHelp(command: Command): void {
  command.createHelp = () => Object.assign(new FittingHelp(), command.configureHelp());
}

/**
 * Paragraphs and examples for `addHelpText`, fitted to the terminal.
 *
 * - A blank line ends a paragraph.
 * - A line that begins with two spaces is an example: a command, two or more spaces, what it does.
 * - Lines that begin with more spaces continue an example.
 */
export function notes(text: string): (context: AddHelpTextContext) => string {
  return ({ command, error }) => {
    const { getOutHelpWidth, getErrHelpWidth } = command.configureOutput();
    const helpWidth = (error ? getErrHelpWidth : getOutHelpWidth)?.() || COLUMNS_DEFAULT;
    return `\n${Object.assign(new FittingHelp(), { helpWidth }).notes(text)}`;
  };
}
