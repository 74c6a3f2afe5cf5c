/**
 * `npm run release`: checks everything that a release needs, in order, and writes the release notes to `release/`. It
 * does not publish or push; it prints the two commands that do.
 *
 * `--dry-run` works on any tree: problems of the tree and the changelog are reported instead of ending the run, and the
 * long steps (npm ci, check, test, test:release, test:dense, check:package) are listed but not run.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { optionsOf } from './options.ts';
import { newestSection, releaseNotes } from './release/notes.ts';
import { upgradeFrom } from './release/upgrade.ts';
import { StepFailed, step } from './steps.ts';

const ROOT = resolve(import.meta.dirname, '..');
const GOLDEN = join(ROOT, 'tests/golden');
const LONG_STEPS = [
  ['ci'],
  ['run', 'check'],
  ['test'],
  ['run', 'test:release'],
  ['run', 'test:dense'],
  ['run', 'check:package'],
] as const;

const isDry = optionsOf({ options: { 'dry-run': { type: 'boolean', default: false } } }).values['dry-run'];
const section = newestSection(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'));
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string };
const notes = join(ROOT, 'release', `${version}.md`);

await step('the tree is clean', async () => {
  const { stdout } = await promisify(execFile)('git', ['status', '--porcelain'], { cwd: ROOT });
  return stdout === '' ? undefined : refuse(`it has changes:\n${stdout.trimEnd()}`);
});
await step('version and CHANGELOG.md agree', () => {
  if (section.version !== version)
    throw new StepFailed(`package.json says ${version}, CHANGELOG.md ${section.version}`);
  return section.date === undefined
    ? refuse(`CHANGELOG.md says that ${version} is not released; write its date`)
    : version;
});
for (const words of LONG_STEPS) {
  await step(`npm ${words.join(' ')}`, () => (isDry ? 'left out' : npm(words)));
}
for (const release of readdirSync(GOLDEN, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
  await step(`upgrade from ${release.name}`, () => upgraded(join(GOLDEN, release.name)));
}
await step('release notes', () => {
  mkdirSync(join(ROOT, 'release'), { recursive: true });
  writeFileSync(notes, releaseNotes(section));
  return notes;
});
process.stdout.write(
  `\nNothing is published yet. To publish ${version}:\n` +
    `  git tag --annotate v${version} --file release/${version}.md && git push origin v${version}\n` +
    '  npm publish   (first remove "private" from package.json: it keeps the package from being published by accident)\n',
);

/** In a dry run the reason is only reported. */
function refuse(reason: string): string {
  if (!isDry) throw new StepFailed(reason);
  return `a release would refuse: ${reason}`;
}

async function npm(words: readonly string[]): Promise<undefined> {
  const child = spawn('npm', words, { cwd: ROOT, stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new StepFailed(`it ended with ${code}`);
}

async function upgraded(golden: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-upgrade-'));
  try {
    return await upgradeFrom(golden, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
