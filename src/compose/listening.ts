/** Checks and reads what the daemon listens with: address, bearer token, certificate. */
import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { type Config, ConfigError } from '../config.ts';
import { isLoopbackAddress } from '../host-names.ts';
import type { Tls, TlsFiles } from '../http/server/tls.ts';

/** Visible ASCII without spaces, long enough not to be guessed. */
const TOKEN = /^[\x21-\x7e]{16,512}$/;
const GROUP_AND_OTHERS = 0o077;

export interface Certificate extends Tls {
  readonly path: string;
  /** Host for URLs: the certificate covers it, and it names this machine. */
  readonly host: string;
}

/** Throws `ConfigError` for an address that other machines reach, unless the settings allow it. */
export function checkAddress({ host, allow_remote, log, tls_cert }: Config): void {
  if (isLoopbackAddress(host) || tls_cert !== undefined) return;
  if (log !== undefined) {
    throw new ConfigError(
      `Listening on ${host} lets other machines in; with a log in a database this needs DAYBOOK_TLS_CERT and DAYBOOK_TLS_KEY.`,
    );
  }
  if (!allow_remote) {
    throw new ConfigError(`Listening on ${host} lets other machines in; allow it with --allow-remote.`);
  }
}

/** Null where no file of a token is set. Throws `ConfigError` unless only the owner can read the file. */
export function readToken({ token_file }: Config): string | null {
  if (token_file === undefined) return null;
  const path = resolve(token_file);
  const read = (): string => {
    if (process.platform !== 'win32' && (statSync(path).mode & GROUP_AND_OTHERS) !== 0) {
      throw new ConfigError(`The token file ${path} can be read by others; make it its owner's alone: chmod 600.`);
    }
    return readFileSync(path, 'utf8').trim();
  };
  const token = readOrRefuse(read, `The token file ${path}`);
  if (TOKEN.test(token)) return token;
  throw new ConfigError(`The token file ${path} must hold one token of 16 to 512 visible characters without spaces.`);
}

/** Null where no certificate is set. Throws `ConfigError`; a later change that cannot be used is announced. */
export function readCertificate(
  { host, tls_cert, tls_key }: Config,
  announce: (line: string) => void,
): Certificate | null {
  if (tls_cert === undefined && tls_key === undefined) return null;
  if (tls_cert === undefined || tls_key === undefined) {
    throw new ConfigError('DAYBOOK_TLS_CERT and DAYBOOK_TLS_KEY go together: one of them is missing.');
  }
  const [path, keyPath] = [resolve(tls_cert), resolve(tls_key)];
  const changedAt = (): string => `${changeTime(path)} ${changeTime(keyPath)}`;
  let known = changedAt();
  const renewed = (): TlsFiles | null => {
    const changed = changedAt();
    if (changed === known) return null;
    known = changed;
    try {
      return readTlsFiles(path, keyPath);
    } catch (error) {
      announce(`The certificate in use stays: ${(error as Error).message}`);
      return null;
    }
  };
  const files = readTlsFiles(path, keyPath);
  return { ...files, path, host: hostFor(new X509Certificate(files.cert), host), renewed };
}

function readTlsFiles(path: string, keyPath: string): TlsFiles {
  const cert = readOrRefuse(() => readFileSync(path, 'utf8'), `The certificate ${path}`);
  const key = readOrRefuse(() => readFileSync(keyPath, 'utf8'), `The key ${keyPath}`);
  try {
    process.getBuiltinModule('node:tls').createSecureContext({ cert, key });
    return { cert, key };
  } catch (error) {
    throw new ConfigError(`The certificate ${path} and its key cannot be used: ${(error as Error).message}`);
  }
}

/** 0 for a file that cannot be seen. */
function changeTime(path: string): number {
  try {
    return statSync(path).ctimeMs;
  } catch {
    return 0;
  }
}

/** A name of this machine that the certificate covers; if there is none, the first name of the certificate. */
function hostFor(certificate: X509Certificate, host: string): string {
  const local = isLoopbackAddress(host) ? [host, 'localhost'] : ['127.0.0.1', 'localhost', host];
  const covered = local.find(
    (name) => (isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name)) !== undefined,
  );
  const [, first] = /DNS:([^,*]+)/.exec(certificate.subjectAltName ?? '') ?? [];
  return covered ?? first?.trim() ?? host;
}

/** Turns errors of the file system into `ConfigError`. */
function readOrRefuse(read: () => string, what: string): string {
  try {
    return read();
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`${what} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'}).`);
  }
}
