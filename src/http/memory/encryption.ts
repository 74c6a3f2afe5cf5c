/**
 * Encryption at rest: says how it is, switches it on, unlocks.
 *
 * - Switching on seals what is kept already: each record is appended anew as ciphertext and its plain event is erased;
 *   then the views are folded again and the log is compacted, so that no plain word stays on the disk.
 * - Interrupted, it is taken up at the next start. It cannot be switched off.
 */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { type Encryption, MEMORY_SETTINGS_ID, memorySettings } from '../../commands/memory/settings.ts';
import { SecretsUnavailable } from '../../ports/secrets.ts';
import { encryptionSettings } from '../../projections/memory/memories.ts';
import type { Origin } from '../../streams/dispatch.ts';
import { value } from '../answer.ts';
import { HttpError, zError } from '../errors.ts';
import type { House } from '../house.ts';
import { type RouteSpec, route } from '../route.ts';
import { CHECKED, keyName, keyOf } from './keeper.ts';
import { sealEverything } from './seal.ts';
import { common, refused } from './shapes.ts';
import { createVault, KEY_BYTES, keyFromPassphrase, type Vault } from './vault.ts';

const PASSPHRASE_CHARACTERS_MIN = 8;
const PASSPHRASE_CHARACTERS_MAX = 1_024;
const NO_KEYRING =
  'Invalid body: passphrase: needed, because this machine has no keyring that keeps a key; the daemon needs it again ' +
  'at every start, as DAYBOOK_MEMORY_PASSPHRASE or by this route';

const zState = z.object({
  enabled: z.boolean(),
  locked: z.boolean(),
  warming: z.boolean(),
  key_source: z.enum(['keyring', 'passphrase']).nullable(),
});

export function encryptionRoutes(house: House): readonly RouteSpec[] {
  const ok = { 200: { description: 'How it is now.', schema: zState } };
  return [
    route({
      ...common,
      method: 'GET',
      path: '/memory/encryption',
      summary: 'Whether memories are encrypted at rest, and where the key comes from.',
      responses: ok,
      handle: () => value(stateOf(house)),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/memory/encryption',
      summary: 'Switches encryption at rest on, for good, or unlocks what is encrypted. Done when all of it is.',
      secretAnswer: true,
      body: z
        .object({ passphrase: z.string().min(PASSPHRASE_CHARACTERS_MIN).max(PASSPHRASE_CHARACTERS_MAX).nullish() })
        .optional(),
      responses: {
        ...ok,
        ...refused,
        403: { description: 'The passphrase is another one.', schema: zError },
      },
      handle: ({ body, origin }) =>
        house.memory.inTurn(async () => {
          const passphrase = body?.passphrase ?? undefined;
          if (house.memory.isEncrypted()) await unlock(house, passphrase);
          else await enable(house, passphrase, origin);
          await house.memoryVectors.rekeyed();
          return value(stateOf(house));
        }),
    }),
  ];
}

/** When the views are folded: finishes what was begun, unlocks, and switches on what the settings ask for. */
export async function startMemory(house: House): Promise<void> {
  const { memory, config } = house;
  try {
    await memory.start();
    if (!memory.isEncrypted() && config.memory_encryption) await enable(house, undefined, SYSTEM);
    else if (memory.isEncrypted() && memory.vault() !== null) void goOn(house);
  } catch (error) {
    const reason = error instanceof HttpError ? 'no keyring, and DAYBOOK_MEMORY_PASSPHRASE is not set' : String(error);
    if (config.memory_encryption && !memory.isEncrypted()) memory.refuse(`Memories are to be encrypted: ${reason}.`);
    house.announce(`Memories: ${reason}`);
  } finally {
    memory.started();
  }
}

/** What an earlier process did not finish, once the index is there: sealing folds the views anew. */
async function goOn(house: House): Promise<void> {
  try {
    if (await house.memory.indexed()) await house.memory.inTurn(() => sealEverything(house, SYSTEM));
  } catch (error) {
    house.announce(`Memories: ${String(error)}`);
  }
}

const SYSTEM: Origin = { actor: 'system', correlation: null };

function stateOf(house: House): z.infer<typeof zState> {
  const settings = encryptionSettings(house.views);
  return {
    enabled: settings !== undefined,
    locked: house.memory.locked() !== null,
    warming: house.memory.isWarming(),
    key_source: settings === undefined ? null : (JSON.parse(settings) as Encryption).key_source,
  };
}

async function unlock(house: House, passphrase: string | undefined): Promise<void> {
  if (house.memory.vault() !== null) return;
  const encryption = JSON.parse(encryptionSettings(house.views)!) as Encryption;
  const vault = await keyOf(encryption, { secrets: house.secrets, passphrase });
  if (vault === null) {
    const why = encryption.key_source === 'passphrase' ? 'the passphrase does not fit' : 'the keyring has not the key';
    throw new HttpError(403, `Memories stay locked: ${why}.`);
  }
  await house.memory.unlock(vault);
  await sealEverything(house, SYSTEM);
}

async function enable(house: House, given: string | undefined, origin: Origin): Promise<void> {
  const salt = randomBytes(16).toString('hex');
  const passphrase = given ?? house.memory.passphrase;
  const made = passphrase === undefined ? await keyInKeyring(house, salt) : await keyFromPassphrase(passphrase, salt);
  const vault: Vault = createVault(made);
  const encryption: Encryption = {
    key_source: passphrase === undefined ? 'keyring' : 'passphrase',
    salt,
    check: vault.seal(CHECKED, salt),
  };
  const command = { type: 'EnableMemoryEncryption', encryption } as const;
  await house.dispatcher.dispatch(memorySettings, MEMORY_SETTINGS_ID, command, { origin });
  await house.memory.unlock(vault);
  await sealEverything(house, origin);
}

/** A new key, kept by the machine; read back, because a key that was not kept is worse than none. */
async function keyInKeyring(house: House, salt: string): Promise<Buffer> {
  const key = randomBytes(KEY_BYTES);
  try {
    await house.secrets.set(keyName(salt), key.toString('base64'));
    if ((await house.secrets.get(keyName(salt))) === key.toString('base64')) return key;
  } catch (error) {
    if (!(error instanceof SecretsUnavailable)) throw error;
  }
  throw new HttpError(400, NO_KEYRING);
}
