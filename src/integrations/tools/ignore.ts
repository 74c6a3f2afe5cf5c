/**
 * Git's ignore rules for a walk: `.gitignore` files from the top down, the last match decides, and nothing below an
 * ignored directory is visited. docs/decisions/0009 gives the reason for not using a library.
 */
import { globToRegExp } from './glob.ts';

export interface IgnoreFile {
  /** Directory of the file relative to the workspace, ending with `/`; empty for the workspace itself. */
  readonly base: string;
  /** For a file above the workspace: the path from its directory down to the workspace, ending with `/`. */
  readonly prefix?: string;
  readonly rules: readonly IgnoreRule[];
}

interface IgnoreRule {
  readonly negated: boolean;
  readonly directoriesOnly: boolean;
  readonly matches: RegExp;
}

export function parseIgnoreFile(text: string, base: string): IgnoreFile {
  const rules: IgnoreRule[] = [];
  for (const line of text.split(/\r?\n/).slice(0, RULES_MAX)) {
    const rule = parseRule(line);
    if (rule !== undefined) rules.push(rule);
  }
  return { base, rules };
}

/** `files` are ordered from the top of the tree to the directory of the path; deeper files take precedence. */
export function isIgnored(files: readonly IgnoreFile[], path: string, isDirectory: boolean): boolean {
  for (const file of files.toReversed()) {
    const local = (file.prefix ?? '') + path.slice(file.base.length);
    const rule = file.rules.findLast((each) => (isDirectory || !each.directoriesOnly) && each.matches.test(local));
    if (rule !== undefined) return !rule.negated;
  }
  return false;
}

const RULES_MAX = 2_000;
const PATTERN_CHARACTERS_MAX = 500;

function parseRule(line: string): IgnoreRule | undefined {
  const text = line.replace(/(?<!\\)[ \t]+$/, '');
  if (text === '' || text.startsWith('#') || text.length > PATTERN_CHARACTERS_MAX) return undefined;
  const negated = text.startsWith('!');
  const directoriesOnly = text.endsWith('/');
  const body = text.slice(negated ? 1 : 0, directoriesOnly ? -1 : undefined);
  const anchored = body.includes('/');
  const pattern = body.replace(/^\//, '');
  if (pattern === '') return undefined;
  const glob = anchored ? pattern : `**/${pattern}`;
  return { negated, directoriesOnly, matches: globToRegExp(glob, { braces: false, ignoreCase: false }) };
}
