/**
 * Child process that makes one request to the keyring of the operating system.
 *
 * - On Linux it uses the Secret Service only: the kernel's keyring loses its content when the machine restarts.
 */
import { AsyncEntry } from '@napi-rs/keyring';

export type KeyringRequest =
  | { readonly ask: 'get'; readonly name: string }
  | { readonly ask: 'set'; readonly name: string; readonly secret: string };

export type KeyringResponse = { readonly found: string | null } | { readonly error: string };

const SERVICE = 'daybook';

process.once('message', (question: KeyringRequest) => {
  answerTo(question)
    .then((found): KeyringResponse => ({ found }))
    .catch((error: Error): KeyringResponse => ({ error: error.message }))
    .then((answer) => process.send?.(answer, () => process.disconnect()));
});

async function answerTo(question: KeyringRequest): Promise<string | null> {
  const entry = new AsyncEntry(SERVICE, question.name, { linux: { store: 'secret-service' } });
  if (question.ask === 'get') return (await entry.getPassword()) ?? null;
  await entry.setPassword(question.secret);
  return null;
}
