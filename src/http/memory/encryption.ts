/** Routes of encryption at rest: its status, and one that enables it, unlocks memories or moves the key. */
import { z } from 'zod';
import { zEncryption } from '../../events/memory/events.ts';
import type { Views } from '../../projections/views.ts';
import { encryptionStatus, type MemoryEncryption } from '../../queries/memory/encryption.ts';
import type { EncryptionProcess } from '../../reactors/memory/encryption.ts';
import { PASSPHRASE_CHARACTERS_MIN } from '../../reactors/memory/key.ts';
import { ok, type RouteSpec, routesOf, value } from '../server/route.ts';
import { badRequest } from './schemas.ts';

const { get, post } = routesOf({ tag: 'memory' });

export interface Dependencies {
  readonly views: Views;
  readonly encryption: MemoryEncryption;
  readonly encryptionProcess: EncryptionProcess;
}

const PASSPHRASE_CHARACTERS_MAX = 1_024;
const LENGTH = `must have ${PASSPHRASE_CHARACTERS_MIN} to ${PASSPHRASE_CHARACTERS_MAX} characters`;
const KEY_SOURCES = zEncryption.shape.key_source.options;

const zKeySource = z.enum(KEY_SOURCES, `must be one of ${KEY_SOURCES.join(', ')}`);
const zBody = z.object({
  passphrase: z.string().min(PASSPHRASE_CHARACTERS_MIN, LENGTH).max(PASSPHRASE_CHARACTERS_MAX, LENGTH).nullish(),
  key_source: zKeySource
    .nullish()
    .describe(
      'The new source of the key. Absent, a key stays where it is, and a first key follows from the passphrase.',
    ),
});
z.globalRegistry.add(zBody, { examples: [{ key_source: 'keyring' }] });
const zStatus = z.object({
  enabled: z.boolean().describe('Whether texts are stored as ciphertext.'),
  locked: z.boolean().describe('The key is missing: texts cannot be read.'),
  warming: z.boolean().describe('Some texts cannot be found by their words yet.'),
  key_source: zKeySource.nullable().describe('Where the key is; null without encryption.'),
});

export function encryptionRoutes({ views, encryption, encryptionProcess }: Dependencies): readonly RouteSpec[] {
  const state = ok('The present state.', zStatus);
  const status = () => value(encryptionStatus(views, encryption));
  return [
    get('/memory/encryption', {
      operation: 'encryption',
      summary: 'Whether memories are encrypted at rest, and where the key comes from.',
      responses: state,
      async handle() {
        await encryption.ready;
        return status();
      },
    }),
    post('/memory/encryption', {
      operation: 'encrypt',
      summary:
        'Enables encryption at rest permanently, unlocks encrypted memories, or moves the key. Answers when that is done.',
      secretAnswer: true,
      body: zBody.optional(),
      responses: {
        ...state,
        ...badRequest,
        403: 'The key is not available: another passphrase, or a keyring without it.',
      },
      async handle({ body, origin }) {
        await encryption.ready;
        const request = { passphrase: body?.passphrase ?? undefined, source: body?.key_source ?? undefined };
        await encryptionProcess.apply(request, origin);
        return status();
      },
    }),
  ];
}
