/** docs/testing.md: every example on the page is code of examples/, and that code passes when it is run. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as daemons from '../../examples/testing/daemon.ts';
import * as rules from '../../examples/testing/rules.ts';

const ROOT = join(import.meta.dirname, '../..');
const FILES = ['testing/daemon.ts', 'testing/rules.ts', 'property-tests/model.ts'];
const sources = FILES.map((file) => readFileSync(join(ROOT, 'examples', file), 'utf8'));
const page = readFileSync(join(ROOT, 'docs/testing.md'), 'utf8');
const quotes = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code!);

it.each(quotes)('quotes code that is run: %#', (code) => {
  expect(sources.some((source) => source.includes(code))).toBe(true);
});

it('quotes every example', () => {
  const names = [...Object.keys(daemons), ...Object.keys(rules)];
  const told = names.filter((name) => quotes.some((code) => new RegExp(`function ${name}\\(`).test(code)));
  expect(told).toEqual(names);
});

it.each(Object.entries({ ...daemons, ...rules }))('%s holds', async (_name, example) => {
  await example();
});
