/** Git's ignore rules for a walk from the top down: the last match decides, and the walk enters no ignored directory. */
import ignore, { type Ignore } from 'ignore';

export interface IgnoreFile {
  /** Directory of the file relative to the workspace, ending with `/`; empty for the workspace itself. */
  readonly base: string;
  /** For a file above the workspace: the path from its directory down to the workspace, ending with `/`. */
  readonly prefix?: string;
  readonly rules: Ignore;
}

const RULES_MAX = 2_000;
const PATTERN_CHARACTERS_MAX = 500;

export function parseIgnoreFile(text: string, base: string): IgnoreFile {
  const lines = text.split('\n', RULES_MAX).filter((line) => line.length <= PATTERN_CHARACTERS_MAX);
  return { base, rules: newRules().add(lines) };
}

/**
 * Whether rules match the path itself. The caller must not enter an ignored directory.
 * `files` are ordered from the top of the tree to the directory of the path; deeper files take precedence.
 */
export function isIgnored(files: readonly IgnoreFile[], path: string, isDirectory: boolean): boolean {
  for (const file of files.toReversed()) {
    const local = `${file.prefix ?? ''}${path.slice(file.base.length)}${isDirectory ? '/' : ''}`;
    const { ignored, unignored } = rulesBelow(file.rules, parentOf(local)).test(local);
    if (ignored || unignored) return ignored;
  }
  return false;
}

/**
 * The rules, with exceptions for `directory` and its parents if the rules ignore it. The package ignores everything below
 * an ignored directory, but a deeper file may include it again, and a walk may start in one.
 */
function rulesBelow(rules: Ignore, directory: string): Ignore {
  if (directory === '' || !rules.ignores(directory)) return rules;
  const literal = directory.replace(/[\\*?[\]]/g, '\\$&');
  const exceptions = [...literal.matchAll(/\//g)].map((slash) => `!/${literal.slice(0, slash.index + 1)}`);
  return newRules().add(rules).add(exceptions);
}

function newRules(): Ignore {
  return ignore({ ignoreCase: false });
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/', path.length - 2) + 1);
}
