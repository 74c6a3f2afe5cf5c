// `npm ci` ends with this: it bundles the program and the console, and loads the daemon's modules once, so that even the first
// start is a fast one. Only a convenience: where it cannot run, nothing is missing.
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { currentWeb } from './build-web.js';
import { BUNDLE, bundledMain, CACHE, plainMain, ROOT, STAMP, stampOfSources } from './fast-start.js';

const [major = 0] = process.versions.node.split('.').map(Number);
if (major >= 24) {
  try {
    if (bundledMain() === null) await bundle();
  } catch {
    rmSync(BUNDLE, { recursive: true, force: true });
  }
  // The daemon makes the console again when it is missing.
  await currentWeb().catch(() => undefined);
  nodeModule.enableCompileCache(CACHE);
  try {
    const { warm } = await import(pathToFileURL(join(BUNDLE, 'main.mjs')).href).catch(() => import(plainMain()));
    await warm();
  } catch {
    process.exitCode = 0;
  }
}

/** Workers and web files are found from the place of their source: each module keeps the URL of its own. */
async function bundle() {
  const { rolldown } = await import('rolldown');
  const { transform } = await import('rolldown/utils');
  const keepUrl = {
    name: 'keep-url',
    transform: {
      filter: { id: /\/src\/.*\.ts$/ },
      handler: (code, id) =>
        transform(id, code, { define: { 'import.meta.url': JSON.stringify(pathToFileURL(id).href) } }),
    },
  };
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
    plugins: [keepUrl],
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
