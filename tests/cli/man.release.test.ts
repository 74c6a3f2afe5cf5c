/** The man page is made from the commands, and neither groff nor mandoc finds a fault in it. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { allCommands, treeOf } from '../../src/cli/completion/tree.ts';
import { wholeProgram } from '../../src/cli/main.ts';

const PAGE = 'man/daybook.1';
const isThere = (program: string): boolean => spawnSync(program, ['--version']).error === undefined;

beforeAll(() => void execFileSync(process.execPath, ['scripts/man.ts']));

it('names every command and every option', async () => {
  const text = readFileSync(PAGE, 'utf8').replaceAll('\\-', '-');
  for (const { path, options } of allCommands(treeOf(await wholeProgram())).slice(1)) {
    const after = text.slice(text.indexOf(`\n.SS \\fB${path.join(' ')}\\fR`) + 1);
    expect(after).not.toBe(text);
    const own = after.slice(0, after.search(/\n\.S[SH] /));
    for (const { long } of options.filter((option) => option.long !== '--help'))
      expect(own).toContain(`\\fB${long}\\fR`);
  }
});

it('lists the exit codes that the documentation lists', () => {
  const [, codes = ''] = /^\.SH "?EXIT STATUS"?\n(.*?)^\.SH /ms.exec(readFileSync(PAGE, 'utf8')) ?? [];
  const documented = [...readFileSync('docs/cli.md', 'utf8').matchAll(/^\| (\d+) \|/gm)].map(([, code]) => code);
  expect([...codes.matchAll(/^\\fB(\d+)\\fR$/gm)].map(([, code]) => code)).toEqual(documented);
  expect(documented).toContain('130');
});

it.skipIf(!isThere('groff'))('groff warns of nothing', () => {
  const { status, stdout, stderr } = spawnSync('groff', ['-man', '-Tutf8', '-ww', '-z', PAGE], { encoding: 'utf8' });
  expect([status, stdout, stderr]).toEqual([0, '', '']);
});

it.skipIf(spawnSync('mandoc', ['-h']).error !== undefined)('mandoc warns of nothing', () => {
  const { stdout } = spawnSync('mandoc', ['-T', 'lint', '-W', 'warning', PAGE], { encoding: 'utf8' });
  expect(stdout).toBe('');
});
