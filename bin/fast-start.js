// Starts the program from one bundle instead of hundreds of files: `npm ci` bundles the sources (bin/warm.js), and the
// bundle is used while the sources are unchanged. After an edit the program starts from the sources, without a build.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
export const CACHE = join(ROOT, 'node_modules/.cache/daybook');
export const BUNDLE = join(CACHE, 'bundle');
export const STAMP = join(BUNDLE, 'sources');

/** Changes with any file of src, and with the path of the checkout. */
export function stampOfSources() {
  const { files, times, bytes } = sumOf(`${ROOT}src`);
  const manifest = statSync(`${ROOT}package.json`).mtimeMs;
  return `${ROOT} ${process.version} ${files} files ${bytes} bytes ${times} ${manifest}`;
}

/** Walks folder by folder, because `readdirSync` with `recursive` takes longer than reading the times of the files. */
function sumOf(folder) {
  const sum = { files: 0, times: 0, bytes: 0 };
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      const { files, times, bytes } = sumOf(path);
      sum.files += files;
      sum.times += times;
      sum.bytes += bytes;
    } else if (entry.name.endsWith('.ts')) {
      const { mtimeMs, size } = statSync(path);
      sum.files += 1;
      sum.times += Math.round(mtimeMs);
      sum.bytes += size;
    }
  }
  return sum;
}

/** The bundled program; null when there is none or the sources have changed. */
export function bundledMain() {
  try {
    return readFileSync(STAMP, 'utf8') === stampOfSources() ? join(BUNDLE, 'main.mjs') : null;
  } catch {
    return null;
  }
}

/** Where Node keeps compiled code. The folder of an installed package often belongs to somebody else. */
export function cacheFolder() {
  if (existsSync(join(ROOT, 'src'))) return CACHE;
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'daybook');
}

/** The program as it is in this folder: sources in a checkout, `dist` in an installed package. */
export function plainMain() {
  const source = join(ROOT, 'src/cli/main.ts');
  return existsSync(source) ? source : join(ROOT, 'dist/cli/main.js');
}
