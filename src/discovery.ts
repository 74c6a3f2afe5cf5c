/**
 * How clients on this machine find the daemon: `daemon.token` and `daemon.json` in its home, readable by its owner
 * only.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { hasCode } from './storage/files.ts';
import { startOf } from './storage/lock.ts';

const zDiscovery = z.object({
  pid: z.int(),
  port: z.int(),
  token: z.string(),
  /** Which process of that number, where the system tells. */
  process: z.string().exactOptional(),
  /** Unix time in milliseconds. */
  started_at: z.int(),
  url: z.string(),
  /** It belongs to another command and ends with it. */
  leashed: z.boolean().exactOptional(),
  /** File with the certificate of its HTTPS, which clients on this machine trust. */
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
  /** Of HTTPS: its file, and the host for which clients accept it. */
  readonly certificate?: { readonly path: string; readonly host: string } | null;
}

export interface DiscoveryFiles {
  /** Throws when they cannot be written. On a full disk they are written as soon as there is room. */
  write(facts: DiscoveryFacts): void;
  /** Removes what this process wrote. */
  remove(): void;
}

/** Milliseconds between two attempts on a full disk. */
const RETRY_MS = 1_000;

/** Where a client on this machine reaches a daemon that listens on all addresses. */
const LOOPBACK_OF: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

export function urlOf(host: string, port: number, isEncrypted = false): string {
  return `${isEncrypted ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function pathsIn(home: string): readonly [token: string, facts: string] {
  return [join(home, 'daemon.token'), join(home, 'daemon.json')];
}

/** For a process that ends with its daemon as it stands: the files, if they name it. */
export function removeDiscovery(home: string): void {
  if (readDiscovery(home)?.pid === process.pid) remove(pathsIn(home));
}

function remove(paths: readonly string[]): void {
  for (const path of paths) rmSync(path, { force: true });
}

export function writeDiscovery(home: string): DiscoveryFiles {
  const [tokenPath, factsPath] = pathsIn(home);
  const written: string[] = [];
  let retry: NodeJS.Timeout | undefined;
  const keep = (path: string, text: string): void => {
    writePrivate(path, text);
    written.push(path);
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
        ...(leashed && { leashed }),
        ...(certificate !== null && { certificate: certificate.path }),
      };
      const attempt = (): boolean => {
        try {
          keep(tokenPath, token);
          keep(factsPath, `${JSON.stringify(facts)}\n`);
          return true;
        } catch (error) {
          if (!isDiskFull(error as Error)) throw error;
          return false;
        }
      };
      if (attempt()) return;
      retry = setInterval(() => attempt() && clearInterval(retry), RETRY_MS).unref();
    },
    remove() {
      clearInterval(retry);
      remove(written);
    },
  };
}

/**
 * The daemon that a home's files name, if its process is alive. One that started at another time has the number of a
 * daemon that was killed. So has one of another user: a file that we can read was written by a process of ours.
 */
export function readDiscovery(home: string): Discovery | null {
  try {
    const facts = zDiscovery.parse(JSON.parse(readFileSync(join(home, 'daemon.json'), 'utf8')));
    process.kill(facts.pid, 0);
    const started = startOf(facts.pid);
    const isAnother = facts.process !== undefined && started !== null && started !== facts.process;
    return isAnother ? null : facts;
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

function isDiskFull({ cause }: Error): boolean {
  return hasCode(cause, 'ENOSPC') || hasCode(cause, 'EDQUOT');
}
