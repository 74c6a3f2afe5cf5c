/** The man page is made from the commands, and neither groff nor mandoc finds a fault in it. */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { install } from '../../scripts/package/install.ts';
import { allCommands, treeOf } from '../../src/cli/completion/tree.ts';
import { wholeProgram } from '../../src/cli/main.ts';
import { temporaryFolder } from '../support/folders.ts';

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

// npm makes links for a list of pages only; of a single text it made none.
it('npm puts it where man looks', async () => {
  const [folder, prefix] = [temporaryFolder('page'), temporaryFolder('prefix')];
  const { name, version, man, bin } = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, unknown>;
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version, man, bin }));
  for (const path of [PAGE, 'bin/daybook.js']) cpSync(path, join(folder, path));
  const tarball = execFileSync('npm', ['pack', '--silent'], { cwd: folder, encoding: 'utf8' }).trim();
  await install({ what: [join(folder, tarball)], prefix, isGlobal: true, home: folder, flags: ['--offline'] });
  expect(existsSync(join(prefix, 'share/man/man1/daybook.1'))).toBe(true);
});

it.skipIf(!isThere('groff'))('groff warns of nothing', () => {
  const { status, stdout, stderr } = spawnSync('groff', ['-man', '-Tutf8', '-ww', '-z', PAGE], { encoding: 'utf8' });
  expect([status, stdout, stderr]).toEqual([0, '', '']);
});

it.skipIf(spawnSync('mandoc', ['-h']).error !== undefined)('mandoc warns of nothing', () => {
  const { stdout } = spawnSync('mandoc', ['-T', 'lint', '-W', 'warning', PAGE], { encoding: 'utf8' });
  expect(stdout).toBe('');
});
