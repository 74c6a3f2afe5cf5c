/** The reports in `docs/api/` match the sources, so every change of the public interface is a change of a report. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { entries, REPORTS, reports } from './report.ts';

/** The reports take the compiler and API Extractor about 10 s of processor time. */
const REPORTS_MS_MAX = 120_000;

it(
  'docs/api/ holds the public interface of every entry; after a change run: npm run api:report',
  () => {
    const written = readdirSync(REPORTS).map((file) => [
      file.replace(/\.api\.md$/, ''),
      readFileSync(join(REPORTS, file), 'utf8'),
    ]);
    expect(Object.fromEntries(written)).toEqual(Object.fromEntries(reports()));
  },
  REPORTS_MS_MAX,
);

it('every entry of the package has a report', () => {
  const exported = Object.keys(manifest.exports)
    .filter((path) => path !== './package.json')
    .map((path) => path.slice('./'.length).replaceAll('/', '-'));
  expect(exported.sort()).toEqual(
    entries()
      .map(({ name }) => name)
      .sort(),
  );
});
