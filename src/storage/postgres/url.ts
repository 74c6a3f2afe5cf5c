/** The address of a log on PostgreSQL: a URL as libpq reads it, with `schema` and the settings of the connections. */
import { readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { StorageError } from '../errors.ts';
import { SCHEMA_NAME } from './schema.ts';

const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
export type SslMode = (typeof SSL_MODES)[number];

/** Whole numbers of the URL: default, least and greatest value. Times in milliseconds. */
const NUMBERS = {
  pool_max: { default: 4, min: 2, max: 64 },
  connect_timeout_ms: { default: 5_000, min: 100, max: 600_000 },
  statement_timeout_ms: { default: 10_000, min: 100, max: 3_600_000 },
  lock_timeout_ms: { default: 5_000, min: 100, max: 3_600_000 },
  /** How long writers wait for a database that is out of reach before they are refused. */
  patience_ms: { default: 5_000, min: 0, max: 600_000 },
  /** Interval at which the head is read although no notification came. */
  poll_ms: { default: 1_000, min: 10, max: 60_000 },
} as const;
type NumberName = keyof typeof NUMBERS;

export interface PostgresHost {
  /** A name, an address, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
}

export interface PostgresAddress extends Readonly<Record<NumberName, number>> {
  /** One or several; the first that accepts writes is used. */
  readonly hosts: readonly PostgresHost[];
  readonly user: string;
  readonly database: string;
  readonly schema: string;
  /** Null: from `PGPASSWORD`, then from the password file. */
  readonly password: string | null;
  readonly passfile: string | null;
  readonly sslmode: SslMode;
  /** The file of authorities that may sign the server's certificate; null: the authorities of this machine. */
  readonly sslrootcert: string | null;
  readonly sslcert: string | null;
  readonly sslkey: string | null;
}

const TEXTS = ['host', 'schema', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'passfile'] as const;
const PORT = 5432;

/** Whether a text is a PostgreSQL URL. */
export function isPostgresUrl(text: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(text);
}

/** Reads an address. Throws `STORAGE_CONFIG` with a sentence that holds no password. */
export function parseAddress(text: string, env: NodeJS.ProcessEnv = process.env): PostgresAddress {
  const match = /^postgres(?:ql)?:\/\/(?:([^@/?]*)@)?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/.exec(text);
  if (match === null) throw fault('It must look like postgres://user@host/database?schema=daybook.');
  const [, login = '', authority = '', path = '', query = ''] = match;
  const settings = new Map(new URLSearchParams(query));
  const unknown = [...settings.keys()].find((key) => !TEXTS.some((name) => name === key) && !(key in NUMBERS));
  if (unknown !== undefined) {
    throw fault(`It has no setting ${unknown}; known are ${[...TEXTS, ...Object.keys(NUMBERS)].join(', ')}.`);
  }
  const { user, password } = credentialsOf(login);
  const schema = settings.get('schema') ?? 'daybook';
  if (!SCHEMA_NAME.test(schema)) throw fault('schema must be 1 to 40 lower-case letters, digits and underscores.');
  const owner = user || env.PGUSER || userInfo().username;
  return {
    hosts: hostsOf(settings.get('host') ?? authority, env),
    user: owner,
    database: decode(path) || env.PGDATABASE || owner,
    schema,
    password: password ?? (env.PGPASSWORD || null),
    passfile: settings.get('passfile') ?? (env.PGPASSFILE || null),
    sslmode: sslModeOf(settings.get('sslmode') ?? (env.PGSSLMODE || 'prefer')),
    sslrootcert: settings.get('sslrootcert') ?? (env.PGSSLROOTCERT || null),
    sslcert: settings.get('sslcert') ?? null,
    sslkey: settings.get('sslkey') ?? null,
    ...numbersOf(settings),
  };
}

/** The address without login and settings, for people: `host:port/database, schema daybook`. */
export function placeName({ hosts, database, schema }: PostgresAddress): string {
  return `${hosts.map(({ host, port }) => `${host}:${port}`).join(',')}/${database}, schema ${schema}`;
}

/** Four fields, in which a backslash makes a colon part of the text; the password is the rest. */
const PASSWORD_LINE = new RegExp(`^${'((?:\\\\.|[^:\\\\])*):'.repeat(4)}(.+)$`);

/** The password for one host: of the address, else the first line of the password file that fits it. */
export function passwordFor(address: PostgresAddress, { host, port }: PostgresHost): string | undefined {
  if (address.password !== null) return address.password;
  let text: string;
  try {
    // `homedir` throws for a user without a home directory.
    text = readFileSync(address.passfile ?? join(homedir(), '.pgpass'), 'utf8');
  } catch (error) {
    if (address.passfile === null) return undefined;
    throw unreadable('The password file', error);
  }
  // libpq takes `localhost` for a socket in its own default folder only; which one that is differs between systems.
  const names = host.startsWith('/') ? ['localhost', host] : [host];
  const wanted = [[address.user], [address.database], [String(port)], names];
  for (const line of text.split(/\r?\n/)) {
    const fields = PASSWORD_LINE.exec(line)?.slice(1) ?? [];
    const [password, ...place] = fields.map((field) => field.replaceAll(/\\(.)/g, '$1')).reverse();
    const fits = wanted.every((values, index) => ['*', ...values].includes(place[index]!));
    if (fits) return password;
  }
  return undefined;
}

/** The content of a file that the address names. Throws `STORAGE_CONFIG` without its path. */
export function readNamedFile(setting: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw unreadable(`The file of ${setting}`, error);
  }
}

function unreadable(what: string, error: unknown): StorageError {
  return fault(`${what} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
}

/** The password begins after the first colon; it may contain others. */
function credentialsOf(login: string): { readonly user: string; readonly password: string | null } {
  const colon = login.indexOf(':');
  if (colon < 0) return { user: decode(login), password: null };
  return { user: decode(login.slice(0, colon)), password: decode(login.slice(colon + 1)) };
}

/** A socket's folder, an IPv6 address in brackets, or a name; then perhaps a port. */
const HOST = /^(\/.*?|\[[^\]]*\]|[^:[\]]*)(?::(\d*))?$/;

function hostsOf(text: string, env: NodeJS.ProcessEnv): PostgresHost[] {
  const { PGHOST, PGPORT } = env;
  return decode(text || PGHOST || 'localhost')
    .split(',')
    .map((part) => {
      const [, name, given] = isIPv6(part) ? [part, part] : (HOST.exec(part) ?? []);
      if (name === undefined)
        throw fault('A host must be a name, an address (of IPv6 in brackets before a port) or a folder.');
      const port = Number(given || PGPORT || PORT);
      if (!(Number.isInteger(port) && port >= 1 && port <= 65_535)) {
        throw fault('The port of a host must be a whole number from 1 to 65535.');
      }
      return { host: name.replaceAll(/^\[|\]$/g, '') || 'localhost', port };
    });
}

function numbersOf(settings: ReadonlyMap<string, string>): Record<NumberName, number> {
  const values = {} as Record<NumberName, number>;
  for (const name of Object.keys(NUMBERS) as NumberName[]) {
    const { default: fallback, min, max } = NUMBERS[name];
    const text = settings.get(name);
    const value = text === undefined ? fallback : /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max)) throw fault(`${name} must be a whole number from ${min} to ${max}.`);
    values[name] = value;
  }
  return values;
}

function sslModeOf(text: string): SslMode {
  const mode = SSL_MODES.find((known) => known === text);
  if (mode === undefined) throw fault(`sslmode must be one of ${SSL_MODES.join(', ')}.`);
  return mode;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw fault('A percent sign in it begins no encoded character.');
  }
}

function fault(what: string): StorageError {
  return new StorageError('STORAGE_CONFIG', `The address of the log cannot be used. ${what}`);
}
