/**
 * The keyring of the operating system: Keychain, Credential Manager, Secret Service.
 *
 * - On Linux only the Secret Service counts: the kernel's own keyring forgets at the next start of the machine, and a
 *   key that is forgotten takes everything it has locked with it.
 * - Loaded at first use: it is native code that most daemons never need.
 */
import { type SecretStore, SecretsUnavailable } from '../../ports/secrets.ts';

const SERVICE = 'daybook';
/** A keyring that asks its user something nobody sees must not hold up a start for ever. */
const ANSWER_MS_MAX = 5_000;

export function createKeyring(): SecretStore {
  async function ask<Answer>(name: string, question: (entry: Entry, signal: AbortSignal) => Promise<Answer>) {
    const signal = AbortSignal.timeout(ANSWER_MS_MAX);
    const late = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(new Error(`no answer in ${ANSWER_MS_MAX} ms`)), { once: true });
    });
    try {
      return await Promise.race([openEntry(name).then((entry) => question(entry, signal)), late]);
    } catch (error) {
      throw new SecretsUnavailable((error as Error).message);
    }
  }
  return {
    get: (name) => ask(name, async (entry, signal) => (await entry.getPassword(signal)) ?? null),
    set: (name, secret) => ask(name, (entry, signal) => entry.setPassword(secret, signal)),
    remove: (name) => ask(name, (entry, signal) => entry.deleteCredential(signal)),
  };
}

type Entry = Awaited<ReturnType<typeof openEntry>>;

async function openEntry(name: string) {
  const { AsyncEntry } = await import('@napi-rs/keyring');
  return new AsyncEntry(SERVICE, name, { linux: { store: 'secret-service' } });
}
