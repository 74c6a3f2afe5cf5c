/**
 * `npm run check:package`: packs the checkout, installs the package into a new home with an empty npm cache, and uses
 * the program and the libraries, in Node 24 and, if PATH has one, in an older Node. It checks the package with attw and
 * publint. The last lines compare its size with opencode, which is installed in the same way.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { optionsOf } from './options.ts';
import { libraries } from './package/exports.ts';
import { install, pack, type Tarball } from './package/install.ts';
import { manifestProblems, typeProblems } from './package/lint.ts';
import { type Measured, measure, mebibytes } from './package/measure.ts';
import { compileAgainst, demo, type Installation, importLibrary, olderNode, run, serve } from './package/use.ts';
import { StepFailed, step } from './steps.ts';

const TASK = 'Read README.md and write NOTES.md';

optionsOf({});
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'daybook-package-')));
process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

const entries = libraries().map(([entry]) => entry);
const specifiers = entries.map((entry) => entry.replace('.', 'daybook'));
const older = await olderNode();
/** The user's Node: an old one if there is one, so that the package's own Node is tested. */
const nodes = [dirname(process.execPath), ...(older === null ? [] : [older.folder])];
const usersNode = nodes.at(-1)!;
const rows: Row[] = [];
let tarball: Tarball;

await step('npm pack', async () => {
  tarball = await pack(folder);
  return `${tarball.files.length} files, ${mebibytes(tarball.size_bytes)}`;
});
const daybook = await installed('daybook', () => tarball.path);
await installed('opencode', () => 'opencode-ai');
for (const nodeFolder of nodes) await used(nodeFolder);
await step('the demo, a SIGKILL included', () => demo(daybook));
await librariesUsed();
await step('attw', async () => none(await typeProblems(tarball, entries)));
await step('publint', async () => none(await manifestProblems(daybook.folder)));
printTable();

interface Row extends Measured {
  readonly name: string;
  readonly seconds: number;
}

/** Installs a package globally, with npm's default settings and an empty cache. */
async function installed(name: string, what: () => string): Promise<Installation> {
  const [home, prefix, cache] = ['home', 'prefix', 'cache'].map((part) => join(folder, name, part)) as [
    string,
    string,
    string,
  ];
  mkdirSync(home, { recursive: true });
  await step(`npm install --global ${name}`, async () => {
    const since = performance.now();
    const printed = await install({ what: [what()], prefix, isGlobal: true, home, cache, nodeFolder: usersNode });
    const seconds = (performance.now() - since) / 1_000;
    rows.push({ name, seconds, ...measure(prefix) });
    if (name === 'daybook' && printed.includes('install-scripts'))
      throw new StepFailed(`A script wants to run.\n${printed}`);
    return `with the Node of ${usersNode}`;
  });
  return { home, folder: join(prefix, 'lib/node_modules', name), program: join(prefix, 'bin', name) };
}

async function used(nodeFolder: string): Promise<void> {
  const workspace = join(folder, 'workspace');
  mkdirSync(workspace, { recursive: true });
  await step(`daybook --version, serve and run with ${nodeFolder}/node`, async () => {
    const version = (await run(daybook, ['--version'], nodeFolder, workspace)).trim();
    const served = await serve(daybook, nodeFolder, workspace);
    if (served !== version) throw new StepFailed(`The daemon says ${served}, the program ${version}.`);
    const output = await run(daybook, ['run', TASK, '--approval', 'auto-edit'], nodeFolder, workspace);
    if (!/^complete in .*NOTES\.md$/m.test(output)) throw new StepFailed(`The run ended with:\n${output}`);
    return version;
  });
}

async function librariesUsed(): Promise<void> {
  const consumer = join(folder, 'consumer');
  await step('npm install in a project that uses the libraries', async () => {
    mkdirSync(consumer);
    writeFileSync(join(consumer, 'package.json'), '{"name": "consumer", "private": true, "type": "module"}\n');
    // With the optional peers of daybook/level and daybook/testing.
    const what = [tarball.path, 'abstract-level@3', 'fast-check@4'];
    const flags = ['--prefer-offline', '--omit=optional'];
    await install({
      what,
      prefix: consumer,
      isGlobal: false,
      home: daybook.home,
      cache: join(folder, 'daybook/cache'),
      flags,
    });
    return undefined;
  });
  for (const nodeFolder of nodes) {
    await step(`${entries.length} libraries imported with ${nodeFolder}/node`, async () => {
      const counts = entries.map(async (entry) => {
        const count = await importLibrary(consumer, entry.replace('.', 'daybook'), nodeFolder);
        return `${entry} ${count} names`;
      });
      return (await Promise.all(counts)).join(', ');
    });
  }
  await step('a program that imports them compiles', async () => {
    if (specifiers.length > 0) await compileAgainst(consumer, specifiers);
    return undefined;
  });
}

function none(problems: readonly string[]): string {
  if (problems.length > 0) throw new StepFailed(problems.join('\n'));
  return 'no problem';
}

function printTable(): void {
  const lines = rows.map(({ name, seconds, bytes, files, packages }) => {
    const download = name === 'daybook' ? mebibytes(tarball.size_bytes) : '';
    return [name, download, mebibytes(bytes), String(files), String(packages), `${seconds.toFixed(1)} s`];
  });
  const table = [['', 'tarball', 'on disk', 'files', 'packages', 'install'], ...lines];
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)));
  for (const row of table) process.stdout.write(`${row.map((cell, at) => cell.padStart(widths[at]!)).join('  ')}\n`);
}
