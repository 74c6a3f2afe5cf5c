// Bundles the console: `web/` becomes one page, one style sheet and scripts whose names contain the hash of their
// content. In a checkout, `npm ci` builds it, and the daemon builds it again when a file of `web/` has changed.
// `npm run build` writes it to `dist/web`. As a program: node bin/build-web.js <folder>.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CACHE, ROOT } from './fast-start.js';

const WEB = join(ROOT, 'web');
export const WEB_CACHE = join(CACHE, 'web');
/** Style sheets, in the order of the cascade. Those of the views follow, in the order of their names. */
const STYLES = ['tokens.css', 'styles'];

/** Identifies the inputs of the build: it changes with any file of `web/`, with this file, and with package.json. */
export function stampOfWeb() {
  const builder = ['bin/build-web.js', 'package.json'].map((path) => join(ROOT, path));
  const parts = [...filesOf(WEB), ...builder].map((path) => {
    const { mtimeMs, size } = statSync(path);
    return `${path} ${size} ${mtimeMs}`;
  });
  return createHash('sha256').update(parts.join('\n')).digest('hex');
}

let building = null;

/** The folder of the console built from the current files of `web/`; builds it if it is missing or outdated. */
export async function currentWeb() {
  const stamp = stampOfWeb();
  if (stampIn(WEB_CACHE) === stamp) return WEB_CACHE;
  building ??= buildWeb(WEB_CACHE, stamp).finally(() => {
    building = null;
  });
  await building;
  return WEB_CACHE;
}

function stampIn(folder) {
  try {
    return readFileSync(join(folder, 'stamp'), 'utf8');
  } catch {
    return null;
  }
}

export async function buildWeb(folder, stamp = stampOfWeb()) {
  const unfinished = `${folder}.${process.pid}`;
  rmSync(unfinished, { recursive: true, force: true });
  const { entry, preloads } = await bundleScripts(join(unfinished, 'scripts'));
  const style = writeStyle(join(unfinished, 'styles'));
  const page = readFileSync(join(WEB, 'index.html'), 'utf8')
    .replace('/web/main.js', `/web/scripts/${entry}`)
    .replace(
      '</head>',
      `${preloads.map((name) => `<link rel="modulepreload" href="/web/scripts/${name}">\n`).join('')}</head>`,
    )
    .replace('/web/style.css', `/web/styles/${style}`);
  writeFileSync(join(unfinished, 'index.html'), page);
  writeFileSync(join(unfinished, 'stamp'), stamp);
  rmSync(folder, { recursive: true, force: true });
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    // Another process may have built the same console at the same time.
    rmSync(unfinished, { recursive: true, force: true });
    if (stampIn(folder) !== stamp) throw error;
  }
}

/** The view that opens first. */
const FIRST_VIEW = join(WEB, 'views/now/view.tsx');

/** A bundle of its own, because the audio thread loads its script by URL. */
const CAPTURE = join(WEB, 'views/voice/capture.worklet.ts');

/** Returns the name of the entry script, and the names of the scripts that it and the first view import. */
async function bundleScripts(dir) {
  const { rolldown } = await import('rolldown');
  const bundle = async (input, define = {}) => {
    const build = await rolldown({
      input,
      cwd: ROOT,
      platform: 'browser',
      tsconfig: join(WEB, 'tsconfig.json'),
      transform: { target: 'es2022', define },
      logLevel: 'warn',
    });
    const names = { entryFileNames: '[name]-[hash].js', chunkFileNames: '[name]-[hash].js' };
    const { output } = await build.write({ dir, format: 'esm', minify: true, ...names });
    await build.close();
    return output;
  };
  const [capture] = await bundle({ capture: CAPTURE });
  const script = JSON.stringify(`/web/scripts/${capture.fileName}`);
  const output = await bundle({ main: join(WEB, 'main.tsx') }, { CAPTURE_SCRIPT: script });
  const entry = output.find((chunk) => chunk.isEntry);
  const view = output.find((chunk) => chunk.facadeModuleId === FIRST_VIEW);
  const preloads = importedBy([entry, view], output);
  preloads.delete(entry.fileName);
  return { entry: entry.fileName, preloads: [...preloads] };
}

/** The names of the chunks and of everything that they import statically. */
function importedBy(chunks, output) {
  const names = new Set(chunks.map(({ fileName }) => fileName));
  for (const name of names) {
    for (const imported of output.find(({ fileName }) => fileName === name).imports) names.add(imported);
  }
  return names;
}

function writeStyle(dir) {
  const sheets = [
    ...STYLES.flatMap((name) => filesOf(join(WEB, name))),
    ...filesOf(join(WEB, 'views')).filter((path) => path.endsWith('.css')),
  ];
  const text = sheets
    .map((path) =>
      readFileSync(path, 'utf8')
        .replace(/\/\*[\s\S]*?\*\//g, '')
        .replace(/\n\s+/g, '\n'),
    )
    .join('\n');
  const hash = createHash('sha256').update(text).digest('base64url').slice(0, 8);
  const name = `style-${hash}.css`;
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, name), text);
  return name;
}

function filesOf(path) {
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { withFileTypes: true })
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => filesOf(join(path, entry.name)));
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) {
    process.stderr.write('usage: node bin/build-web.js <folder>\n');
    process.exit(2);
  }
  // Not awaited: http/web.ts requires this module, and a module with a top-level await cannot be required.
  void buildWeb(folder);
}
