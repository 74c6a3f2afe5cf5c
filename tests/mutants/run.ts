/**
 * `npm run test:mutants`: shows that the storage's tests detect faults. It removes one safeguard after another from a
 * copy of the sources and runs the tests that must notice.
 *
 * - The copy's tests must pass before anything is changed, or there is no verdict.
 * - A mutant whose text is absent from its file, or occurs twice, is an error: the list must match the code.
 * - A mutant survives when none of the tests that it names fails; then the exit code is 1.
 *
 * Options: `--only TEXT` (names or files that contain it), `--list`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { SingleBar } from 'cli-progress';
import { optionsOf } from '../../scripts/options.ts';
import { MUTANTS } from './list/all.ts';
import { type Mutant, staleness } from './mutant.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const COPIED = ['src', 'tests', 'bin', 'package.json', 'tsconfig.json', 'vitest.config.ts'];
const RUN_SECONDS_MAX = 300;

interface Outcome {
  readonly verdict: 'caught' | 'survived' | 'no verdict';
  /** The first red test. */
  readonly red: string;
}

let running: ChildProcess | undefined;

const { values: options } = optionsOf({
  options: { only: { type: 'string' }, list: { type: 'boolean', default: false } },
});
const only = options.only ?? '';
const mutants = MUTANTS.filter(({ name, file }) => name.includes(only) || file.includes(only));

if (options.list) for (const { name, file } of mutants) process.stdout.write(`${file}: ${name}\n`);
else process.exitCode = await main();

async function main(): Promise<number> {
  const stale = mutants.flatMap(staleness);
  for (const line of stale) process.stderr.write(`${line}\n`);
  if (stale.length > 0 || mutants.length === 0) return 2;
  const copy = mkdtempSync(join(tmpdir(), 'daybook-mutants-'));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => leave(copy));
  try {
    for (const name of COPIED) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    if (!(await isGreen(copy))) return 2;
    return report(await tryAll(copy));
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

async function isGreen(copy: string): Promise<boolean> {
  const tests = [...new Set(mutants.flatMap(({ expect }) => expect))].sort();
  process.stdout.write(`${mutants.length} mutants; first the ${tests.length} test files without any.\n`);
  for (const test of tests) {
    const { verdict, red } = await runTests(copy, [test]);
    if (verdict === 'survived') continue;
    process.stderr.write(`${test} is not green without a mutant, so nothing can be told (red: ${red}).\n`);
    return false;
  }
  return true;
}

async function tryAll(copy: string): Promise<Map<Mutant, Outcome>> {
  const outcomes = new Map<Mutant, Outcome>();
  const bar = new SingleBar({ format: '{bar} {value}/{total} | {name}', hideCursor: true, clearOnComplete: true });
  if (process.stdout.isTTY) bar.start(mutants.length, 0, { name: '' });
  for (const mutant of mutants) {
    bar.update({ name: mutant.name });
    const began = performance.now();
    const outcome = await tryOne(copy, mutant);
    outcomes.set(mutant, outcome);
    const seconds = ((performance.now() - began) / 1_000).toFixed(0);
    const line = `${outcome.verdict}, ${seconds} s: ${mutant.file}: ${mutant.name}; red: ${outcome.red}\n`;
    if (!process.stdout.isTTY) process.stdout.write(line);
    bar.increment();
  }
  bar.stop();
  return outcomes;
}

async function tryOne(copy: string, { file, edits, expect }: Mutant): Promise<Outcome> {
  const path = join(copy, file);
  const whole = readFileSync(path, 'utf8');
  // Replaced by a function: a replacement text may hold `$`.
  writeFileSync(
    path,
    edits.reduce((text, { find, replace }) => text.replace(find, () => replace), whole),
  );
  try {
    for (const test of expect) {
      const outcome = await runTests(copy, [test]);
      if (outcome.verdict !== 'survived') return outcome;
    }
    return { verdict: 'survived', red: 'none' };
  } finally {
    writeFileSync(path, whole);
  }
}

function report(outcomes: ReadonlyMap<Mutant, Outcome>): number {
  const left = [...outcomes].filter(([, { verdict }]) => verdict !== 'caught');
  for (const [{ name, file, expect }, { verdict }] of left) {
    process.stdout.write(`${verdict}: ${file}: ${name} (${expect.join(', ')})\n`);
  }
  process.stdout.write(`${outcomes.size - left.length} of ${outcomes.size} mutants caught.\n`);
  return left.length === 0 ? 0 : 1;
}

/** Runs test files up to the first red test. A run that ends without naming a red test gives no verdict. */
async function runTests(copy: string, tests: readonly string[]): Promise<Outcome> {
  const file = join(copy, 'report.json');
  rmSync(file, { force: true });
  const projects = ['unit', 'e2e'].flatMap((name) => ['--project', name]);
  const args = ['run', ...projects, '--bail', '1', '--reporter', 'json', '--outputFile', file, ...tests];
  const code = await vitest(copy, args);
  if (code === 0) return { verdict: 'survived', red: 'none' };
  const red = redTest(file);
  return red === undefined ? { verdict: 'no verdict', red: 'none' } : { verdict: 'caught', red };
}

/** The first red test of a report, undefined when there is none or no report. */
function redTest(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  const { testResults } = JSON.parse(readFileSync(file, 'utf8')) as Report;
  return testResults.flatMap((each) => each.assertionResults).find(({ status }) => status === 'failed')?.fullName;
}

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/** Told to stop: the child and the copy go, too. */
function leave(copy: string): never {
  running?.kill('SIGKILL');
  rmSync(copy, { recursive: true, force: true });
  process.exit(130);
}

/** The exit code; null when it took too long and was ended. */
function vitest(copy: string, args: readonly string[]): Promise<number | null> {
  return new Promise((done, failed) => {
    const program = join(ROOT, 'node_modules/vitest/vitest.mjs');
    const child = spawn(process.execPath, [program, ...args], {
      cwd: copy,
      env: { ...process.env, DAYBOOK_DENSE: '1' },
      stdio: 'ignore',
      timeout: RUN_SECONDS_MAX * 1_000,
      killSignal: 'SIGKILL',
    });
    running = child;
    child.once('error', failed);
    child.once('close', (code) => done(code));
  });
}
