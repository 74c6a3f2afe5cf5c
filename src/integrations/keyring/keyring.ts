/**
 * The keyring of the operating system: Keychain, Credential Manager, Secret Service.
 *
 * - Each request runs in its own process, which can be killed: the native code blocks its thread while a keyring does
 *   not answer.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { moduleBeside } from '../../lib/module-beside.ts';
import { type SecretStore, SecretsUnavailable } from '../../ports/secrets.ts';
import type { KeyringRequest, KeyringResponse } from './keyring-worker.ts';

/** A keyring may wait for a dialog that nobody sees. */
const ANSWER_MS_MAX = 5_000;
/** Variables that locate the keyring; the process gets no others, and no key. */
const ENVIRONMENT = [
  ...['DBUS_SESSION_BUS_ADDRESS', 'XDG_RUNTIME_DIR', 'DISPLAY', 'WAYLAND_DISPLAY', 'XAUTHORITY'],
  ...['HOME', 'USER', 'LOGNAME', 'SystemRoot', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA'],
];

export function createKeyring(): SecretStore {
  return {
    get: (name) => ask({ ask: 'get', name }),
    set: async (name, secret) => void (await ask({ ask: 'set', name, secret })),
  };
}

async function ask(question: KeyringRequest): Promise<string | null> {
  const worker = startWorker();
  const { promise, resolve, reject } = Promise.withResolvers<string | null>();
  const fail = (why: string): void => reject(new SecretsUnavailable(why));
  using _late = setTimeout(() => fail(`no answer in ${ANSWER_MS_MAX / 1_000} seconds`), ANSWER_MS_MAX);
  worker.once('error', (error) => fail(error.message));
  worker.once('exit', (code, by) => fail(`the process that asks it ended early (${by ?? code})`));
  worker.once('message', (answer: KeyringResponse) => ('error' in answer ? fail(answer.error) : resolve(answer.found)));
  // Where the system has no descriptors left there is no channel, and an `error` follows.
  worker.send?.(question, (error) => (error === null ? undefined : fail(error.message)));
  try {
    return await promise;
  } finally {
    worker.kill('SIGKILL');
  }
}

function startWorker(): ChildProcess {
  const env = Object.fromEntries(ENVIRONMENT.map((name) => [name, process.env[name]]));
  const file = moduleBeside(import.meta.url, './keyring-worker');
  return fork(file, { env, execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
}
