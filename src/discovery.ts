/**
 * The files by which clients on this machine find the daemon: `daemon.token` and `daemon.json` in its home, readable by
 * their owner only.
 */
import { readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { isDiskFull } from './storage/disk-error.ts';
import { hasEnded, startOf } from './storage/lock.ts';
import { VERSION } from './version.ts';

const zDiscovery = z.object({
  pid: z.int(),
  port: z.int(),
  token: z.string(),
  /** Start of the process as the system reports it, to tell it from a later process with the same id. */
  process: z.string().exactOptional(),
  /** Unix time in milliseconds. */
  started_at: z.int(),
  url: z.string(),
  /** The home, by which a copy of it is told apart; absent before there was this field. */
  home: z.string().exactOptional(),
  /** Of the program that runs; absent before there was this field. */
  version: z.string().exactOptional(),
  /** The daemon ends with the command that started it. */
  leashed: z.boolean().exactOptional(),
  /** File with the TLS certificate, which clients on this machine trust. */
  certificate: z.string().exactOptional(),
});
export type Discovery = z.infer<typeof zDiscovery>;

export interface DiscoveryFacts {
  readonly token: string;
  /** The address the daemon listens on. */
  readonly host: string;
  readonly port: number;
  /** Unix time in milliseconds. */
  readonly startedAt: number;
  readonly leashed?: boolean;
  /** TLS certificate: its file, and a host that it covers. */
  readonly certificate?: { readonly path: string; readonly host: string } | null;
}

export interface DiscoveryFiles {
  /** Throws when the files cannot be written. On a full disk, writing is repeated until there is room. */
  write(facts: DiscoveryFacts): void;
  /** Removes the files, unless they are those of another daemon, in a home that was put in the place of this one. */
  remove(): void;
}

/** Between two attempts on a full disk. */
const RETRY_MS = 1_000;

/** The address at which local clients reach a daemon that listens on all addresses. */
const LOOPBACK_OF: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

export function urlOf(host: string, port: number, isEncrypted = false): string {
  return `${isEncrypted ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function pathsIn(home: string): readonly [token: string, facts: string] {
  return [join(home, 'daemon.token'), join(home, 'daemon.json')];
}

/** Removes the files if they name this process. For exits that do not stop the daemon in order. */
export function removeDiscovery(home: string): void {
  if (readDiscovery(home)?.pid === process.pid) remove(pathsIn(home));
}

function remove(paths: readonly string[]): void {
  for (const path of paths) rmSync(path, { force: true });
}

export function writeDiscovery(home: string): DiscoveryFiles {
  const [tokenPath, factsPath] = pathsIn(home);
  const written = new Map<string, string>();
  let retry: NodeJS.Timeout | undefined;
  const keep = (path: string, text: string): void => {
    writePrivate(path, text);
    written.set(path, text);
  };
  return {
    write({ token, host, port, startedAt, leashed = false, certificate = null }) {
      const started = startOf(process.pid);
      const facts: Discovery = {
        pid: process.pid,
        ...(started !== null && { process: started }),
        port,
        token,
        started_at: startedAt,
        url: urlOf(certificate?.host ?? LOOPBACK_OF[host] ?? host, port, certificate !== null),
        home: realpathSync(home),
        version: VERSION,
        ...(leashed && { leashed }),
        ...(certificate !== null && { certificate: certificate.path }),
      };
      const attempt = (): boolean => {
        try {
          keep(tokenPath, token);
          keep(factsPath, `${JSON.stringify(facts)}\n`);
          return true;
        } catch (error) {
          if (!isDiskFull((error as Error).cause)) throw error;
          return false;
        }
      };
      if (attempt()) return;
      retry = setInterval(() => attempt() && clearInterval(retry), RETRY_MS).unref();
    },
    remove() {
      clearInterval(retry);
      const named = textOf(factsPath);
      if (named === null || named === written.get(factsPath)) remove([...written.keys()]);
    },
  };
}

/**
 * The daemon that the files of a home name; null unless its process is alive. A process with another start time has
 * reused the id of a killed daemon. So has a process of another user: only a process of the same user writes a file
 * that this user can read. A killed daemon whose parent has not waited for it keeps its id. The files of a home that
 * was copied while its daemon runs name the daemon of the original.
 */
export function readDiscovery(home: string): Discovery | null {
  try {
    const facts = zDiscovery.parse(JSON.parse(readFileSync(join(home, 'daemon.json'), 'utf8')));
    process.kill(facts.pid, 0);
    const started = startOf(facts.pid);
    const isAnother = facts.process !== undefined && started !== null && started !== facts.process;
    return isAnother || hasEnded(facts.pid) || isCopy(home, facts.home) ? null : facts;
  } catch {
    return null;
  }
}

/** Whether `original` is there and is another folder. Of a home that was moved or is seen from a container it is absent. */
function isCopy(home: string, original: string | undefined): boolean {
  if (original === undefined) return false;
  const [here, there] = [home, original].map((path) => statSync(path, { bigint: true, throwIfNoEntry: false }));
  return here !== undefined && there !== undefined && (here.ino !== there.ino || here.dev !== there.dev);
}

/** Null when the file cannot be read. */
function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

function writePrivate(path: string, text: string): void {
  const temporary = `${path}.${process.pid}`;
  rmSync(temporary, { force: true });
  try {
    writeFileSync(temporary, text, { mode: 0o600, flag: 'wx' });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw new Error(`${path} cannot be written: ${(error as Error).message}`, { cause: error });
  }
}
