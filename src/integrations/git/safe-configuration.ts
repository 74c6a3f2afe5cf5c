/**
 * Lets git read an untrusted repository without running a program that the repository names.
 *
 * - Environment variables override everything that a repository's configuration, with its includes, can make git
 *   execute: hooks, file-system monitor, pagers, signature checks, transports.
 * - git takes no locks and fetches no missing objects.
 */

export type ConfigurationEntry = readonly [key: string, value: string];

/** Configuration that overrides the repository's. */
export const SAFE_CONFIGURATION: readonly ConfigurationEntry[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.pager', 'cat'],
  ['core.quotePath', 'false'],
  ['core.sshCommand', 'false'],
  ['credential.helper', ''],
  ['protocol.allow', 'never'],
  ['diff.noprefix', 'false'],
  ['diff.mnemonicPrefix', 'false'],
];

export const SAFE_VARIABLES: Readonly<Record<string, string>> = {
  GIT_OPTIONAL_LOCKS: '0',
  // Without it, a partial clone would fetch missing objects. No transport has the name "none".
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_LAZY_FETCH: '1',
  LC_ALL: 'C.UTF-8',
};

/** Environment variables that set the configuration. */
export function configurationVariables(entries: readonly ConfigurationEntry[]): Record<string, string> {
  const variables: Record<string, string> = { GIT_CONFIG_COUNT: String(entries.length) };
  for (const [index, [key, value]] of entries.entries()) {
    variables[`GIT_CONFIG_KEY_${index}`] = key;
    variables[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return variables;
}
