/**
 * Settings: `$DAYBOOK_HOME/config.json`, overridden by the environment, overridden by flags. A wrong value is an error
 * that names the setting, where it came from and what is allowed.
 */
import { lstatSync, readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { z } from 'zod';
import { PLUGIN_CATALOGUE } from './commands/plugin/catalogue.ts';
import { knownApproval } from './commands/run/rules.ts';
import { faultOf } from './events/fault.ts';
import { isKeyName } from './lib/tlog/signed-note.ts';
import { isPostgresUrl } from './storage/postgres/url.ts';

interface Range {
  readonly min: number;
  readonly max: number;
}

/** A whole number, in variables and flags as its digits. Nothing else is read as one: not true, not null, not blank. */
function zWhole({ min, max }: Range) {
  const error = `must be a whole number from ${min} to ${max}`;
  const digits = z.string().regex(/^\d+$/).transform(Number);
  return z
    .union([z.number(), digits], { error })
    .refine((given) => Number.isInteger(given) && given >= min && given <= max, error);
}

function zAmount({ min, max }: Range) {
  const error = `must be a number from ${min} to ${max}`;
  const digits = z
    .string()
    .regex(/^\d+(?:\.\d+)?$/)
    .transform(Number);
  return z.union([z.number(), digits], { error }).refine((given) => given >= min && given <= max, error);
}

const zPort = zWhole({ min: 0, max: 65_535 });
const zRate = zWhole({ min: 1, max: 1_000_000_000 });

const zBackendName = z.enum(['cow', 'lsm', 'embedded_kv'], { error: 'must be cow, lsm or embedded_kv' });
// Not `min`: that asks an empty list for its length, too.
const zWords = z
  .string({ error: 'must be text' })
  .refine((text) => text !== '', { error: 'must not be empty', abort: true });
const HOST_NAME = /^[A-Za-z0-9_.-]+$/;
const zHost = zWords
  .transform((text) => (text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text))
  .refine((text) => isIP(text) !== 0 || HOST_NAME.test(text), 'must be a name or an address, without scheme and port');
const zPath = zWords.refine((text) => !text.includes('\0'), 'must be a path');
const zList = z.array(zWords, { error: 'must be a list of texts' });
const zSwitch = z.union([z.stringbool(), z.boolean()], { error: 'must be true or false' });

const NODE_NAME = /^[A-Za-z0-9._-]{1,64}$/;
const MODEL_NAME = /^[A-Za-z0-9][A-Za-z0-9.-]*$/;
const CATALOGUED = 'must be a list of plugins of the catalogue';
const LOG_KEY_PLACES = 'must be file, keyring or an absolute path';
const FORGE_HOST = /^(?:[A-Za-z0-9_.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;

const zMcpServer = z.looseObject(
  {
    command: zWords,
    args: z.array(z.string(), { error: 'args must be a list of texts' }).optional(),
    env: z.record(z.string(), z.string(), { error: 'env must be an object of texts' }).optional(),
  },
  { error: 'must be an object of servers by name, each with a command' },
);

function readApproval(text: string, context: z.core.$RefinementCtx<string>) {
  const approval = knownApproval(text);
  if (approval !== undefined) return approval;
  context.addIssue('must be suggest, auto-edit, full-auto, read-only or chat-only');
  return z.NEVER;
}

export const zConfig = z.strictObject({
  /** Folder of everything Daybook keeps: log in `data/`, views in `views.db`, tokens. */
  home: zWords,
  port: zPort.default(7878),
  /** The address to listen on; anything but loopback needs `allow_remote`. */
  host: zHost.default('127.0.0.1'),
  allow_remote: zSwitch.default(false),
  /** Host names beside the loopback ones that requests may be addressed to. */
  allowed_hosts: zList.default([]),
  /** Origins beside the loopback ones whose pages may call the daemon. */
  allowed_origins: zList.default([]),
  workspace: zPath,
  backend: zBackendName.optional(),
  /** The database of the log (docs/postgresql.md); the log is in the home when left out. */
  log: zWords.refine(isPostgresUrl, 'must be an address such as postgres://user@host/database').optional(),
  /** Name of this daemon among those of its log; default: made once, and kept in the home. */
  node_name: zWords.regex(NODE_NAME, 'must be 1 to 64 letters, digits, dots, hyphens and underscores').optional(),
  /** Folders whose runs this daemon takes from a log in a database; default: the workspace. */
  node_workspaces: zList.optional(),
  /** A daemon that was silent for so long is replaced where it executed runs. */
  lease_seconds: zAmount({ min: 0.5, max: 300 }).default(4),
  /** File with the bearer token, for its owner alone; default: a new token at every start. */
  token_file: zPath.optional(),
  /** Certificate and key of HTTPS, as PEM files. */
  tls_cert: zPath.optional(),
  tls_key: zPath.optional(),
  /** Configuration file of the storage; default: `storage.json` in the home, if there is one. */
  storage_config: zPath.optional(),
  /** `off` or 0 disables the storage operations interface. */
  storage_ops_port: z
    .union([z.literal('off'), zPort], { error: 'must be off or a whole number from 0 to 65535' })
    .default(8080),
  provider: zWords.optional(),
  model: zWords.optional(),
  /** Checked when it is used: a name that is wrong is reported by the routes, it does not keep the daemon down. */
  embedding_provider: zWords.optional(),
  embedding_model: zWords.optional(),
  /** Shorter vectors, from models that offer them. */
  embedding_dimensions: zWhole({ min: 1, max: 16_384 }).optional(),
  approval: zWords.transform(readApproval).default('suggest'),
  /** Requests per client address and 60 s. */
  rate_authenticated: zRate.default(60),
  rate_public: zRate.default(10),
  webhook_secret: zWords.optional(),
  /** Hosts, with or without a port, that a forge delivery's diff or clone may come from. */
  forge_hosts: z
    .array(zWords.regex(FORGE_HOST, 'must hold names or addresses, each with or without a port'), {
      error: 'must be a list of names or addresses',
    })
    .default(['github.com', 'patch-diff.githubusercontent.com']),
  /** How long a person has for answering an approval; no answer counts as a denial. A week at most. */
  approval_timeout_secs: zAmount({ min: 0.001, max: 604_800 }).default(600),
  /** Agent runs at once; further ones stay queued. */
  runs_max: zWhole({ min: 1, max: 64 }).default(4),
  /** A model call that sends no frame for so long is given up and retried. */
  model_stall_seconds: zAmount({ min: 0.001, max: 3_600 }).default(120),
  /** Plugins that nobody turns off or uninstalls by a route, in whatever project they are installed. */
  required_plugins: z
    .array(
      z.enum(
        PLUGIN_CATALOGUE.map(({ name }) => name),
        CATALOGUED,
      ),
      { error: CATALOGUED },
    )
    .default([]),
  /** Audio is written down on this machine when that is possible, also where a cloud key is set. */
  voice_prefer_local: zSwitch.default(false),
  /** What is spoken while nothing else is set: a language code, or `auto`. */
  voice_language: zWords.default('en'),
  /** Of the local recogniser; its file is `models/ggml-<name>.bin` in the home. */
  voice_local_model: zWords.regex(MODEL_NAME, 'must be a name of letters, digits, dots and hyphens').default('base'),
  /** Memories, facts and drawers are encrypted at rest; once on, on for good. */
  memory_encryption: zSwitch.default(false),
  /** MCP servers that `daybook mcp` lists beside the connectors; of one name this one counts. */
  mcp_servers: z.record(z.string(), zMcpServer, { error: 'must be an object of servers by name' }).default({}),
  /** Where the key that signs the log is kept: `file`, `keyring`, or the absolute path of a file. */
  log_key: zPath
    .refine((text) => text === 'file' || text === 'keyring' || isAbsolute(text), LOG_KEY_PLACES)
    .default('file'),
  /** The name of the log in its checkpoints; default: made of the log's id. */
  log_origin: zWords.refine(isKeyName, 'must have no spaces, no plus sign and no control characters').optional(),
  /** Witnesses that must cosign a checkpoint; default: more than half of those that are configured. */
  witness_quorum: zWhole({ min: 0, max: 15 }).optional(),
  /** The time stamping authority (RFC 3161) of `daybook log timestamp`. */
  timestamp_authority: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional(),
  /** Checkpoints and tiles of the log are served without a credential. */
  tlog_public: zSwitch.default(false),
  /** Keep nothing: log and views live in memory. */
  ephemeral: zSwitch.default(false),
});
export type Config = z.infer<typeof zConfig>;
export type Flags = Partial<Record<keyof Config, unknown>>;

export class ConfigError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ConfigError';
  }
}

/** Environment names by setting; of several the first that is set wins. */
const ENVIRONMENT: Readonly<Partial<Record<keyof Config, readonly string[]>>> = {
  port: ['DAYBOOK_DAEMON_PORT', 'ASSISTANT_DAEMON_PORT'],
  host: ['DAYBOOK_HOST'],
  allow_remote: ['DAYBOOK_ALLOW_REMOTE'],
  workspace: ['DAYBOOK_WORKSPACE'],
  backend: ['DAYBOOK_PERSISTENCE_BACKEND'],
  log: ['DAYBOOK_LOG'],
  node_name: ['DAYBOOK_NODE_NAME'],
  lease_seconds: ['DAYBOOK_LEASE_SECONDS'],
  token_file: ['DAYBOOK_TOKEN_FILE'],
  tls_cert: ['DAYBOOK_TLS_CERT'],
  tls_key: ['DAYBOOK_TLS_KEY'],
  storage_config: ['DAYBOOK_STORAGE_CONFIG'],
  storage_ops_port: ['DAYBOOK_STORAGE_OPS_PORT'],
  provider: ['DAYBOOK_PROVIDER'],
  model: ['DAYBOOK_MODEL'],
  embedding_provider: ['DAYBOOK_EMBEDDING_PROVIDER'],
  embedding_model: ['DAYBOOK_EMBEDDING_MODEL'],
  embedding_dimensions: ['DAYBOOK_EMBEDDING_DIMENSIONS'],
  approval: ['DAYBOOK_APPROVAL'],
  rate_authenticated: ['DAYBOOK_RATE_AUTHENTICATED'],
  rate_public: ['DAYBOOK_RATE_PUBLIC'],
  webhook_secret: ['DAYBOOK_WEBHOOK_SECRET'],
  approval_timeout_secs: ['DAYBOOK_APPROVAL_TIMEOUT_SECS'],
  runs_max: ['DAYBOOK_RUNS_MAX'],
  model_stall_seconds: ['DAYBOOK_MODEL_STALL_SECONDS'],
  voice_prefer_local: ['DAYBOOK_VOICE_PREFER_LOCAL'],
  voice_language: ['DAYBOOK_VOICE_LANGUAGE'],
  voice_local_model: ['DAYBOOK_VOICE_LOCAL_MODEL'],
  memory_encryption: ['DAYBOOK_MEMORY_ENCRYPTION'],
  log_key: ['DAYBOOK_LOG_KEY'],
  log_origin: ['DAYBOOK_LOG_ORIGIN'],
  tlog_public: ['DAYBOOK_TLOG_PUBLIC'],
  witness_quorum: ['DAYBOOK_WITNESS_QUORUM'],
  timestamp_authority: ['DAYBOOK_TIMESTAMP_AUTHORITY'],
};

/** Lists in the environment: names separated by commas. */
const ENVIRONMENT_LISTS = {
  allowed_hosts: 'DAYBOOK_ALLOWED_HOSTS',
  allowed_origins: 'DAYBOOK_ALLOWED_ORIGINS',
  forge_hosts: 'DAYBOOK_FORGE_HOSTS',
  node_workspaces: 'DAYBOOK_NODE_WORKSPACES',
} as const;

export function homeOf(env: NodeJS.ProcessEnv, flags: Flags = {}): string {
  const given = flags.home ?? env.DAYBOOK_HOME;
  if (typeof given !== 'string' || given === '') return join(homedir(), '.daybook');
  // A shell replaces the sign; service managers do not, and nobody means a folder of that name.
  return resolve(given.replace(/^~(?=$|\/)/, () => homedir()));
}

/** What the settings file of a home says of its storage, for who opens that without the daemon. */
export function storageSettings(home: string): Pick<Config, 'backend' | 'storage_config'> {
  const { backend, storage_config } = zConfig.shape;
  const parsed = z
    .object({ backend, storage_config })
    .safeParse(readFile(join(home, 'config.json')), { error: faultOf });
  if (parsed.success) return parsed.data;
  const sources = { fromEnvironment: { names: {} }, flags: {}, home };
  throw new ConfigError(parsed.error.issues.map((issue) => faultSentence(issue, sources)).join('\n'));
}

/** Reads and checks all settings; throws `ConfigError` with one sentence per fault. */
export function loadConfig(env: NodeJS.ProcessEnv, flags: Flags, workingDirectory: string): Config {
  const home = homeOf(env, flags);
  const path = join(home, 'config.json');
  const file = readFile(path);
  if ('home' in file) throw new ConfigError(`home in ${path}: the file lies in the home; set DAYBOOK_HOME or --home.`);
  const fromEnvironment = readEnvironment(env);
  const given = { ...file, ...fromEnvironment.values, ...defined(flags), home };
  const parsed = zConfig.safeParse({ workspace: workingDirectory, ...given }, { error: faultOf });
  if (!parsed.success) {
    throw new ConfigError(
      parsed.error.issues.map((issue) => faultSentence(issue, { fromEnvironment, flags, home })).join('\n'),
    );
  }
  const workspace = resolve(workingDirectory, parsed.data.workspace);
  if (statSync(workspace, { throwIfNoEntry: false })?.isDirectory() !== true) {
    const source = sourceOf('workspace', { fromEnvironment, flags, home });
    throw new ConfigError(`${source}: ${workspace} is not a folder that exists.`);
  }
  return { ...parsed.data, workspace };
}

function readFile(path: string): Record<string, unknown> {
  if (isAbsent(path)) return {};
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch (error) {
    throw new ConfigError(`The settings file ${path} cannot be read as JSON: ${(error as Error).message}`);
  }
  throw new ConfigError(`The settings file ${path} must hold one JSON object.`);
}

/** A link that leads nowhere is there; it cannot be read. */
function isAbsent(path: string): boolean {
  try {
    lstatSync(path);
    return false;
  } catch (error) {
    return ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
  }
}

function readEnvironment(env: NodeJS.ProcessEnv) {
  const values: Record<string, unknown> = {};
  const names: Record<string, string> = {};
  for (const [setting, variables] of Object.entries(ENVIRONMENT)) {
    const name = variables.find((variable) => (env[variable] ?? '') !== '');
    if (name === undefined) continue;
    values[setting] = env[name];
    names[setting] = name;
  }
  for (const [setting, name] of Object.entries(ENVIRONMENT_LISTS)) {
    const text = env[name];
    if (text === undefined || text === '') continue;
    values[setting] = text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '');
    names[setting] = name;
  }
  return { values, names };
}

function defined(flags: Flags): Flags {
  return Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined));
}

interface Sources {
  readonly fromEnvironment: { readonly names: Readonly<Record<string, string>> };
  readonly flags: Flags;
  readonly home: string;
}

function faultSentence(issue: z.core.$ZodIssue, { fromEnvironment, flags, home }: Sources): string {
  if (issue.code === 'unrecognized_keys') {
    const unknown = issue.keys.map((key) => `'${key}'`).join(', ');
    const known = Object.keys(zConfig.shape).filter((key) => key !== 'home');
    return `Unknown setting ${unknown} in ${join(home, 'config.json')}; known are ${known.join(', ')}.`;
  }
  return `${sourceOf(String(issue.path[0] ?? ''), { fromEnvironment, flags, home })}: ${issue.message}`;
}

/** Where the value of a setting came from, in words its owner knows. */
function sourceOf(setting: string, { fromEnvironment, flags, home }: Sources): string {
  if (setting in defined(flags)) return `flag --${setting.replaceAll('_', '-')}`;
  return fromEnvironment.names[setting] ?? `${setting} in ${join(home, 'config.json')}`;
}
