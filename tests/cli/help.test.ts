/** The help of every command fits the terminal, even a narrow one. */
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { fitHelp } from '../../src/cli/help.ts';
import { wholeProgram } from '../../src/cli/main.ts';
import { displayWidth } from '../../src/lib/display-width.ts';

/** The help of a command and of all below it, without the examples that follow it. */
function helpsOf(command: Command, columns: number): readonly string[] {
  fitHelp(command);
  command.configureOutput({ getOutHelpWidth: () => columns });
  return [command.helpInformation(), ...command.commands.flatMap((child) => helpsOf(child, columns))];
}

test.each([40, 60, 80, 120])('in %d columns no line is wider, and no word is lost', async (columns) => {
  const fitted = helpsOf(await wholeProgram(), columns);
  const wide = helpsOf(await wholeProgram(), 10_000);
  expect(fitted.length).toBeGreaterThan(80);
  const tooWide = fitted.flatMap((help) => help.split('\n')).filter((line) => displayWidth(line) > columns);
  // An address is one word, however long.
  expect(tooWide.filter((line) => !line.includes('://'))).toEqual([]);
  const wordsOf = (help: string): readonly string[] => help.split(/\s+/);
  expect(fitted.map(wordsOf)).toEqual(wide.map(wordsOf));
});
