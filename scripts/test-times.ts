/**
 * `npm run test:times [words of vitest]`: runs the tests, then prints the slowest files and the sum of each folder, in seconds from
 * the first to the last test of a file. Workers run beside each other: the sum is longer than the run.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';

interface Results {
  /** Times in Unix milliseconds. */
  readonly testResults: readonly { readonly name: string; readonly startTime: number; readonly endTime: number }[];
}

const SLOWEST = 40;
const report = join(tmpdir(), `daybook-test-times-${process.pid}.json`);
const words = ['run', '--project', 'unit', '--project', 'e2e', '--reporter=json', `--outputFile.json=${report}`];
const { status } = spawnSync('vitest', [...words, ...process.argv.slice(2)], { stdio: 'inherit' });
const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Results;
rmSync(report);

const files = testResults.map(({ name, startTime, endTime }) => {
  const path = relative(resolve('tests'), name);
  return { path, folder: path.split('/')[0]!, seconds: (endTime - startTime) / 1_000 };
});
const folders = Map.groupBy(files, ({ folder }) => folder);
const sums = [...folders].map(([path, of]) => ({ path, seconds: of.reduce((sum, { seconds }) => sum + seconds, 0) }));
for (const rows of [files.map(({ path, seconds }) => ({ path, seconds })), sums]) {
  const slowest = rows.sort((a, b) => b.seconds - a.seconds).slice(0, SLOWEST);
  for (const { path, seconds } of slowest) process.stdout.write(`${seconds.toFixed(1).padStart(7)}  ${path}\n`);
  process.stdout.write('\n');
}
process.exitCode = status ?? 1;
