/**
 * Encryption at rest: says how it is, switches it on, unlocks.
 *
 * - Switching on seals what is kept already: each record is appended anew as ciphertext and its plain event is erased;
 *   then the views are folded again and the log is compacted, so that no plain word stays on the disk.
 * - Interrupted, it is taken up at the next start. It cannot be switched off, but its key can move.
 */
import { z } from 'zod';
import { type Encryption, MEMORY_SETTINGS_ID, memorySettings } from '../../commands/memory/settings.ts';
import { encryptionSettings } from '../../projections/memory/memories.ts';
import type { Origin } from '../../streams/command-handler.ts';
import type { House } from '../house.ts';
import { value } from '../server/answer.ts';
import { HttpError, zError } from '../server/errors.ts';
import { type RouteSpec, route } from '../server/route.ts';
import { type KeySource, movedKey, newKey, openVault, PASSPHRASE_CHARACTERS_MIN } from './key.ts';
import { rehearsals } from './query.ts';
import { eraseTexts, flushViews } from './room.ts';
import { sealEverything } from './seal.ts';
import { common, refused } from './shapes.ts';

const PASSPHRASE_CHARACTERS_MAX = 1_024;
const LENGTH = `must have ${PASSPHRASE_CHARACTERS_MIN} to ${PASSPHRASE_CHARACTERS_MAX} characters`;
const KEY_SOURCES = ['keyring', 'passphrase'] as const;

const zKeySource = z.enum(KEY_SOURCES, `must be one of ${KEY_SOURCES.join(', ')}`);
const zBody = z.object({
  passphrase: z.string().min(PASSPHRASE_CHARACTERS_MIN, LENGTH).max(PASSPHRASE_CHARACTERS_MAX, LENGTH).nullish(),
  /** Where the key is to be from now on; absent, it stays where it is, and a first one is where a passphrase says. */
  key_source: zKeySource.nullish(),
});
const zState = z.object({
  enabled: z.boolean(),
  locked: z.boolean(),
  warming: z.boolean(),
  key_source: zKeySource.nullable(),
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
      async handle() {
        await house.memory.ready;
        return value(stateOf(house));
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/memory/encryption',
      summary:
        'Switches encryption at rest on, for good, unlocks what is encrypted, or moves its key. Done when it is.',
      secretAnswer: true,
      body: zBody.optional(),
      responses: {
        ...ok,
        ...refused,
        403: { description: 'The key cannot be had: another passphrase, or a keyring without it.', schema: zError },
      },
      async handle({ body, origin }) {
        await house.memory.ready;
        const asked = { passphrase: body?.passphrase ?? undefined, source: body?.key_source ?? undefined };
        return house.memory.inTurn(async () => {
          if (!house.memory.isEncrypted()) await enable(house, asked, origin);
          else if (house.memory.vault() === null) await unlock(house, asked, origin);
          else {
            await move(house, asked, origin);
            // What an earlier process did not finish: the answer says that it is done.
            if (await house.memory.indexed()) await sealEverything(house, SYSTEM);
          }
          await house.memoryVectors.rekeyed();
          return value(stateOf(house));
        });
      },
    }),
  ];
}

/** When the views are folded: finishes what was begun, unlocks, and switches on what the settings ask for. */
export async function startMemory(house: House): Promise<void> {
  const { memory, config } = house;
  try {
    await memory.start(rehearsals(house));
    // Views that were behind the log have just been folded: what they held before leaves their file.
    if (memory.isEncrypted()) flushViews(house);
    if (!memory.isEncrypted() && config.memory_encryption) await enable(house, {}, SYSTEM);
    else if (memory.isEncrypted() && memory.vault() !== null) void goOn(house);
  } catch (error) {
    const reason = error instanceof HttpError ? NOT_TO_BE_HAD[memory.passphrase === undefined ? 0 : 1] : String(error);
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

const NOT_TO_BE_HAD = [
  'no keyring, and DAYBOOK_MEMORY_PASSPHRASE is not set',
  `DAYBOOK_MEMORY_PASSPHRASE has fewer than ${PASSPHRASE_CHARACTERS_MIN} characters`,
] as const;

const SYSTEM: Origin = { actor: 'system', correlation: null };

function encryptionOf(house: House): Encryption | null {
  const settings = encryptionSettings(house.views);
  return settings === undefined ? null : (JSON.parse(settings) as Encryption);
}

function stateOf(house: House): z.infer<typeof zState> {
  const encryption = encryptionOf(house);
  return {
    enabled: encryption !== null,
    locked: house.memory.locked() !== null,
    warming: house.memory.isWarming(),
    key_source: encryption?.key_source ?? null,
  };
}

interface Asked {
  readonly passphrase?: string | undefined;
  readonly source?: KeySource | undefined;
}

async function enable(house: House, { passphrase = house.memory.passphrase, source }: Asked, origin: Origin) {
  const { vault, encryption } = await newKey(source, { secrets: house.secrets, passphrase });
  const command = { type: 'EnableMemoryEncryption', encryption } as const;
  const { state } = await house.dispatcher.dispatch(memorySettings, MEMORY_SETTINGS_ID, command, { origin });
  // Nothing may ever be sealed with a key that is not the recorded one.
  if (state.encryption?.salt !== encryption.salt)
    throw new HttpError(503, 'Memories are encrypted already; ask again.');
  await house.memory.unlock(vault);
  await sealEverything(house, origin);
}

async function unlock(house: House, { passphrase = house.memory.passphrase, source }: Asked, origin: Origin) {
  const encryption = encryptionOf(house)!;
  const opened = await openVault(encryption, { secrets: house.secrets, passphrase });
  if (opened.vault === null) throw new HttpError(403, `Memories stay locked: ${opened.why}.`);
  await house.memory.unlock(opened.vault);
  await sealEverything(house, SYSTEM);
  if (source !== undefined && source !== encryption.key_source) await move(house, { passphrase, source }, origin);
}

/** Takes the key of what can be read to where it is to be from now on; is it there already, nothing happens. */
async function move(house: House, { passphrase, source }: Asked, origin: Origin): Promise<void> {
  const before = encryptionOf(house)!;
  const to = source ?? before.key_source;
  if (to === before.key_source) {
    if (to === 'keyring' || passphrase === undefined) return;
    const { vault } = await openVault(before, { secrets: house.secrets, passphrase });
    if (vault !== null) return;
    if (source === undefined) throw new HttpError(403, OTHER_PASSPHRASE);
  }
  const parts = { secrets: house.secrets, passphrase: passphrase ?? house.memory.passphrase };
  const encryption = await movedKey(house.memory.vault()!, to, parts);
  const positions = keyPositions(house);
  const command = { type: 'MoveMemoryKey', encryption, positions } as const;
  await house.dispatcher.dispatch(memorySettings, MEMORY_SETTINGS_ID, command, { origin });
  await eraseTexts(house, positions);
}

const OTHER_PASSPHRASE =
  'Memories are open, and the passphrase is not theirs; with key_source passphrase it becomes the one they have.';

/** Of the events that say how the key was had until now. */
function keyPositions(house: House): readonly number[] {
  const events = [...house.log.readStream(`${memorySettings.category}-${MEMORY_SETTINGS_ID}`)];
  const telling = events.filter(({ type, erased }) => erased !== true && type !== 'MemoryEncryptionSettled');
  return telling.map(({ position }) => position);
}
