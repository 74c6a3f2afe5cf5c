/** Uses the installed package: its program and its libraries. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '../..');
const ANSWER_MS_MAX = 60_000;

export interface Installation {
  /** Folder of the package. */
  readonly folder: string;
  /** The executable that npm links. */
  readonly program: string;
  /** Home of its user. */
  readonly home: string;
}

/** The first Node in PATH that is 20 or newer and older than 24. */
export async function olderNode(): Promise<{ readonly folder: string; readonly version: string } | null> {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const node = join(folder, 'node');
    if (!existsSync(node)) continue;
    const version = (await execute(node, ['--version'])).stdout.trim();
    const major = Number(/^v(\d+)/.exec(version)?.[1]);
    if (major >= 20 && major < 24) return { folder, version };
  }
  return null;
}

/** Runs the program with the Node of the folder first in PATH; resolves with its standard output. */
export async function run(
  at: Installation,
  words: readonly string[],
  nodeFolder: string,
  cwd: string,
): Promise<string> {
  const options = { env: envOf(at, nodeFolder), cwd, timeout: ANSWER_MS_MAX };
  return (await execute(at.program, [...words], options)).stdout;
}

/**
 * Starts a daemon, requests `/health` and the console, and stops it with SIGTERM. Resolves with the daemon's version.
 */
export async function serve(at: Installation, nodeFolder: string, cwd: string): Promise<string> {
  const words = ['serve', '--port', '0', '--storage-ops-port', 'off'];
  const child = spawn(at.program, words, { env: envOf(at, nodeFolder), cwd, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit');
  try {
    let stderr = '';
    child.stderr.setEncoding('utf8');
    for await (const text of child.stderr.iterator({ destroyOnReturn: false })) {
      stderr += text;
      if (/^listening \S+$/m.test(stderr)) break;
    }
    const url = /^listening (\S+)$/m.exec(stderr)?.[1];
    if (url === undefined) throw new Error(`The daemon did not start listening. It printed: ${stderr}`);
    child.stderr.resume();
    const { status, version } = (await (await fetch(`${url}/health`)).json()) as Record<string, string>;
    if (status !== 'ok') throw new Error(`/health answered ${status}.`);
    const page = await (await fetch(`${url}/web`)).text();
    const script = /(?<=src=")[^"]+\.js[^"]*/.exec(page)?.[0];
    const file = await fetch(new URL(script ?? 'no-script', `${url}/web`));
    if (!file.ok) throw new Error(`A file of the console answered ${file.status}.`);
    return version!;
  } finally {
    child.kill('SIGTERM');
    const [code] = (await ended) as [number | null];
    if (code !== 0) process.exitCode = 1;
  }
}

function envOf({ home }: Installation, nodeFolder: string): NodeJS.ProcessEnv {
  return { PATH: [nodeFolder, '/usr/bin', '/bin'].join(delimiter), HOME: home };
}

/** Runs the demo of the checkout with the installed program. Resolves with its last line. */
export async function demo({ program, home }: Installation): Promise<string> {
  const env = { PATH: process.env.PATH, HOME: home, DAYBOOK_DEMO_PROGRAM: program };
  const { stdout } = await execute(process.execPath, ['examples/demo.ts'], { cwd: ROOT, env, timeout: 120_000 });
  return stdout.trimEnd().split('\n').at(-1)!;
}

/** Imports a library in the consumer's folder. Resolves with the number of its exports. */
export async function importLibrary(consumer: string, specifier: string, nodeFolder: string): Promise<number> {
  const script = `console.log(Object.keys(await import(${JSON.stringify(specifier)})).length)`;
  const words = ['--input-type=module', '--eval', script];
  const { stdout } = await execute(join(nodeFolder, 'node'), words, { cwd: consumer, timeout: ANSWER_MS_MAX });
  return Number(stdout);
}

/** Compiles a program that imports every library, checking the declarations of the package too. */
export async function compileAgainst(consumer: string, specifiers: readonly string[]): Promise<void> {
  const lines = specifiers.map((specifier, at) => `export * as library${at} from '${specifier}';\n`);
  writeFileSync(join(consumer, 'program.ts'), lines.join(''));
  const { target, lib, module, strict } = (
    JSON.parse(readFileSync(join(ROOT, 'tsconfig.json'), 'utf8')) as { compilerOptions: Record<string, unknown> }
  ).compilerOptions;
  const compilerOptions = { target, lib, module, strict, noEmit: true, types: ['node'] };
  writeFileSync(join(consumer, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
  await execute(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', consumer]);
}
