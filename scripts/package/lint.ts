/** The findings of attw and publint about the package. */
import { readFileSync } from 'node:fs';
import { checkPackage, createPackageFromTarballData, type Problem } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import type { Tarball } from './install.ts';

/**
 * The package is ESM only, so `require` from a CommonJS module and the resolution of Node 10, which does not support
 * `exports`, are ignored, as in attw's profile `esm-only`.
 */
function concernsEsm(problem: Problem): boolean {
  return !('resolutionKind' in problem) || !['node10', 'node16-cjs'].includes(problem.resolutionKind);
}

/** One line per problem with types. */
export async function typeProblems({ path }: Tarball, entries: readonly string[]): Promise<readonly string[]> {
  const result = await checkPackage(createPackageFromTarballData(readFileSync(path)), { entrypoints: [...entries] });
  if (result.types === false) return entries.length === 0 ? [] : ['No entry has types.'];
  return result.problems.filter(concernsEsm).map((problem) => JSON.stringify(problem));
}

/** One line per error, warning and suggestion of publint about the installed folder. */
export async function manifestProblems(folder: string): Promise<readonly string[]> {
  const { messages, pkg } = await publint({ pkgDir: folder, pack: false, strict: true });
  return messages.map((message) => formatMessage(message, pkg, { color: false }) ?? message.code);
}
