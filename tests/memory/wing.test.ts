/** The wing of a workspace, from its git origin. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { wingOf } from '../../src/integrations/git/wing.ts';
import { temporaryFolder } from '../support/folders.ts';

function workspaceWith(origin: string): string {
  const folder = temporaryFolder('wing');
  mkdirSync(join(folder, '.git'));
  writeFileSync(join(folder, '.git/config'), `[remote "origin"]\n\turl = ${origin}\n`);
  return folder;
}

it.each([
  ['https://git.example.com/ada/engine.git', 'ada/engine'],
  ['git@git.example.com:ada/engine.git', 'ada/engine'],
  ['https://git.example.com/engine.git', 'git.example.com/engine'],
  ['https://ada:S3cretTok@git.example.com/ada/engine.git', 'ada/engine'],
  ['https://ada:S3cretTok@git.example.com/engine.git', 'git.example.com/engine'],
  ['https://ada:p@ss@git.example.com/engine.git', 'git.example.com/engine'],
  ['https://S3cretTok@git.example.com/engine', 'git.example.com/engine'],
  ['ssh://git@git.example.com/engine.git', 'git.example.com/engine'],
])('%s gives %s', (origin, wing) => {
  expect(wingOf(workspaceWith(origin))).toBe(wing);
});

it('is the name of a folder without an origin', () => {
  const folder = temporaryFolder('wing');
  expect(wingOf(folder)).toBe(basename(folder));
});

it.each([
  ['of blank lines', '\n'.repeat(300_000), undefined],
  ['over a mebibyte', `\turl = https://git.example.com/ada/engine.git\n#${'-'.repeat(2 ** 20)}`, undefined],
  ['with blank lines before the origin', '\n\n\turl = https://git.example.com/ada/engine.git\n', 'ada/engine'],
])('a configuration %s takes no time', (_, lines, wing) => {
  const folder = temporaryFolder('wing');
  mkdirSync(join(folder, '.git'));
  writeFileSync(join(folder, '.git/config'), `[remote "origin"]\n${lines}`);
  expect(wingOf(folder)).toBe(wing ?? basename(folder));
});
