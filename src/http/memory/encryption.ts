/**
 * Encryption at rest: says how it is, switches it on, unlocks.
 *
 * - Switching on seals what is kept already: each record is appended anew as ciphertext and its plain event is erased;
 *   then the views are folded again and the log is compacted, so that no plain word stays on the disk.
 * - Interrupted, it is taken up at the next start. It cannot be switched off, but its key can move.
 */
import { z } from 'zod';
import { type Encryption, MEMORY_SETTINGS_ID, memorySettings } from '../../commands/memory/settings.ts';
import type { Config } from '../../config.ts';
import type { Clock } from '../../ports/clock.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import type { SecretStore } from '../../ports/secrets.ts';
import { encryptionSettings } from '../../projections/memory/memories.ts';
import type { Views } from '../../projections/views.ts';
import { eraseTexts, flushViews } from '../../queries/memory/memory-context.ts';
import { type KeySource, movedKey, newKey, openVault, PASSPHRASE_CHARACTERS_MIN } from '../../reactors/memory/key.ts';
import type { MemoryKeeper } from '../../reactors/memory/memory-store.ts';
import { sealEverything } from '../../reactors/memory/seal.ts';
import type { MemoryVectors } from '../../reactors/memory/vectors/vectors.ts';
import type { EventLog } from '../../storage/event-log.ts';
import type { StorageControl } from '../../storage/ops/control.ts';
import type { CommandHandler, Origin } from '../../streams/command-handler.ts';
import type { Projector } from '../../streams/projector.ts';
import { value } from '../server/answer.ts';
import { HttpError, zError } from '../server/errors.ts';
import { type RouteSpec, route } from '../server/route.ts';
import { rehearsals } from './query.ts';
import { common, refused } from './schemas.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly config: Config;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly log: EventLog;
  readonly views: Views;
  readonly projector: Projector;
  readonly dispatcher: CommandHandler;
  readonly memory: MemoryKeeper;
  readonly memoryVectors: MemoryVectors;
  readonly secrets: SecretStore;
  viewsUnavailable(): string | null;
  rebuildViews(): Promise<void>;
  readonly storageControl: StorageControl;
  announce(line: string): void;
}

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

export function encryptionRoutes(deps: Dependencies): readonly RouteSpec[] {
  const ok = { 200: { description: 'How it is now.', schema: zState } };
  return [
    route({
      ...common,
      method: 'GET',
      path: '/memory/encryption',
      summary: 'Whether memories are encrypted at rest, and where the key comes from.',
      responses: ok,
      async handle() {
        await deps.memory.ready;
        return value(stateOf(deps));
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
        await deps.memory.ready;
        const asked = { passphrase: body?.passphrase ?? undefined, source: body?.key_source ?? undefined };
        return deps.memory.inTurn(async () => {
          if (!deps.memory.isEncrypted()) await enable(deps, asked, origin);
          else if (deps.memory.vault() === null) await unlock(deps, asked, origin);
          else {
            await move(deps, asked, origin);
            // What an earlier process did not finish: the answer says that it is done.
            if (await deps.memory.indexed()) await sealEverything(deps, SYSTEM);
          }
          await deps.memoryVectors.rekeyed();
          return value(stateOf(deps));
        });
      },
    }),
  ];
}

/** When the views are folded: finishes what was begun, unlocks, and switches on what the settings ask for. */
export async function startMemory(deps: Dependencies): Promise<void> {
  const { memory, config } = deps;
  try {
    await memory.start(rehearsals(deps));
    // Views that were behind the log have just been folded: what they held before leaves their file.
    if (memory.isEncrypted()) flushViews(deps);
    if (!memory.isEncrypted() && config.memory_encryption) await enable(deps, {}, SYSTEM);
    else if (memory.isEncrypted() && memory.vault() !== null) void goOn(deps);
  } catch (error) {
    const reason = error instanceof HttpError ? NOT_TO_BE_HAD[memory.passphrase === undefined ? 0 : 1] : String(error);
    if (config.memory_encryption && !memory.isEncrypted()) memory.refuse(`Memories are to be encrypted: ${reason}.`);
    deps.announce(`Memories: ${reason}`);
  } finally {
    memory.started();
  }
}

/** What an earlier process did not finish, once the index is there: sealing folds the views anew. */
async function goOn(deps: Dependencies): Promise<void> {
  try {
    if (await deps.memory.indexed()) await deps.memory.inTurn(() => sealEverything(deps, SYSTEM));
  } catch (error) {
    deps.announce(`Memories: ${String(error)}`);
  }
}

const NOT_TO_BE_HAD = [
  'no keyring, and DAYBOOK_MEMORY_PASSPHRASE is not set',
  `DAYBOOK_MEMORY_PASSPHRASE has fewer than ${PASSPHRASE_CHARACTERS_MIN} characters`,
] as const;

const SYSTEM: Origin = { actor: 'system', correlation: null };

function encryptionOf(deps: Dependencies): Encryption | null {
  const settings = encryptionSettings(deps.views);
  return settings === undefined ? null : (JSON.parse(settings) as Encryption);
}

function stateOf(deps: Dependencies): z.infer<typeof zState> {
  const encryption = encryptionOf(deps);
  return {
    enabled: encryption !== null,
    locked: deps.memory.locked() !== null,
    warming: deps.memory.isWarming(),
    key_source: encryption?.key_source ?? null,
  };
}

interface Asked {
  readonly passphrase?: string | undefined;
  readonly source?: KeySource | undefined;
}

async function enable(deps: Dependencies, { passphrase = deps.memory.passphrase, source }: Asked, origin: Origin) {
  const { vault, encryption } = await newKey(source, { secrets: deps.secrets, passphrase });
  const command = { type: 'EnableMemoryEncryption', encryption } as const;
  const { state } = await deps.dispatcher.dispatch(memorySettings, MEMORY_SETTINGS_ID, command, { origin });
  // Nothing may ever be sealed with a key that is not the recorded one.
  if (state.encryption?.salt !== encryption.salt)
    throw new HttpError(503, 'Memories are encrypted already; ask again.');
  await deps.memory.unlock(vault);
  await sealEverything(deps, origin);
}

async function unlock(deps: Dependencies, { passphrase = deps.memory.passphrase, source }: Asked, origin: Origin) {
  const encryption = encryptionOf(deps)!;
  const opened = await openVault(encryption, { secrets: deps.secrets, passphrase });
  if (opened.vault === null) throw new HttpError(403, `Memories stay locked: ${opened.why}.`);
  await deps.memory.unlock(opened.vault);
  await sealEverything(deps, SYSTEM);
  if (source !== undefined && source !== encryption.key_source) await move(deps, { passphrase, source }, origin);
}

/** Takes the key of what can be read to where it is to be from now on; is it there already, nothing happens. */
async function move(deps: Dependencies, { passphrase, source }: Asked, origin: Origin): Promise<void> {
  const before = encryptionOf(deps)!;
  const to = source ?? before.key_source;
  if (to === before.key_source) {
    if (to === 'keyring' || passphrase === undefined) return;
    const { vault } = await openVault(before, { secrets: deps.secrets, passphrase });
    if (vault !== null) return;
    if (source === undefined) throw new HttpError(403, OTHER_PASSPHRASE);
  }
  const parts = { secrets: deps.secrets, passphrase: passphrase ?? deps.memory.passphrase };
  const encryption = await movedKey(deps.memory.vault()!, to, parts);
  const positions = keyPositions(deps);
  const command = { type: 'MoveMemoryKey', encryption, positions } as const;
  await deps.dispatcher.dispatch(memorySettings, MEMORY_SETTINGS_ID, command, { origin });
  await eraseTexts(deps, positions);
}

const OTHER_PASSPHRASE =
  'Memories are open, and the passphrase is not theirs; with key_source passphrase it becomes the one they have.';

/** Of the events that say how the key was had until now. */
function keyPositions(deps: Dependencies): readonly number[] {
  const events = [...deps.log.readStream(`${memorySettings.category}-${MEMORY_SETTINGS_ID}`)];
  const telling = events.filter(({ type, erased }) => erased !== true && type !== 'MemoryEncryptionSettled');
  return telling.map(({ position }) => position);
}
