/**
 * `npm run build`: makes `dist/`, the program and the libraries of the package.
 *
 * - JavaScript of all sources, with `.js` in its imports.
 * - Declarations of the libraries that `exports` of package.json names, and of what they import. Each library is one
 *   line there: `"./name": "./dist/name.js"` is built from `src/name.ts`.
 */
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { optionsOf } from './options.ts';
import { libraries } from './package/exports.ts';

const ROOT = join(import.meta.dirname, '..');
const DIST = join(ROOT, 'dist');

optionsOf({});
rmSync(DIST, { recursive: true, force: true });
compile(join(ROOT, 'tsconfig.build.json'));
declare(libraries().map(([, file]) => file.replace('./dist/', '../src/').replace(/\.js$/, '.ts')));

function compile(project: string): void {
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [compiler, '-p', project], { cwd: ROOT, stdio: 'inherit' });
}

/** Uses a temporary project, because the compiler does not accept both a project and files on the command line. */
function declare(files: readonly string[]): void {
  if (files.length === 0) return;
  const project = join(DIST, 'tsconfig.json');
  writeFileSync(
    project,
    JSON.stringify({ extends: '../tsconfig.types.json', compilerOptions: { outDir: '.' }, files }),
  );
  compile(project);
  rmSync(project);
}
