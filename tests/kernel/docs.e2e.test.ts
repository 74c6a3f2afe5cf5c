/**
 * docs/kernel.md and docs/level.md: each sample is part of a program that compiles and prints what its comments say.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/folders.ts';

const ROOT = join(import.meta.dirname, '../..');

const PAGES = [
  {
    page: 'docs/kernel.md',
    program: 'examples/embedded/getting-started.ts',
    others: ['examples/bookmarks/events.ts', 'examples/bookmarks/decide.ts', 'examples/bookmarks/projection.ts'],
  },
  { page: 'docs/level.md', program: 'examples/embedded/level.ts', others: [] },
] as const;

const text = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** In the repository the examples import the sources of the package. */
const asImported = (path: string): string => text(path).replace(/'\.\.\/\.\.\/src\/(\w+)\.ts'/g, "'daybook/$1'");

describe.each(PAGES)('$page', ({ page, program, others }) => {
  const samples = [...text(page).matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code!);

  it.each(samples)('quotes code that is compiled: %#', (code) => {
    expect([program, ...others].some((path) => asImported(path).includes(code))).toBe(true);
  });

  it('quotes the whole program, but for its imports', () => {
    const statements = asImported(program).split('\n\n').slice(1);
    const missing = statements.filter((part) => !samples.some((code) => code.includes(part.trimEnd())));
    expect(missing).toEqual([]);
  });

  it('the program prints what its comments say', async () => {
    const said = [...text(program).matchAll(/^ *console\.log\(.*\); \/\/ (.*)$/gm)].map(([, line]) => line);
    const cwd = temporaryFolder('docs');
    const { stdout } = await promisify(execFile)(process.execPath, [join(ROOT, program)], { cwd });
    expect(stdout.trimEnd().split('\n')).toEqual(said);
    expect(said.length).toBe(text(program).match(/console\.log/g)!.length);
  });
});

it('docs/kernel.md names the versions of zod and RxJS that the package depends on', () => {
  const { version, dependencies } = JSON.parse(text('package.json'));
  const { zod, rxjs } = dependencies;
  expect(text('docs/kernel.md')).toContain(`npm install ./daybook-${version}.tgz zod@${zod} rxjs@${rxjs}\n`);
});
