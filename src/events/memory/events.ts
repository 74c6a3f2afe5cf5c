/**
 * Memories: what was added, how it was marked and linked, and how it left. Appended by the memory routes, each memory
 * on its own stream `memory-<id>`.
 *
 * - Every text lives in the one event that made its memory; when a memory leaves the store that event is erased. The
 *   events around it say all that a fold needs without it, and hold no text.
 * - With encryption on, `sealed` holds content, tags and metadata as ciphertext and the three plain fields are empty.
 */
import { z } from 'zod';
import { define, type EventIn } from '../define.ts';

/** In the order that breaks ties. */
export const SECTORS = ['episodic', 'semantic', 'procedural', 'emotional', 'reflective'] as const;
export const zSector = z.enum(SECTORS);
export type Sector = z.infer<typeof zSector>;

/** What of a sector's strength is forgotten a day, and how much its signals weigh. */
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
  meta: z.record(z.string(), z.string()),
  /** The three above as ciphertext. */
  sealed: z.string().nullable(),
  /** Fingerprints of the text, whole and as a context block shows it: how it is recognised when it comes back. */
  content_key: z.string(),
  line_key: z.string(),
  sector: zSector,
  /** Further sectors it shows signs of, with how much. */
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
  /** The memories it was made of: merged, or reflected upon. */
  from: z.array(z.string()),
  /** The nearest memories at the time, linked both ways. */
  waypoints: z.array(zLink),
});
export type MemoryBody = z.infer<typeof zMemoryBody>;

/** The events that make a memory. */
export const zKeeping = z.enum(['MemoryAdded', 'MemoryImported', 'MemoriesMerged', 'ReflectionFormed']);
export type Keeping = z.infer<typeof zKeeping>;

/** Positions of this stream's events with text in them, and of recorded answers that repeat it: to be erased. */
const zPositions = z.array(z.int().positive());

export const memoryEvents = {
  MemoryAdded: define('MemoryAdded', zMemoryBody),
  MemoryImported: define('MemoryImported', zMemoryBody),
  /** A new memory in place of several weak ones that say nearly the same. */
  MemoriesMerged: define('MemoriesMerged', zMemoryBody),
  ReflectionFormed: define('ReflectionFormed', zMemoryBody),
  /** The same memory as ciphertext, when encryption was switched on; the event before it is erased. */
  MemorySealed: define('MemorySealed', zMemoryBody.extend({ made_by: zKeeping, positions: zPositions })),
  MemoryPinned: define('MemoryPinned', z.object({})),
  MemoryUnpinned: define('MemoryUnpinned', z.object({})),
  WaypointsLaid: define('WaypointsLaid', z.object({ links: z.array(zLink) })),
  /** A waypoint from this memory to another one, or to a drawer, beside the automatic ones. */
  TunnelDug: define('TunnelDug', z.object({ ...zLink.shape, automatic: z.boolean() })),
  /** Too faint to keep. */
  MemoryDecayed: define('MemoryDecayed', z.object({ effective_salience: z.number(), positions: zPositions })),
  /** Its text lives on in the memory `into`. */
  MemoryAbsorbed: define('MemoryAbsorbed', z.object({ into: z.string(), positions: zPositions })),
  MemoryDeleted: define('MemoryDeleted', z.object({ positions: zPositions })),
} as const;

export type MemoryEvent = EventIn<typeof memoryEvents>;

/**
 * What was handed out and what came back, on the one stream `recall-store`. Ids only, no text.
 */
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
  /** A text that the daemon itself had handed out was offered as new; it was counted and not stored. */
  RecallLoopRecognised: define(
    'RecallLoopRecognised',
    z.object({
      store: z.enum(['memory', 'drawer', 'fact']),
      /** Whose text it was. */
      id: z.string(),
      kind: z.enum(['exact', 'near']),
      similarity: z.number(),
      via: z.enum(['add', 'chunk', 'import']),
    }),
  ),
} as const;
export type RecallEvent = EventIn<typeof recallEvents>;

/** Where the key of encrypted memories is had from. */
const zEncryption = z.object({
  key_source: z.enum(['keyring', 'passphrase']),
  /** Names the keyring entry, and salts the passphrase. */
  salt: z.string(),
  /** A known text sealed with the key: tells the right key from a wrong one. */
  check: z.string(),
  /** The key itself, sealed with what its place gives: it was at another one before. */
  wrapped: z.string().optional(),
});

/** Encryption at rest, on the one stream `settings-memory`. The key is in no event as it is. */
export const memorySettingsEvents = {
  MemoryEncryptionEnabled: define('MemoryEncryptionEnabled', zEncryption),
  /** The same key, from another place; how it was had before is erased from the log. */
  MemoryKeyMoved: define('MemoryKeyMoved', zEncryption.extend({ positions: z.array(z.int()) })),
  /** What was kept before is sealed, and its plain words have left the disk. */
  MemoryEncryptionSettled: define('MemoryEncryptionSettled', z.object({})),
} as const;
export type MemorySettingsEvent = EventIn<typeof memorySettingsEvents>;
