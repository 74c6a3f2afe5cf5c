/**
 * The keyring of the operating system: Keychain, Credential Manager, Secret Service.
 *
 * - Each question is asked by a process of its own. The native code that asks waits without letting go of its thread: a
 *   keyring that does not answer would hold the daemon still for ever; a process can be ended.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { type SecretStore, SecretsUnavailable } from '../../ports/secrets.ts';
import type { KeyringRequest, KeyringResponse } from './keyring-worker.ts';

/** A keyring that asks its user something nobody sees must not hold up a start for ever. */
const ANSWER_MS_MAX = 5_000;
/** What a keyring is found by, and nothing else of the environment: no key of ours is in it. */
const ENVIRONMENT = [
  ...['DBUS_SESSION_BUS_ADDRESS', 'XDG_RUNTIME_DIR', 'DISPLAY', 'WAYLAND_DISPLAY', 'XAUTHORITY'],
  ...['HOME', 'USER', 'LOGNAME', 'SystemRoot', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA'],
];

export function createKeyring(): SecretStore {
  return {
    get: async (name) => (await ask({ ask: 'get', name })) as string | null,
    set: async (name, secret) => void (await ask({ ask: 'set', name, secret })),
    remove: async (name) => (await ask({ ask: 'remove', name })) as boolean,
  };
}

async function ask(question: KeyringRequest): Promise<string | boolean | null> {
  const worker = startWorker();
  const { promise, resolve, reject } = Promise.withResolvers<string | boolean | null>();
  const fail = (why: string): void => reject(new SecretsUnavailable(why));
  const late = setTimeout(() => fail(`no answer in ${ANSWER_MS_MAX / 1_000} seconds`), ANSWER_MS_MAX);
  worker.once('error', (error) => fail(error.message));
  worker.once('exit', (code, by) => fail(`the process that asks it ended early (${by ?? code})`));
  worker.once('message', (answer: KeyringResponse) => ('error' in answer ? fail(answer.error) : resolve(answer.found)));
  worker.send(question, (error) => (error === null ? undefined : fail(error.message)));
  try {
    return await promise;
  } finally {
    clearTimeout(late);
    worker.kill('SIGKILL');
  }
}

function startWorker(): ChildProcess {
  // The published package holds .js files; a checkout runs the .ts ones as they are.
  const file = import.meta.url.endsWith('.ts') ? './keyring-worker.ts' : './keyring-worker.js';
  const env = Object.fromEntries(ENVIRONMENT.map((name) => [name, process.env[name]]));
  return fork(new URL(file, import.meta.url), { env, execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
}
