/**
 * `npm run test:evidence:long`, after `stores.ts`: changes each byte of a bundle of 1 000 events, and verifies the
 * whole bundle each time with `verifyBundle`, the function behind `evidence verify` and `verify.html`.
 *
 * - `container`: each byte of the zip file. `content`: each byte of each file in it, with matching checksums of the
 *   container.
 * - The bundle and the progress are kept in a folder, from which an interrupted run continues.
 * - Exit code 1 when a change was not detected; it is listed.
 *
 * Options: `--folder DIR` (default: daybook-every-byte in the temporary folder), `--workers N` (default 1), `--pass
 * NAME`.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { optionsOf } from '../../../scripts/options.ts';
import { verifyBundle } from '../../../web/evidence/verify.js';
import { largeBundle, READER_VKEY } from './bundle.ts';
import { Changes, PASSES } from './changes.ts';
import type { Done, Task } from './worker.ts';

const CHANGES_PER_TASK = 2_000;
/** One of so many tasks that follow each other is done in the first round, the next one in the second round. */
const STRIDE = 29;
const REPORT_MS = 60_000;

const { values } = optionsOf({
  options: {
    folder: { type: 'string', default: join(tmpdir(), 'daybook-every-byte') },
    workers: { type: 'string', default: '1' },
    pass: { type: 'string' },
  },
});

const bundleFile = join(values.folder, 'bundle.zip');
const stateFile = join(values.folder, 'done.json');
mkdirSync(values.folder, { recursive: true });
if (!existsSync(bundleFile)) writeFileSync(bundleFile, await largeBundle());
const zip = readFileSync(bundleFile);
const unchanged = await verifyBundle(zip, READER_VKEY);
if (!unchanged.ok) throw new Error(`The bundle in ${values.folder} does not verify: ${unchanged.fault.what}`);

const done: Done[] = existsSync(stateFile) ? JSON.parse(readFileSync(stateFile, 'utf8')) : [];
const { counts } = new Changes(zip, READER_VKEY);
const passes = PASSES.filter((pass) => values.pass === undefined || pass === values.pass);
const nameOf = ({ pass, from }: Task): string => `${pass} ${from}`;
const finished = new Set(done.map(nameOf));
const waiting = passes
  .flatMap((pass) =>
    spread(Math.ceil(counts[pass] / CHANGES_PER_TASK)).map((number) => ({
      ...{ pass, from: number * CHANGES_PER_TASK, to: Math.min((number + 1) * CHANGES_PER_TASK, counts[pass]) },
    })),
  )
  .filter((task) => !finished.has(nameOf(task)));

const reporting = setInterval(report, REPORT_MS);
await Promise.all(Array.from({ length: Number(values.workers) }, work));
clearInterval(reporting);
report();
const missed = done.flatMap((each) => each.missed.map((where) => `${each.pass}: ${where}`));
for (const line of missed) process.stdout.write(`not detected: ${line}\n`);
if (missed.length > 0) process.exitCode = 1;

/** The numbers below `count`, in an order in which each part of them is spread over all. */
function spread(count: number): readonly number[] {
  return Array.from({ length: STRIDE }, (_, first) => first)
    .flatMap((first) => Array.from({ length: Math.ceil(count / STRIDE) }, (_, row) => first + row * STRIDE))
    .filter((number) => number < count);
}

/** One worker process, until nothing waits. */
async function work(): Promise<void> {
  const worker = fork(join(import.meta.dirname, 'worker.ts'), [bundleFile]);
  for (let task = waiting.shift(); task !== undefined; task = waiting.shift()) {
    done.push(await performed(worker, task));
    writeFileSync(`${stateFile}.new`, JSON.stringify(done));
    renameSync(`${stateFile}.new`, stateFile);
  }
  worker.disconnect();
}

function performed(worker: ChildProcess, task: Task): Promise<Done> {
  return new Promise((resolve, reject) => {
    const fail = (code: number | null): void => reject(new Error(`A worker ended with ${code}.`));
    worker.once('exit', fail);
    worker.once('message', (answer: Done) => {
      worker.off('exit', fail);
      resolve(answer);
    });
    worker.send(task);
  });
}

function report(): void {
  for (const pass of passes) {
    const of = done.filter((each) => each.pass === pass);
    const tried = of.reduce((sum, { from, to }) => sum + to - from, 0);
    const named: Record<string, number> = {};
    for (const each of of)
      for (const [code, count] of Object.entries(each.named)) named[code] = (named[code] ?? 0) + count;
    const notNamed = of.reduce((sum, each) => sum + each.missed.length, 0);
    process.stdout.write(
      `${new Date().toISOString()} ${pass}: ${tried} of ${counts[pass]} tried, ${notNamed} not detected, named ${JSON.stringify(named)}\n`,
    );
  }
}
