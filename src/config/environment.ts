/**
 * Settings in the environment: `DAYBOOK_` and the name of the setting in upper case, such as `DAYBOOK_LEASE_SECONDS`.
 */
import { type Config, zConfig } from '../config.ts';

type Setting = keyof Config;

/** Settings with other variables; the first that is set counts. */
const OTHER_VARIABLES: Readonly<Partial<Record<Setting, readonly string[]>>> = {
  port: ['DAYBOOK_DAEMON_PORT', 'ASSISTANT_DAEMON_PORT'],
  backend: ['DAYBOOK_PERSISTENCE_BACKEND'],
};

/** Settings without a variable. That of the home is read before the others. */
const WITHOUT_VARIABLE: readonly Setting[] = ['home', 'required_plugins', 'mcp_servers', 'ephemeral'];

/** Settings whose variable holds a list, separated by commas. */
const LISTS: readonly Setting[] = ['allowed_hosts', 'allowed_origins', 'forge_hosts', 'node_workspaces'];

interface EnvironmentSettings {
  readonly values: Readonly<Record<string, unknown>>;
  /** The variable that each value comes from. */
  readonly names: Readonly<Record<string, string>>;
}

/** Variables that are empty count as unset. */
export function readEnvironment(env: NodeJS.ProcessEnv): EnvironmentSettings {
  const values: Record<string, unknown> = {};
  const names: Record<string, string> = {};
  for (const setting of Object.keys(zConfig.shape) as Setting[]) {
    if (WITHOUT_VARIABLE.includes(setting)) continue;
    const variables = OTHER_VARIABLES[setting] ?? [`DAYBOOK_${setting.toUpperCase()}`];
    const name = variables.find((variable) => (env[variable] ?? '') !== '');
    if (name === undefined) continue;
    const text = env[name]!;
    values[setting] = LISTS.includes(setting) ? listIn(text) : text;
    names[setting] = name;
  }
  return { values, names };
}

function listIn(text: string): readonly string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
