/** Other builds of the program, each in its own folder with shared packages: an earlier commit, a later version. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { temporaryFolder } from '../support/folders.ts';

const ENTRY = 'bin/daybook.js';

/** Whether the history of this repository has the commit: a shallow checkout does not. */
export function hasCommit(commit: string): boolean {
  try {
    execFileSync('git', ['cat-file', '-e', `${commit}^{commit}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** The entry point of the program as it was at a commit. */
export function buildOf(commit: string): string {
  const folder = newFolder();
  const archive = execFileSync('git', ['archive', commit, 'bin', 'src', 'web', 'package.json'], {
    maxBuffer: 1 << 30,
  });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  return join(folder, ENTRY);
}

/** The entry point of the program as it is here, with texts of one file replaced. */
export function changedBuild(file: string, changes: readonly (readonly [before: string, after: string])[]): string {
  const folder = newFolder();
  for (const part of ['bin', 'src', 'web', 'package.json']) {
    cpSync(resolve(part), join(folder, part), { recursive: true });
  }
  let text = readFileSync(join(folder, file), 'utf8');
  for (const [before, after] of changes) {
    if (text.split(before).length !== 2) throw new Error(`${file} does not hold this once: ${before}`);
    text = text.replace(before, after);
  }
  writeFileSync(join(folder, file), text);
  return join(folder, ENTRY);
}

/** With the packages, but not with the bundle that lies in their cache. */
function newFolder(): string {
  const folder = temporaryFolder('build');
  const packages = resolve('node_modules');
  mkdirSync(join(folder, 'node_modules'));
  for (const name of readdirSync(packages)) {
    if (name !== '.cache') symlinkSync(join(packages, name), join(folder, 'node_modules', name));
  }
  return folder;
}
