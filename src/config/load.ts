/**
 * Reads the settings: `config.json` in the home, overridden by the environment, overridden by flags. An error names the
 * setting, its source and the allowed values.
 */
import { lstatSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { type Config, ConfigError, zConfig } from '../config.ts';
import { faultOf } from '../events/fault.ts';
import { homeDirectory } from '../lib/home-directory.ts';
import { withoutByteOrderMark } from '../lib/json-text.ts';
import { isFolder } from '../lib/paths.ts';
import { readEnvironment } from './environment.ts';

const NO_PLUG_N_PLAY =
  "Yarn's Plug'n'Play replaces node:fs by functions that cannot sync a file: " +
  'set nodeLinker: node-modules in .yarnrc.yml, then run yarn install.';

/** Values of the command line, by setting. */
export type Flags = Partial<Record<keyof Config, unknown>>;

/**
 * The absolute path of the daemon's home: the flag, else `$DAYBOOK_HOME`, else `~/.daybook`. Throws `ConfigError` for an
 * empty flag, which is an unset variable of a script, and when the user has no home directory.
 */
export function homeOf(env: NodeJS.ProcessEnv, flags: Flags = {}): string {
  if (flags.home === '') throw new ConfigError('flag --home: must not be empty; leave it out for the default');
  const home = flags.home ?? env.DAYBOOK_HOME;
  if (typeof home !== 'string' || home === '') return join(requireHomeDirectory(), '.daybook');
  // Shells expand the tilde; service managers do not.
  return resolve(home.replace(/^~(?=$|\/)/, requireHomeDirectory));
}

function requireHomeDirectory(): string {
  const directory = homeDirectory();
  if (directory !== null) return directory;
  throw new ConfigError('This user has no home directory: set DAYBOOK_HOME, --home or HOME.');
}

/** The storage settings in `config.json`, for programs that open the storage without the daemon. Throws `ConfigError`. */
export function storageSettings(home: string): Pick<Config, 'backend' | 'storage_config'> {
  const { backend, storage_config } = zConfig.shape;
  const file = readFile(join(home, 'config.json'));
  const parsed = z.object({ backend, storage_config }).safeParse(file, { error: faultOf });
  if (parsed.success) return parsed.data;
  throw configError(parsed.error, { variables: {}, flags: {}, home });
}

/** Reads and validates all settings. Throws `ConfigError`, also where Yarn's Plug'n'Play has replaced `node:fs`. */
export function loadConfig(env: NodeJS.ProcessEnv, flags: Flags, workingDirectory: string): Config {
  if (process.versions.pnp !== undefined) throw new ConfigError(NO_PLUG_N_PLAY);
  const home = homeOf(env, flags);
  const path = join(home, 'config.json');
  const file = readFile(path);
  if ('home' in file) throw new ConfigError(`home in ${path}: the file lies in the home; set DAYBOOK_HOME or --home.`);
  const { values, names: variables } = readEnvironment(env);
  const given: Flags = { ...file, ...values, ...defined(flags) };
  const settings = { workspace: workingDirectory, ...given, home };
  const sources = { variables, flags, home };
  const parsed = zConfig.safeParse(settings, { error: faultOf });
  if (!parsed.success) throw configError(parsed.error, sources);
  const workspace = resolve(workingDirectory, parsed.data.workspace);
  if (!isFolder(workspace)) {
    const source = 'workspace' in given ? sourceOf('workspace', sources) : 'The workspace, by default the folder here';
    throw new ConfigError(`${source}: ${workspace} is not a folder that exists and that this user can reach.`);
  }
  return { ...parsed.data, workspace };
}

function readFile(path: string): Record<string, unknown> {
  if (isAbsent(path)) return {};
  try {
    const value: unknown = JSON.parse(withoutByteOrderMark(readFileSync(path, 'utf8')));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === undefined ? `as JSON: ${message}` : `(${code})`;
    throw new ConfigError(`The settings file ${path} cannot be read ${why}.`);
  }
  throw new ConfigError(`The settings file ${path} must hold one JSON object.`);
}

/** False for a dangling symbolic link: reading it is an error. */
function isAbsent(path: string): boolean {
  try {
    lstatSync(path);
    return false;
  } catch (error) {
    return ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
  }
}

function defined(flags: Flags): Flags {
  return Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined));
}

interface Sources {
  /** Environment variable by setting. */
  readonly variables: Readonly<Record<string, string>>;
  readonly flags: Flags;
  readonly home: string;
}

function configError({ issues }: z.ZodError, sources: Sources): ConfigError {
  return new ConfigError(issues.map((issue) => faultSentence(issue, sources)).join('\n'));
}

function faultSentence(issue: z.core.$ZodIssue, sources: Sources): string {
  if (issue.code === 'unrecognized_keys') {
    const unknown = issue.keys.map((key) => `'${key}'`).join(', ');
    const known = Object.keys(zConfig.shape).filter((key) => key !== 'home');
    return `Unknown setting ${unknown} in ${join(sources.home, 'config.json')}; known are ${known.join(', ')}.`;
  }
  const [setting = '', ...fields] = issue.path.filter((part) => typeof part !== 'number').map(String);
  return `${sourceOf(setting, sources, fields)}: ${issue.message}`;
}

/** The flag, environment variable or file that a setting, or a field of it, comes from. */
function sourceOf(setting: string, { variables, flags, home }: Sources, fields: readonly string[] = []): string {
  if (setting in defined(flags)) return `flag --${setting.replaceAll('_', '-')}`;
  return variables[setting] ?? `${[setting, ...fields].join('.')} in ${join(home, 'config.json')}`;
}
