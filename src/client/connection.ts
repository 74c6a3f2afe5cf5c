/**
 * Finds the daemon: by the given address and token, by `daemon.json` in the home of a local daemon, or in a browser by
 * the origin of the page. Everything that can change is looked up again before every attempt.
 */
import { DaybookError } from './errors.ts';

export interface Daemon {
  /** Without a slash at the end. */
  readonly url: string;
  readonly token: string | undefined;
}

/** A value, or a function that returns it. */
export type Source<Value> = Value | (() => Value | Promise<Value>);

export interface ConnectionOptions {
  /** Address of the daemon. A function is called before every attempt. */
  readonly url?: Source<string> | undefined;
  /**
   * The bearer token. A function is called before every attempt, so that it can return the token of a restarted daemon.
   */
  readonly token?: Source<string | undefined> | undefined;
  /** Home of a local daemon, for Node, Bun and Deno; default: `DAYBOOK_HOME`, else `.daybook` in the user's folder. */
  readonly home?: string | undefined;
}

export interface Connection {
  current(): Promise<Daemon>;
  /** Whether the token may have changed since the daemon rejected it, as it does when the daemon restarts. */
  readonly mayChange: boolean;
}

export function createConnection({ url, token, home }: ConnectionOptions): Connection {
  const isLocal = url === undefined && pageOrigin() === undefined;
  return {
    mayChange: isLocal || typeof token === 'function',
    async current() {
      const daemon = isLocal ? localDaemon(home) : { url: await addressOf(url), token: undefined };
      return token === undefined ? daemon : { ...daemon, token: checked(await resolved(token)) };
    },
  };
}

/** Without the line feed of its file, which a header may have and an address may not. */
function checked(token: string | undefined): string | undefined {
  const value = token?.trim();
  // The error of `fetch` for such a header contains the token.
  if (value !== undefined && /[^\x21-\x7e]/.test(value)) throw new TypeError('The token is not one word of ASCII.');
  return value;
}

async function addressOf(url: ConnectionOptions['url']): Promise<string> {
  return ((await resolved(url)) ?? pageOrigin()!).replace(/\/+$/, '');
}

async function resolved<Value extends string | undefined>(source: Source<Value>): Promise<Value> {
  return typeof source === 'function' ? await source() : source;
}

/** Globals that not every runtime has. Nothing is imported, so that bundles for browsers need no shim. */
interface Environment {
  readonly location?: { readonly origin: string; readonly protocol: string };
  readonly process?: {
    readonly env: { readonly [name: string]: string | undefined };
    kill(pid: number, signal: number): unknown;
    getBuiltinModule?(name: 'node:fs'): Files;
    getBuiltinModule?(name: 'node:os'): { homedir(): string };
    getBuiltinModule?(name: 'node:path'): { join(...parts: readonly string[]): string };
  };
}

interface Files {
  readFileSync(path: string, encoding: 'utf8'): string;
  statSync(path: string, options: { bigint: true; throwIfNoEntry: false }): Identity | undefined;
}

interface Identity {
  readonly dev: bigint;
  readonly ino: bigint;
}

const environment: Environment = globalThis;

function pageOrigin(): string | undefined {
  const { location } = environment;
  return location?.protocol.startsWith('http') ? location.origin : undefined;
}

function localDaemon(home: string | undefined): Daemon {
  const { process } = environment;
  const [fs, os, path] = [
    process?.getBuiltinModule?.('node:fs'),
    process?.getBuiltinModule?.('node:os'),
    process?.getBuiltinModule?.('node:path'),
  ];
  if (process === undefined || fs === undefined || os === undefined || path === undefined) {
    throw new TypeError('createClient needs a url here: local daemons are found by Node ≥ 20.16, Bun and Deno only.');
  }
  const given = (home ?? process.env.DAYBOOK_HOME ?? '').replace(/^~(?=$|\/)/, () => os.homedir());
  const folder = given === '' ? path.join(os.homedir(), '.daybook') : given;
  try {
    const facts = JSON.parse(fs.readFileSync(path.join(folder, 'daemon.json'), 'utf8'));
    const { pid, url, token, home: original = folder } = facts;
    if (!isAlive(process, pid)) throw new Error(`The process ${pid} has ended.`);
    if (isCopy(fs, folder, original)) throw new Error(`It is a copy; the daemon runs on ${original}.`);
    return { url, token };
  } catch (cause) {
    throw new DaybookError({
      status: 0,
      error: `No daemon is running on ${folder}. Start one with: daybook serve`,
      cause,
    });
  }
}

/** Whether `original` is there and is another folder. */
function isCopy(fs: Files, folder: string, original: string): boolean {
  const [here, there] = [folder, original].map((path) => fs.statSync(path, { bigint: true, throwIfNoEntry: false }));
  return here !== undefined && there !== undefined && (here.ino !== there.ino || here.dev !== there.dev);
}

/** True if in doubt: the process may belong to another user, or the runtime may forbid the check. */
function isAlive(process: Pick<NonNullable<Environment['process']>, 'kill'>, pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
