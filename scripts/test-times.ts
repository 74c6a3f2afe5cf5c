/**
 * `npm run test:times [arguments of vitest]`: runs the tests, then prints the slowest files and the sum of each folder,
 * in seconds of processor time, including the processes that a file starts. Linux only.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { answerHelp } from './options.ts';

const ROWS_MAX = 40;
answerHelp();
const report = join(tmpdir(), `daybook-test-times-${process.pid}.txt`);
const words = ['run', '--project', 'unit', '--project', 'e2e*', ...process.argv.slice(2)];
const { status } = spawnSync('vitest', words, {
  stdio: 'inherit',
  env: { ...process.env, DAYBOOK_TEST_TIMES: report },
});

const files = readFileSync(report, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => {
    const [seconds, path] = line.split(/ (.*)/s) as [string, string];
    return { path: relative(resolve('tests'), path), seconds: Number(seconds) };
  });
rmSync(report);
const folders = Map.groupBy(files, ({ path }) => path.split('/')[0]!);
const sums = [...folders].map(([path, of]) => ({ path, seconds: of.reduce((sum, { seconds }) => sum + seconds, 0) }));
const total = { path: 'all', seconds: files.reduce((sum, { seconds }) => sum + seconds, 0) };
for (const rows of [files, [total, ...sums]]) {
  const slowest = rows.sort((a, b) => b.seconds - a.seconds).slice(0, ROWS_MAX);
  for (const { path, seconds } of slowest) process.stdout.write(`${seconds.toFixed(1).padStart(7)}  ${path}\n`);
  process.stdout.write('\n');
}
process.exitCode = status ?? 1;
