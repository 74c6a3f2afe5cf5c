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
  const sources = join(ROOT, 'src');
  let files = 0;
  let times = 0;
  let bytes = 0;
  for (const name of readdirSync(sources, { recursive: true })) {
    if (!name.endsWith('.ts')) continue;
    const { mtimeMs, size } = statSync(`${sources}/${name}`);
    files += 1;
    bytes += size;
    times += Math.round(mtimeMs);
  }
  const manifest = statSync(join(ROOT, 'package.json')).mtimeMs;
  return `${ROOT} ${process.version} ${files} files ${bytes} bytes ${times} ${manifest}`;
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
