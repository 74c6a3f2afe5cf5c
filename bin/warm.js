// `npm ci` ends with this: it bundles the program and loads the daemon's modules once, so that even the first start is a
// fast one. Only a convenience: where it cannot run, nothing is missing.
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BUNDLE, CACHE, plainMain, ROOT, STAMP, stampOfSources } from './fast-start.js';

const [major = 0] = process.versions.node.split('.').map(Number);
if (major >= 24) {
  try {
    await bundle();
  } catch {
    rmSync(BUNDLE, { recursive: true, force: true });
  }
  nodeModule.enableCompileCache(CACHE);
  try {
    const { warm } = await import(pathToFileURL(join(BUNDLE, 'main.mjs')).href).catch(() => import(plainMain()));
    await warm();
  } catch {
    process.exitCode = 0;
  }
}

function prepared(code, id) {
  return withoutHttpFacade(withItsPlace(code, id));
}

/**
 * An ES import of a builtin reads all of its exports, and reading those of node:http loads Node's fetch with everything
 * around it: 30 ms and 10 MB that a start does not need.
 */
function withoutHttpFacade(code) {
  return code.replace(/^import \{([^}]*)\} from 'node:http';$/gm, (_, names) => {
    const values = names.split(',').filter((name) => name.trim() !== '' && !name.trim().startsWith('type '));
    return `const {${values.join(',').replaceAll(' as ', ': ')}} = process.getBuiltinModule('node:http');`;
  });
}

/** Workers and web files are found from the place of their source, so that is what each module is told. */
async function bundle() {
  const { rolldown } = await import('rolldown');
  const stamp = stampOfSources();
  const unfinished = `${BUNDLE}.${process.pid}`;
  const build = await rolldown({
    input: plainMain(),
    cwd: ROOT,
    platform: 'node',
    external: [
      /\.node$/,
      'better-sqlite3',
      '@napi-rs/keyring',
      'pdfkit',
      'web-tree-sitter',
      '@agentclientprotocol/sdk',
    ],
    plugins: [{ name: 'prepared', transform: { filter: { id: /\/src\/.*\.ts$/ }, handler: prepared } }],
    logLevel: 'silent',
  });
  mkdirSync(CACHE, { recursive: true });
  await build.write({
    dir: unfinished,
    format: 'esm',
    entryFileNames: 'main.mjs',
    chunkFileNames: '[name]-[hash].mjs',
  });
  await build.close();
  rmSync(BUNDLE, { recursive: true, force: true });
  renameSync(unfinished, BUNDLE);
  writeFileSync(STAMP, stamp);
}

function withItsPlace(code, id) {
  return code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href));
}
