/** Completion in each shell. Shells that this machine lacks are skipped. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { treeOf } from '../../src/cli/completion/tree.ts';
import { wholeProgram } from '../../src/cli/main.ts';
import { temporaryFolder } from '../support/folders.ts';
import { hasTerminal } from '../support/terminal.ts';
import { cliHere } from './support.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

const SHELL_MS_MAX = 20_000;
/** An id that a shell must not expand. */
const COMMAND = '$(echo>executed)';
/** An id with what separates words in bash, and names from descriptions in zsh. */
const ROOM = 'Stand up: Monday';

const folder = temporaryFolder('completion');
const scriptOf = (shell: Shell): string => join(folder, `daybook.${shell}`);
const isThere = (shell: Shell): boolean => spawnSync(shell, ['-c', 'true']).error === undefined;

beforeAll(async () => {
  for (const shell of SHELLS) {
    const { stdout } = await cliHere(['completion', shell], { home: folder });
    writeFileSync(scriptOf(shell), stdout);
  }
  mkdirSync(join(folder, 'bin'));
  mkdirSync(join(folder, 'there'));
  writeFileSync(join(folder, 'there/notes.txt'), '');
  // What the scripts ask for ids.
  const answer = [
    '#!/bin/sh',
    'printf "%s\\t%s\\n" "4e3750b9d3df" "$3 of $5"',
    `[ "$3" = rooms ] && printf "%s\\troom\\n" '${ROOM}'`,
    `[ "$3" = gates ] && echo '${COMMAND}'`,
  ];
  writeFileSync(join(folder, 'bin/daybook'), answer.join('\n'));
  chmodSync(join(folder, 'bin/daybook'), 0o755);
});

function inShell(shell: Shell, flags: readonly string[], script: string): string {
  const env = { PATH: `${join(folder, 'bin')}:${process.env.PATH}`, HOME: folder, TERM: 'dumb' };
  return execFileSync(shell, [...flags, '-c', script], { env, cwd: folder, encoding: 'utf8', timeout: SHELL_MS_MAX });
}

/** All that is offered for the last word. */
const OFFERED: Readonly<Record<'bash' | 'fish', (line: string) => readonly string[]>> = {
  bash: (line) => {
    // Bash splits at equals signs, too.
    const words = line.split(/ |(?<==)|(?==)/).map((word) => `'${word}'`);
    const script = `source ${scriptOf('bash')}; COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _daybook`;
    return listed(inShell('bash', ['--norc'], `${script}; printf '%s\\n' "\${COMPREPLY[@]}"`));
  },
  fish: (line) =>
    listed(inShell('fish', ['--no-config'], `source ${scriptOf('fish')}; complete -C '${line}'`)).map(
      (offer) => offer.split('\t')[0]!,
    ),
};

function listed(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '');
}

/** What zsh makes of the line after a tab: it has no way to ask without a terminal. */
function zshLine(line: string): string {
  const out = join(folder, 'line');
  const script = `
    zmodload zsh/zpty
    zpty z zsh -f -i
    zpty -w z 'autoload -Uz compinit && compinit -u -D; PS1=; show() { print -r -- "$BUFFER" > ${out}; exit }; zle -N show; bindkey "^X" show; source ${scriptOf('zsh')}; print rea""dy'
    while zpty -r z text; do [[ $text == *ready* ]] && break; done
    zpty -w -n z $'${line}\\t\\x18'
    while zpty -r z text; do :; done`;
  inShell('zsh', ['-f'], script);
  return readFileSync(out, 'utf8').trimEnd();
}

const CASES: readonly (readonly [string, readonly string[]])[] = [
  ['daybook comp', ['completion']],
  ['daybook help comp', ['completion']],
  ['daybook jobs ca', ['cancel']],
  ['daybook log export --ou', ['--out']],
  ['daybook jobs --home there ca', ['cancel']],
  ['daybook completion ', ['bash', 'zsh', 'fish']],
  ['daybook run x --approval auto', ['auto-edit']],
  ['daybook replay 4e', ['4e3750b9d3df']],
  ['daybook jobs show ', ['4e3750b9d3df']],
  ['daybook engagement show ', ['4e3750b9d3df']],
  ['daybook goal new x --parent 4e', ['4e3750b9d3df']],
  ['daybook engagement deliver --home there acme ', ['4e3750b9d3df']],
  ['daybook engagement deliver acme 4e acc', ['accepted']],
  ['daybook memory import there/no', ['there/notes.txt']],
  ['daybook room show ', ['4e3750b9d3df', ROOM]],
];

describe.each(['bash', 'fish'] as const)('%s', (shell) => {
  it.skipIf(!isThere(shell)).each(CASES)('%s', (line, expected) => {
    expect([...OFFERED[shell](line)].sort()).toEqual([...expected].sort());
  });

  it.skipIf(!isThere(shell))('offers every command, with and without a word begun', async () => {
    const { commands } = treeOf(await wholeProgram());
    expect(OFFERED[shell]('daybook ')).toEqual(expect.arrayContaining(commands.map(({ path }) => path[1])));
    expect(OFFERED[shell]('daybook log --')).toContain('--help');
  });

  it.skipIf(!isThere(shell))('offers an id that looks like a command, and does not execute it', () => {
    expect(OFFERED[shell]('daybook engagement gate show acme ')).toContain(COMMAND);
    expect(existsSync(join(folder, 'executed'))).toBe(false);
  });
});

describe.skipIf(!isThere('bash'))('bash', () => {
  it.each([
    ['daybook run x --approval=auto', ['auto-edit']],
    ['daybook run x --approval=', ['suggest', 'auto-edit', 'full-auto', 'read-only', 'chat-only']],
    ['daybook jobs --home=there ca', ['cancel']],
    ['daybook memory import --format=zep there/no', ['there/notes.txt']],
  ])('%s', (line, expected) => {
    expect(OFFERED.bash(line)).toEqual(expected);
  });

  // In a project with a folder `log` the command was `daybook log/`.
  it.skipIf(!hasTerminal)('completes a command, and not the folder of its name', async () => {
    mkdirSync(join(folder, 'log'));
    const env = { PATH: process.env.PATH, HOME: folder, TERM: 'dumb' };
    const shell = spawn('script', ['-qec', 'bash --norc -i', '/dev/null'], {
      env,
      cwd: folder,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const ended = once(shell, 'close');
    shell.stdin.end(`source ${scriptOf('bash')}; daybook() { echo "$@" > typed; }\ndaybook lo\t\nexit\n`);
    await ended;
    expect(readFileSync(join(folder, 'typed'), 'utf8')).toBe('log\n');
  });
});

describe.skipIf(!isThere('zsh'))('zsh', () => {
  it.each([
    ['daybook run x --approval=auto', 'daybook run x --approval=auto-edit'],
    ['daybook log export --out=there/no', 'daybook log export --out=there/notes.txt'],
    ['daybook jobs ca', 'daybook jobs cancel'],
    ['daybook run x --approval auto', 'daybook run x --approval auto-edit'],
    ['daybook replay 4e', 'daybook replay 4e3750b9d3df'],
    ['daybook engagement deliver acme 4e', 'daybook engagement deliver acme 4e3750b9d3df'],
    ['daybook memory import there/no', 'daybook memory import there/notes.txt'],
    ['daybook room show St', 'daybook room show Stand\\ up:\\ Monday'],
  ])('%s', (line, whole) => {
    expect(zshLine(line)).toBe(whole);
  });

  it('does not execute an id that looks like a command', () => {
    expect(zshLine('daybook engagement gate show acme 4e')).toBe('daybook engagement gate show acme 4e3750b9d3df');
    expect(existsSync(join(folder, 'executed'))).toBe(false);
  });
});

it.each(SHELLS.filter(isThere))('%s finds no fault in its script', (shell) => {
  const { status, stderr } = spawnSync(shell, ['-n', scriptOf(shell)], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
});

it('refuses another shell', async () => {
  const { code, stderr } = await cliHere(['completion', 'tcsh'], { home: folder });
  expect([code, stderr]).toEqual([2, expect.stringContaining("value 'tcsh' is invalid for argument 'shell'")]);
  expect(existsSync(join(folder, 'data'))).toBe(false);
});
