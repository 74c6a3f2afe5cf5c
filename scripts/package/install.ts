/** Packs the package and installs it into an empty folder, as its users do. */
import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '../..');
const INSTALL_MS_MAX = 300_000;
/** Enough for a list of 900 files as JSON. */
const OUTPUT_BYTES_MAX = 16_777_216;

export interface Tarball {
  readonly path: string;
  readonly size_bytes: number;
  /** Paths in the package. */
  readonly files: readonly string[];
}

export interface InstallOptions {
  /** Package names or tarballs. */
  readonly what: readonly string[];
  /** An empty folder for `node_modules`, or for `lib` and `bin` of a global installation. */
  readonly prefix: string;
  readonly isGlobal: boolean;
  /** Home of the user for whom it is installed. */
  readonly home: string;
  /** npm's cache; with an empty folder npm downloads everything. */
  readonly cache?: string | undefined;
  readonly flags?: readonly string[];
  /** Folder of the `node` that runs npm. */
  readonly nodeFolder?: string | undefined;
}

/** Builds and packs the checkout. */
export async function pack(folder: string): Promise<Tarball> {
  const { stdout } = await execute('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: ROOT,
    env: plainEnv(),
    maxBuffer: OUTPUT_BYTES_MAX,
  });
  // Scripts that npm runs first may print something before the JSON.
  const answer = JSON.parse(stdout.slice(stdout.search(/^[[{]/m))) as unknown;
  const [packed] = Object.values(answer as Record<string, PackedByNpm>);
  if (packed === undefined) throw new Error(`npm pack answered ${stdout}`);
  return {
    path: join(folder, packed.filename),
    size_bytes: packed.size,
    files: packed.files.map(({ path }) => path),
  };
}

interface PackedByNpm {
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

/** Runs `npm install`. Resolves with what npm printed. */
export async function install(options: InstallOptions): Promise<string> {
  const { what, prefix, isGlobal, home, cache, nodeFolder, flags = [] } = options;
  mkdirSync(prefix, { recursive: true });
  const env: NodeJS.ProcessEnv = { ...plainEnv(), ...(nodeFolder && { PATH: `${nodeFolder}:${process.env.PATH}` }) };
  const given = [
    `--global=${isGlobal}`,
    '--no-progress',
    '--prefix',
    prefix,
    '--cache',
    cache ?? (await defaultCache()),
    ...flags,
  ];
  const { stdout, stderr } = await execute('npm', ['install', ...given, ...what], {
    cwd: prefix,
    env: { ...env, HOME: home },
    timeout: INSTALL_MS_MAX,
  });
  return `${stdout}${stderr}`;
}

async function defaultCache(): Promise<string> {
  return (await execute('npm', ['config', 'get', 'cache'], { env: plainEnv() })).stdout.trim();
}

/** The environment without the variables of an npm or vitest that runs this process. */
function plainEnv(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_OPTIONS$|VITEST)/.test(name)));
}
