/** Pages say what the sources do: samples of code are parts of tested examples, tables have a row for each entry. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as daemons from '../../examples/testing/daemon.ts';
import * as rules from '../../examples/testing/rules.ts';
import { wholeProgram } from '../../src/cli/main.ts';
import { zConfig } from '../../src/config.ts';
import { PROVIDERS } from '../../src/integrations/models/providers.ts';
import { bench } from '../tools/helper.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Pages, and the files that their samples are taken from. */
const PAGES: Readonly<Record<string, string>> = {
  'docs/adding-a-capability.md': 'examples/bookmarks/*.ts',
  'docs/client.md': 'examples/client/*.ts',
  'docs/kernel.md': 'examples/{bookmarks/{events,decide,projection},embedded/getting-started}.ts',
  'docs/level.md': 'examples/embedded/level.ts',
  'docs/testing.md': 'examples/{testing/*,property-tests/model}.ts',
};

const text = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const samplesOf = (page: string): readonly string[] =>
  [...text(page).matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code!);

/** In the repository the examples import the sources of the package. */
const asImported = (path: string): string =>
  text(path).replace(/'\.\.\/\.\.\/src\/(?:(client)\/client|([\w/]+))\.ts'/g, "'daybook/$1$2'");

describe.each(Object.entries(PAGES))('%s', (page, files) => {
  const sources = globSync(files, { cwd: ROOT }).flatMap((path) => [text(path), asImported(path)]);

  it('has samples, and each is part of an example', () => {
    const samples = samplesOf(page);
    expect(samples).not.toEqual([]);
    expect(samples.filter((code) => !sources.some((source) => source.includes(code)))).toEqual([]);
  });
});

it.each([
  ['docs/kernel.md', 'examples/embedded/getting-started.ts'],
  ['docs/level.md', 'examples/embedded/level.ts'],
])('%s has the whole program %s, but for its imports', (page, program) => {
  const samples = samplesOf(page);
  const statements = asImported(program).split('\n\n').slice(1);
  expect(statements.filter((part) => !samples.some((code) => code.includes(part.trimEnd())))).toEqual([]);
});

it('docs/testing.md has every example of a test', () => {
  const names = [...Object.keys(daemons), ...Object.keys(rules)];
  const samples = samplesOf('docs/testing.md').join('\n');
  expect(names.filter((name) => !samples.includes(`function ${name}(`))).toEqual([]);
});

it('docs/adding-a-capability.md needs at most four files and 150 lines', () => {
  const sources = globSync(PAGES['docs/adding-a-capability.md']!, { cwd: ROOT }).map(text);
  const lines = sources.reduce((sum, source) => sum + source.trimEnd().split('\n').length, 0);
  expect([sources.length <= 4, lines <= 150]).toEqual([true, true]);
});

it('docs/kernel.md names the versions of zod and RxJS that the package depends on', () => {
  const { version, dependencies } = JSON.parse(text('package.json'));
  const { zod, rxjs } = dependencies;
  expect(text('docs/kernel.md')).toContain(`npm install ./daybook-${version}.tgz zod@${zod} rxjs@${rxjs}\n`);
});

it.each([
  ['examples/embedded/bookmarks.ts', 60],
  ['examples/property-tests/decider.ts', 99],
  ['examples/property-tests/model.ts', 99],
  ['examples/property-tests/stream.ts', 99],
])('%s has at most %i lines', (path, lines) => {
  expect(text(path).trimEnd().split('\n').length).toBeLessThanOrEqual(lines);
});

/** The cells of the first column of each table of a page. */
const firstCells = (page: string): readonly string[] =>
  [...text(page).matchAll(/^\| (.*?) \|/gm)].map(([, cell]) => cell!);
const named = (cell: string): readonly string[] => [...cell.matchAll(/`([\w-]+)`/g)].map(([, name]) => name!);

describe('a page has a row or a section for each', () => {
  it('setting: docs/cli.md', () => {
    const rows = firstCells('docs/cli.md').flatMap(named);
    // The home has a variable and an option only.
    expect(Object.keys(zConfig.shape).filter((name) => name !== 'home' && !rows.includes(name))).toEqual([]);
  });

  it('command: docs/cli.md', async () => {
    const sections = [...text('docs/cli.md').matchAll(/^## (.*)$/gm)].flatMap(([, names]) => names!.split(', '));
    const names = (await wholeProgram()).commands.map((command) => command.name());
    expect(names.filter((name) => !sections.includes(name))).toEqual([]);
  });

  it('provider, in the order of preference: docs/models.md', () => {
    const ids = new Set(PROVIDERS.flatMap(({ id, aliases }) => [id, ...aliases]));
    const rows = firstCells('docs/models.md').flatMap(named);
    expect(rows.filter((name) => ids.has(name))).toEqual([...ids]);
  });

  it('metric: docs/operations.md or docs/postgresql.md', () => {
    const rows = ['docs/operations.md', 'docs/postgresql.md'].flatMap(firstCells).flatMap(named);
    const sources = globSync('src/**/*.ts', { cwd: ROOT }).map(text).join('\n');
    const metrics = [...sources.matchAll(/\b(?:gauge|counter|histogram)\(\s*'(\w+)'/g)].map(([, name]) => name!);
    expect(metrics.length).toBeGreaterThan(60);
    expect(metrics.filter((name) => !rows.includes(name))).toEqual([]);
  });

  it('tool, with its class and whether it may be repeated: docs/tools.md', () => {
    const rows = [...text('docs/tools.md').matchAll(/^\| `(\w+)` \| (read|edit|execute|control) \| (yes|no) \|/gm)];
    const { specs } = bench().tools;
    const tools = specs.map((spec) => [spec.name, spec.class, spec.idempotent ? 'yes' : 'no']);
    expect(rows.map(([, ...cells]) => cells)).toEqual(tools);
  });
});
