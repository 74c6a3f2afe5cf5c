// One file instead of hundreds: `npm ci` bundles the sources (bin/warm.js), and the program starts from the bundle for as
// long as it is exactly what the sources say. After an edit it starts from the sources again; nothing has to be built.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
export const CACHE = join(ROOT, 'node_modules/.cache/daybook');
export const BUNDLE = join(CACHE, 'bundle');
export const STAMP = join(BUNDLE, 'sources');

/** Changes with any file of src, and with the place of the checkout. */
export function stampOfSources() {
  const { files, times, bytes } = sumOf(`${ROOT}src`);
  const manifest = statSync(`${ROOT}package.json`).mtimeMs;
  return `${ROOT} ${process.version} ${files} files ${bytes} bytes ${times} ${manifest}`;
}

/** By hand: what `recursive` does with each path takes longer than asking for its times. */
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

/** The bundled program, or null where there is none or it is not what the sources say. */
export function bundledMain() {
  try {
    return readFileSync(STAMP, 'utf8') === stampOfSources() ? join(BUNDLE, 'main.mjs') : null;
  } catch {
    return null;
  }
}

/** The program as it is in this folder: sources in a checkout, `dist` in an installed package. */
export function plainMain() {
  const source = join(ROOT, 'src/cli/main.ts');
  return existsSync(source) ? source : join(ROOT, 'dist/cli/main.js');
}
