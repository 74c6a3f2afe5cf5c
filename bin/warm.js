// Runs at the end of `npm ci`: bundles the program and the console, and starts a daemon once, so that even the first
// start is fast. Only an optimisation: everything works without it.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { currentWeb } from './build-web.js';
import { BUNDLE, bundledMain, CACHE, plainMain, ROOT, STAMP, stampOfSources } from './fast-start.js';

const START_MS_MAX = 15_000;

/** One file with everything that every start of a daemon loads. The engine of a new home, cow, is loaded by name. */
const DAEMON_FILE = { name: 'daemon', test: /\/src\/(cli\/daemon|storage\/cow\/engine)\.ts$/ };

const NOT_BUNDLED = [
  /\.node$/,
  'better-sqlite3',
  '@napi-rs/keyring',
  'pdfkit',
  'web-tree-sitter',
  '@agentclientprotocol/sdk',
  // Fastify requires these when they are used, and the daemon uses none of them: half a megabyte.
  '@fastify/ajv-compiler',
  '@fastify/fast-json-stringify-compiler',
  'light-my-request',
];

/** Makes two bundles: the program, with one or more files for each command, and the daemon alone. */
async function bundle() {
  const { rolldown } = await import('rolldown');
  const { transform } = await import('rolldown/utils');
  const stamp = stampOfSources();
  const unfinished = `${BUNDLE}.${process.pid}`;
  const common = {
    cwd: ROOT,
    platform: 'node',
    external: NOT_BUNDLED,
    resolve: { alias: { rxjs: join(ROOT, 'node_modules/rxjs/dist/esm/index.js') } },
    logLevel: 'silent',
  };
  const plugins = [keepUrl(transform), loadedLate, asciiOnly];
  mkdirSync(CACHE, { recursive: true });
  await write(
    { ...common, input: plainMain(), plugins },
    { dir: unfinished, format: 'esm', entryFileNames: 'main.mjs' },
  );
  await write(
    { ...common, input: 'daemon', plugins: [daemonEntry, ...plugins] },
    {
      dir: join(unfinished, 'daemon'),
      format: 'cjs',
      entryFileNames: 'entry.cjs',
      // fast-start.js runs this code as a `Script`, which cannot import.
      dynamicImportInCjs: false,
      codeSplitting: { groups: [DAEMON_FILE] },
    },
  );
  rmSync(BUNDLE, { recursive: true, force: true });
  renameSync(unfinished, BUNDLE);
  writeFileSync(STAMP, stamp);

  async function write(input, output) {
    const build = await rolldown(input);
    const extension = output.format === 'esm' ? 'mjs' : 'cjs';
    const chunkFileNames = ({ name }) =>
      name === DAEMON_FILE.name ? `${name}.${extension}` : `[name]-[hash].${extension}`;
    await build.write({ ...output, chunkFileNames, comments: false });
    await build.close();
  }
}

/** The entry of the daemon's bundle: the exports that `start` in fast-start.js uses for `serve`. */
const daemonEntry = {
  name: 'daemon-entry',
  resolveId: (id) => (id === 'daemon' ? join(ROOT, 'src/cli/daemon.ts') : null),
  load: (id) =>
    id === join(ROOT, 'src/cli/daemon.ts')
      ? `export { execute } from './execute.ts'; export { command as serveCommand } from './serve.ts';`
      : null,
};

/** Keeps `import.meta.url` of each module: workers and web files are found relative to their source file. */
function keepUrl(transform) {
  return {
    name: 'keep-url',
    transform: {
      filter: { id: /\/src\/.*\.ts$/ },
      handler: (code, id) =>
        transform(id, code, {
          define: {
            'import.meta.url': JSON.stringify(pathToFileURL(id).href),
            'import.meta.filename': JSON.stringify(id),
          },
        }),
    },
  };
}

/** Fastify and ws require TLS and HTTP/2. The bundle loads them at the first use: 6 ms and 3 MB less at each start. */
const loadedLate = {
  name: 'loaded-late',
  resolveId: {
    filter: { id: /^(node:)?(http2|https|tls)$/ },
    handler: (id, importer) => (/\/node_modules\/(fastify|ws)\//.test(importer) ? `\0late:${id}` : null),
  },
  load: {
    filter: { id: /^\0late:/ },
    handler: (id) => {
      const name = id.slice('\0late:'.length);
      return `module.exports = new Proxy({}, { get: (_, member) => process.getBuiltinModule('${name}')[member] });`;
    },
  },
};

/**
 * V8 stores a source with other characters at two bytes each. They occur in string literals only, where an escape means
 * the same.
 */
const asciiOnly = {
  name: 'ascii-only',
  // Not in renderChunk: rolldown prints the code once more after it, and writes escaped characters as themselves.
  generateBundle(_options, files) {
    for (const file of Object.values(files)) {
      if (file.type === 'chunk') file.code = file.code.replace(/[\u0080-\uffff]/g, escaped);
    }
  },
};

function escaped(unit) {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/**
 * Starts a daemon with the flags of `npm start` and stops it when it has written its code cache, if that is missing.
 */
async function startOnce() {
  const isWarm = () => readdirSync(BUNDLE).some((name) => /^compiled-\d+$/.test(name));
  if (bundledMain() === null || isWarm()) return;
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const flags = manifest.scripts.start.split(' ').filter((word) => word.startsWith('--'));
  const home = mkdtempSync(join(tmpdir(), 'daybook-warm-'));
  const settings = ['--ephemeral', '--home', home, '--port', '0', '--storage-ops-port', 'off'];
  const daemon = spawn(process.execPath, [...flags, join(ROOT, 'bin/daybook.js'), 'serve', ...settings], {
    stdio: 'ignore',
    env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('DAYBOOK_'))),
  });
  const ended = new Promise((resolve) => daemon.once('exit', resolve).once('error', resolve));
  try {
    for (let waited = 0; waited < START_MS_MAX && !isWarm() && daemon.exitCode === null; waited += 100)
      await pause(100);
  } finally {
    daemon.kill('SIGTERM');
    await ended;
    rmSync(home, { recursive: true, force: true });
  }
}

const [major = 0] = process.versions.node.split('.').map(Number);
if (major >= 24) {
  try {
    if (bundledMain() === null) await bundle();
  } catch {
    rmSync(BUNDLE, { recursive: true, force: true });
  }
  // The daemon builds the console if it is missing.
  await currentWeb().catch(() => undefined);
  await startOnce().catch(() => undefined);
}
