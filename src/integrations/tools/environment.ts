/** The environment of a tool's process: an allow-list, without keys, tokens and settings of the daemon. */

export function scrubbedEnvironment(env: NodeJS.ProcessEnv): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && isAllowed(name, value)) kept[name] = value;
  }
  return { PATH: '/usr/local/bin:/usr/bin:/bin', ...kept, ...FIXED };
}

/** Keeps programs from waiting for a person or drawing on a screen. */
const FIXED: Readonly<Record<string, string>> = {
  TERM: 'dumb',
  NO_COLOR: '1',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
};

const ALLOWED: ReadonlySet<string> = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TZ', 'TMPDIR', 'TEMP', 'TMP', 'LANG', 'LANGUAGE'],
  ...['JAVA_HOME', 'GOPATH', 'GOROOT', 'CARGO_HOME', 'RUSTUP_HOME', 'NVM_DIR', 'PYENV_ROOT', 'VIRTUAL_ENV'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS'],
]);

const LOCALE = /^LC_[A-Z]+$/;
const PROXY = /^(?:https?|no|all)_proxy$/i;

function isAllowed(name: string, value: string): boolean {
  // A proxy with user and password is a secret.
  if (PROXY.test(name)) return !value.includes('@');
  return ALLOWED.has(name) || LOCALE.test(name);
}
