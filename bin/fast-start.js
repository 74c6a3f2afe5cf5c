// Starts the program from a bundle instead of hundreds of files: `npm ci` bundles the sources (bin/warm.js), and the
// bundle is used while the sources are unchanged. After an edit the program starts from the sources, without a build.
// The daemon has its own bundle, with a V8 code cache that an earlier process wrote.
import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { cachedDataVersionTag } from 'node:v8';
import { Script } from 'node:vm';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
export const CACHE = join(ROOT, 'node_modules/.cache/daybook');
export const BUNDLE = join(CACHE, 'bundle');
export const STAMP = join(BUNDLE, 'sources');
export const DAEMON = join(BUNDLE, 'daemon/daemon.cjs');
/** The code cache. V8 accepts it only from the same version of Node with the same flags. */
export const COMPILED = join(BUNDLE, `compiled-${cachedDataVersionTag()}`);
/** The cache is written this long after the start, when the daemon has run all the code of its start. */
const COMPILED_AFTER_MS = 2_000;

/** Identifies the inputs of the bundle: it changes with any file of src, and with the path of the checkout. */
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

/** The path of the bundled program; null if there is none or the sources have changed. */
export function bundledMain() {
  try {
    return readFileSync(STAMP, 'utf8') === stampOfSources() ? join(BUNDLE, 'main.mjs') : null;
  } catch {
    return null;
  }
}

/** Runs the program with the arguments of a command line. */
export async function start(words) {
  const bundled = bundledMain();
  if (bundled !== null && words[0] === 'serve') {
    const { execute, serveCommand } = loadDaemon();
    await execute(async () => serveCommand().name('daybook serve'), words.slice(1));
  } else {
    const { main } = await import(pathToFileURL(bundled ?? plainMain()).href);
    await main(words);
  }
}

/**
 * Node's own compile cache contains what V8 compiles when it loads a file, without the functions that run later. This
 * cache is made after the daemon has started, so it includes the functions of the start, which saves 70 ms of processor
 * time.
 */
function loadDaemon() {
  const compiled = readIfThere(COMPILED);
  const script = new Script(
    `(function (exports, require, __filename, __dirname) {${readFileSync(DAEMON, 'latin1')}\n})`,
    {
      filename: DAEMON,
      cachedData: compiled,
    },
  );
  if (compiled !== undefined) free(compiled);
  if (compiled === undefined || script.cachedDataRejected) setTimeout(keepCompiled, COMPILED_AFTER_MS, script).unref();
  const require = createRequire(DAEMON);
  const module = { id: DAEMON, filename: DAEMON, loaded: true, exports: {} };
  // The other files of the bundle require this module.
  require.cache[DAEMON] = module;
  script.runInThisContext()(module.exports, require, DAEMON, dirname(DAEMON));
  return require('./entry.cjs');
}

function readIfThere(path) {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

/**
 * Frees the bytes now, and not at the next full collection: the code cache has 3 MB. Small bytes are part of a pool of
 * Node's and stay.
 */
function free({ buffer, byteLength }) {
  if (buffer.byteLength === byteLength) buffer.transfer(0);
}

/** Only an optimisation: if the cache cannot be written, the next start is as slow as this one. */
function keepCompiled(script) {
  try {
    const unfinished = `${COMPILED}.${process.pid}`;
    writeFileSync(unfinished, script.createCachedData());
    renameSync(unfinished, COMPILED);
  } catch {}
}

/**
 * Where Node keeps its compile cache. The folder of an installed package often belongs to another user. Undefined for a
 * user without a home directory: Node then takes the folder for temporary files.
 */
export function cacheFolder() {
  if (existsSync(join(ROOT, 'src'))) return CACHE;
  try {
    return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'daybook');
  } catch {
    return undefined;
  }
}

/** The program without a bundle: the sources in a checkout, `dist` in an installed package. */
export function plainMain() {
  const source = join(ROOT, 'src/cli/main.ts');
  return existsSync(source) ? source : join(ROOT, 'dist/cli/main.js');
}
