/** `daybook devex`: the scorecard in a terminal. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cliHere } from '../cli/support.ts';
import { temporaryFolder } from '../support/folders.ts';
import { DAY, HOUR, makeRepository } from './repository.ts';

const T = Math.floor(Date.now() / 1_000) - 40 * DAY;
const repository = makeRepository([
  { commit: 'c1', at: T, files: { 'tests/a': 'x' } },
  { commit: 'c2', at: T + 6 * HOUR, author: 'Bob' },
  { tag: 'v1.0.0', on: 'c2', at: T + 10 * HOUR },
  { commit: 'hot', at: T + 14 * HOUR, message: 'hotfix: checkout' },
  { commit: 'c3', at: T + 20 * HOUR },
  { tag: 'v1.1.0', on: 'c3', at: T + 30 * HOUR },
]);
repository.git('checkout', '-q', '-f', 'main');

describe('daybook devex', () => {
  const home = temporaryFolder('devex');
  const run = (...words: string[]) => cliHere(['devex', ...words], { home });

  test('shows the scorecard in words, as markdown, as JSON, without a daemon', async () => {
    const words = await run(repository.path);
    expect([words.code, words.stderr]).toEqual([0, '']);
    expect(words.stdout).toContain('Delivery grade C on 4/4');
    expect(words.stdout).toMatch(/Lead time for changes +10\.00 +hours, p75 10\.0, p90 16\.0 +n = 4 +elite/);
    const markdown = await run(join(repository.path, 'tests'), '--markdown', '--window', '365');
    expect(markdown.stdout).toContain('# Developer excellence scorecard');
    const json = JSON.parse((await run(repository.path, '--json', '--marker', 'merges')).stdout);
    expect(json).toMatchObject({ dora_coverage: 0, dora: { release_marker: 'release-branch-merges' } });
  });

  test.each([
    [['--window', '1'], "the marker 'merges'"],
    [['--marker', 'merges'], "the marker 'tags'"],
  ])('with %j and no release, the advice fits a command line', async (words, advice) => {
    const { stdout } = await run(repository.path, ...words);
    expect(stdout.replace(/\s+/g, ' ')).toContain(advice);
    expect(stdout).not.toMatch(/marker=|branch=/);
  });

  test.each([
    [[], 2, 'path'],
    [['{repository}', '--window', '0'], 2, 'window must be a whole number'],
    [['{repository}', '--marker', 'x'], 2, 'marker must be one of'],
    [['{repository}', '--marker', 'merges', '--branch', 'x'], 2, 'no branch x'],
    [['{repository}', '--json', '--markdown'], 2, 'cannot be used with'],
    [['/nowhere'], 1, 'daybook: /nowhere: There is nothing at this path, so it is not inside a git repository.'],
  ])('%j ends with %i', async (words, code, sentence) => {
    const end = await run(...words.map((word) => word.replace('{repository}', repository.path)));
    expect([end.code, end.stderr]).toEqual([code, expect.stringContaining(sentence)]);
  });
});
