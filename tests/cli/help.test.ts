/** The help of every command fits the terminal, even a narrow one. */
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { fitHelp } from '../../src/cli/help.ts';
import { wholeProgram } from '../../src/cli/main.ts';
import { displayWidth } from '../../src/lib/display-width.ts';

/** The help of a command and of all below it, as `--help` prints it. */
function helpsOf(command: Command, columns: number): readonly string[] {
  let printed = '';
  fitHelp(command);
  command.configureOutput({
    getOutHelpWidth: () => columns,
    writeOut(text) {
      printed += text;
    },
  });
  command.outputHelp();
  return [printed, ...command.commands.flatMap((child) => helpsOf(child, columns))];
}

/** Of an example: its command line, which is never broken. */
const EXAMPLE = /^ {2}(daybook|echo|git|jq|source) /;

test.each([40, 60, 80, 120])('in %d columns no line is wider, and no word is lost', async (columns) => {
  const fitted = helpsOf(await wholeProgram(), columns);
  const wide = helpsOf(await wholeProgram(), 10_000);
  expect(fitted.length).toBeGreaterThan(80);
  const tooWide = fitted.flatMap((help) => help.split('\n')).filter((line) => displayWidth(line) > columns);
  // An address is one word, however long.
  const words = tooWide.filter((line) => !line.includes('://'));
  expect(words.filter((line) => columns >= 80 || !EXAMPLE.test(line))).toEqual([]);
  const wordsOf = (help: string): readonly string[] => help.split(/\s+/);
  expect(fitted.map(wordsOf)).toEqual(wide.map(wordsOf));
});

test('a terminal that does not know its size has 80 columns', async () => {
  expect(helpsOf(await wholeProgram(), 0)).toEqual(helpsOf(await wholeProgram(), 80));
});

// It said `the answer of the daemon as JSON` of each.
test.each([
  [['goal', 'start'], 'AgentEvents as JSON lines'],
  [['approvals', 'watch'], 'each changed approval as a JSON line'],
  [['engagement', 'history'], 'each change as a JSON line'],
  [['chat'], 'the pieces of the answer as JSON lines'],
  [['top'], 'the figures of each picture as a JSON line'],
])('%j says that its --json prints lines', async (words, text) => {
  const named = (command: Command, name: string) => command.commands.find((child) => child.name() === name)!;
  const [help] = helpsOf(words.reduce(named, await wholeProgram()), 120);
  expect(help?.match(/^ {2}--json .*$/gm)).toEqual([expect.stringMatching(`^  --json +${text}$`)]);
});

test('a note is beside its example where there is room, else below it', async () => {
  const [help] = helpsOf((await wholeProgram()).commands.find((command) => command.name() === 'log')!, 80);
  expect(help).toContain(`
  daybook log read --stream run-3f9c… --json  the events of one run
  daybook log verify                          check every hash, and print the
                                              head
`);
  expect(help).toContain(`
  daybook log verify --checkpoint old.note --vkey …
      check that it still begins with a signed checkpoint
`);
});
