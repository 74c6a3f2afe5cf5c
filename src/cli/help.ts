/** Fits the help of commands to the terminal. In a narrow one, a description is below its term. */
import { type Command, Help } from 'commander';

const WIDTH_DEFAULT = 80;
/** Least width of a description beside its term. */
const BESIDE_COLUMNS_MIN = 30;
const TERM_INDENT = 2;
const BELOW_INDENT = 6;
const USAGE_INDENT = 'Usage: '.length;

class FittingHelp extends Help {
  override minWidthToWrap = 1;

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

  #width(): number {
    return this.helpWidth ?? WIDTH_DEFAULT;
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
