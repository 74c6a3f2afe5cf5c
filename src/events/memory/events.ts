/**
 * Memories: how they are added, pinned, linked and removed. Appended by the memory routes and reactors, each memory on
 * its own stream `memory-<id>`.
 *
 * - A text is only in the event that stored its memory. That event is erased when the memory is removed: the other
 *   events hold no text, and folds of a removed memory need only those.
 * - With encryption `sealed` holds content, tags and metadata as ciphertext, and the three plain fields are empty.
 */
import { z } from 'zod';
import { define, type EventIn } from '../define.ts';

/** In the order of precedence when scores are equal. */
export const SECTORS = ['episodic', 'semantic', 'procedural', 'emotional', 'reflective'] as const;
export const zSector = z.enum(SECTORS);
export type Sector = z.infer<typeof zSector>;

/** The rate at which salience decays, and the weight of the sector's signals. */
export const SECTOR_TRAITS: Readonly<Record<Sector, { readonly decayPerDay: number; readonly weight: number }>> = {
  episodic: { decayPerDay: 0.015, weight: 1.2 },
  semantic: { decayPerDay: 0.005, weight: 1.0 },
  procedural: { decayPerDay: 0.008, weight: 1.1 },
  emotional: { decayPerDay: 0.02, weight: 1.3 },
  reflective: { decayPerDay: 0.001, weight: 0.8 },
};

const zLink = z.object({ dst_id: z.string(), weight: z.number().min(0).max(1) });

export const zMemoryBody = z.object({
  content: z.string(),
  tags: z.array(z.string()),
  meta: z.record(z.string(), z.string()).describe('Names and texts of the caller.'),
  /** The three fields above as ciphertext. */
  sealed: z.string().nullable(),
  /** Fingerprints of the text, whole and as a context block shows it. */
  content_key: z.string(),
  line_key: z.string(),
  sector: zSector,
  /** The other sectors it shows signs of, with their shares. */
  secondary: z.array(z.tuple([zSector, z.number()])),
  salience: z.number().min(0).max(1),
  decay_lambda: z.number().min(0),
  /** Unix milliseconds, all three. */
  created_at: z.int(),
  updated_at: z.int(),
  last_seen_at: z.int(),
  version: z.int().positive(),
  user_id: z.string(),
  project_id: z.string().nullable(),
  session_id: z.string().nullable(),
  pinned: z.boolean(),
  /** The memories that it merges or reflects on. */
  from: z.array(z.string()),
  /** The nearest memories at the time of storing, linked in both directions. */
  waypoints: z.array(zLink),
});
export type MemoryBody = z.infer<typeof zMemoryBody>;

/** The events that store a memory. */
export const zKeeping = z.enum(['MemoryAdded', 'MemoryImported', 'MemoriesMerged', 'ReflectionFormed']);
export type Keeping = z.infer<typeof zKeeping>;

/** Log positions to erase: of this stream's events with text, and of recorded answers that repeat it. */
const zPositions = z.array(z.int().positive());

export const memoryEvents = {
  MemoryAdded: define('MemoryAdded', zMemoryBody),
  MemoryImported: define('MemoryImported', zMemoryBody),
  /** A new memory in place of several weak ones with nearly the same text. */
  MemoriesMerged: define('MemoriesMerged', zMemoryBody),
  ReflectionFormed: define('ReflectionFormed', zMemoryBody),
  /** The memory as ciphertext, when encryption is enabled; its plain event is erased. */
  MemorySealed: define('MemorySealed', zMemoryBody.extend({ made_by: zKeeping, positions: zPositions })),
  MemoryPinned: define('MemoryPinned', z.object({})),
  MemoryUnpinned: define('MemoryUnpinned', z.object({})),
  WaypointsLaid: define('WaypointsLaid', z.object({ links: z.array(zLink) })),
  /** A waypoint to another memory or a drawer, in addition to the automatic ones. */
  TunnelDug: define('TunnelDug', z.object({ ...zLink.shape, automatic: z.boolean() })),
  /** Its effective salience fell below the limit. */
  MemoryDecayed: define('MemoryDecayed', z.object({ effective_salience: z.number(), positions: zPositions }), {
    whenErased: { effective_salience: 0, positions: [] },
  }),
  /** The memory `into` holds its text. */
  MemoryAbsorbed: define('MemoryAbsorbed', z.object({ into: z.string(), positions: zPositions }), {
    whenErased: { into: '', positions: [] },
  }),
  MemoryDeleted: define('MemoryDeleted', z.object({ positions: zPositions }), { whenErased: { positions: [] } }),
} as const;

export type MemoryEvent = EventIn<typeof memoryEvents>;

/** Recalled entries and recall loops, on the one stream `recall-store`. Ids only, no text. */
export const recallEvents = {
  MemoriesRecalled: define(
    'MemoriesRecalled',
    z.object({
      via: z.enum(['context', 'query']),
      memory_ids: z.array(z.string()),
      drawer_ids: z.array(z.string()),
      fact_ids: z.array(z.string()),
    }),
  ),
  /** A text from a context block was offered as new. It is counted, not stored. */
  RecallLoopRecognised: define(
    'RecallLoopRecognised',
    z.object({
      store: z.enum(['memory', 'drawer', 'fact']),
      /** The entry that the text repeats. */
      id: z.string(),
      kind: z.enum(['exact', 'near']),
      similarity: z.number(),
      via: z.enum(['add', 'chunk', 'import']),
    }),
  ),
} as const;
export type RecallEvent = EventIn<typeof recallEvents>;

/** How memories are encrypted, and where the key comes from. */
export const zEncryption = z.object({
  key_source: z.enum(['keyring', 'passphrase']),
  /** Names the keyring entry, and salts the passphrase. */
  salt: z.string(),
  /** A known text sealed with the key: only the right key opens it. */
  check: z.string(),
  /** The key, sealed with a key from this source: present after it moved from another source. */
  wrapped: z.string().exactOptional(),
});

export type Encryption = z.infer<typeof zEncryption>;

/** No passphrase opens it: memories stay encrypted and locked, and none is stored as plain text. */
const ERASED_ENCRYPTION: Encryption = { key_source: 'passphrase', salt: '', check: '' };

/** Encryption at rest, on the one stream `settings-memory`. The plain key is in no event. */
export const memorySettingsEvents = {
  MemoryEncryptionEnabled: define('MemoryEncryptionEnabled', zEncryption, { whenErased: ERASED_ENCRYPTION }),
  /** The same key, from another source; the former source is erased from the log. */
  MemoryKeyMoved: define('MemoryKeyMoved', zEncryption.extend({ positions: z.array(z.int()) }), {
    whenErased: { ...ERASED_ENCRYPTION, positions: [] },
  }),
  /** All earlier texts are encrypted, and no plain text is on the disk. */
  MemoryEncryptionSettled: define('MemoryEncryptionSettled', z.object({})),
} as const;
export type MemorySettingsEvent = EventIn<typeof memorySettingsEvents>;
