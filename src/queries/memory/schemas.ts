/** Schemas of the answers about memories. */
import { z } from 'zod';
import { zJson, zUnixSeconds } from '../../events/envelope.ts';
import { zMemoryBody, zSector } from '../../events/memory/events.ts';
import { zFactBody } from '../../events/memory/facts.ts';

export const zMemoryView = z.object({
  id: z.string().describe('Id of the memory.'),
  content: z.string().describe('The text.'),
  sector: zSector,
  salience: z.number(),
  tags: z.array(z.string()),
  pinned: z.boolean().describe('Whether it neither fades nor is purged.'),
  created_at: zUnixSeconds,
});
z.globalRegistry.add(zMemoryView, { id: 'Memory' });

/** What a memory and its export say besides the view of a memory. */
const zRecord = z.object({
  decay_lambda: z.number(),
  /** Pairs of a sector and its share. */
  secondary_sectors: z.array(z.array(z.union([zSector, z.number()]))),
  updated_at: zUnixSeconds,
  last_seen_at: zUnixSeconds,
  version: z.int().describe('Version of the record, from 1.'),
  user_id: z.string(),
  project_id: z.string().nullable(),
  session_id: z.string().nullable(),
});

export const zMemoryDetail = zMemoryView.extend({
  ...zRecord.shape,
  effective_salience: z.number().describe('Salience as it has decayed until now, 0 to 1.'),
  stored_salience: z.number().describe('Salience when it was stored, 0 to 1.'),
  metadata: zMemoryBody.shape.meta,
  encrypted: z.boolean().describe('Whether the text is stored as ciphertext.'),
  recalled_at: z.int().nullable().describe('Unix time in seconds of the last one; null before the first one.'),
  recalls: z.int().describe('How often a question found it, or a context block showed it; each at most once a day.'),
  waypoint_count: z.int().describe('Links to other entries.'),
  waypoints: z
    .array(
      z.object({
        src_id: z.string(),
        dst_id: z.string(),
        kind: z.string().describe('Whether the link is automatic or a tunnel.'),
        weight: z.number(),
        created_at: zUnixSeconds,
        updated_at: zUnixSeconds,
        cross_sector: z.boolean(),
        cross_project: z.boolean(),
      }),
    )
    .describe('Those links, some of them.'),
  events: z
    .array(
      z.object({
        position: z.int(),
        version: z.int().describe('Number in the stream of the memory, from 1.'),
        id: z.string().describe('Id of the event.'),
        type: z.string().describe('Type of the event.'),
        at: z.int(),
        actor: z.string(),
        leaf_hash: z.string(),
        data: zJson,
        erased: z.literal(true).optional(),
      }),
    )
    .describe('Events of the memory, oldest first.'),
});
z.globalRegistry.add(zMemoryDetail, { id: 'MemoryDetail' });

/** A memory as it is exported, and imported again. */
export const zExported = zMemoryView.omit({ sector: true }).extend({
  ...zRecord.shape,
  primary_sector: zSector.describe('Kind of memory.'),
  meta: zMemoryBody.shape.meta,
});
z.globalRegistry.add(zExported, { id: 'ExportedMemory' });

const zScore = z.object({
  score: z.number(),
  similarity: z.number(),
  lexical: z.number(),
  vector: z.number(),
  recency: z.number(),
  waypoint: z.number(),
  sector_match: z.number(),
});
export type Score = Readonly<z.infer<typeof zScore>>;

export const zFound = zMemoryView.extend(zScore.shape);
z.globalRegistry.add(zFound, { id: 'FoundMemory' });

export const zFact = z.object({
  ...zFactBody.pick({ id: true, subject: true, predicate: true, object: true, valid_from: true }).shape,
  valid_to: z.number().nullable(),
  confidence: z.number(),
  recorded_at: z.int().describe('Unix seconds at which the fact was recorded.'),
});
z.globalRegistry.add(zFact, { id: 'Fact' });

export const zDrawer = z.object({
  id: z.string().describe('Id of the drawer.'),
  content: z.string().describe('The text, word for word.'),
  wing: z.string(),
  room: z.string().describe('Part of the wing: a topic.'),
  source: z.string().describe('Where the text comes from; may be empty.'),
  content_hash: z.string(),
  created_at: zUnixSeconds,
  text_id: z.string().describe('The text it is a piece of.'),
  index: z.int().describe('Its number in the text, from 0.'),
  start: z.int().describe('Its first character in the text, from 0.'),
  duplicate_of: z
    .string()
    .nullable()
    .describe('The drawer (or the recalled entry) whose words it repeats. Such a piece is no drawer and in no count.'),
});
z.globalRegistry.add(zDrawer, { id: 'Drawer' });

export const zFoundDrawer = zDrawer.extend({ similarity: z.number() });
z.globalRegistry.add(zFoundDrawer, { id: 'FoundDrawer' });

/** The vectors of the configured embedding model: in the stats and in `/health`. */
export const zVectorStatus = z.object({
  provider: z.string().nullable().describe('null when the settings name no provider that exists.'),
  model: z.string().nullable().describe('Name of the model at its provider; null when the settings name none.'),
  dimension: z.int().nullable().describe('As measured from an answer of the model; null before the first one.'),
  embedded: z.int().describe('Entries (memories and drawers) with a vector of this model.'),
  total: z.int().describe('All entries.'),
  state: z
    .enum(['complete', 'embedding', 'waiting', 'loading', 'locked', 'misconfigured'])
    .describe(
      '`complete`: the model was asked for every entry. `embedding`: under way. `waiting`: the provider failed and is tried again. `loading`: vectors are read from disk. `locked`: texts cannot be read. `misconfigured`: the settings allow no request.',
    ),
  skipped: z
    .int()
    .optional()
    .describe('Entries that the provider refuses; they keep their built-in vector. Absent when there are none.'),
  error: z.string().optional().describe('The last failure of the provider or of the disk.'),
});
z.globalRegistry.add(zVectorStatus, { id: 'VectorStatus' });
export type VectorStatus = z.infer<typeof zVectorStatus>;

/** How an answer used vectors of the embedding model. Absent while the built-in vectors are configured. */
export const zVectorsUsed = z.object({
  provider: z
    .string()
    .nullable()
    .describe('Whose vectors are configured; null when the settings name none that exists.'),
  model: z.string().nullable().describe('The configured model; null when the settings name none.'),
  used: z.boolean().describe("Whether the model's vectors had a part in the answer; if not, the built-in ones had."),
  fallback_reason: z.string().optional().describe("Why the model's vectors had no part; absent when they had."),
});
z.globalRegistry.add(zVectorsUsed, { id: 'VectorsUsed' });
export type VectorsUsed = z.infer<typeof zVectorsUsed>;

/** `status` is absent when all is well, `embedding` while the views cannot be read. */
export const zMemoryHealth = z.object({
  enabled: z.boolean().describe('Always true: the memory cannot be switched off.'),
  store_path: z.string().describe("Folder of the memory's data."),
  total_memories: z.int(),
  drawer_count: z.int().describe('Drawers in the memory.'),
  encryption_enabled: z.boolean().describe('Whether texts are stored as ciphertext.'),
  status: z
    .enum(['warming', 'locked'])
    .optional()
    .describe('`warming`: some entries cannot be found yet. `locked`: the key is missing.'),
  embedding: zVectorStatus
    .omit({ error: true })
    .optional()
    .describe('Without the error: a provider may repeat a text in it.'),
});
export type MemoryHealth = z.infer<typeof zMemoryHealth>;
