/** Routes that change many memories at once: decay, consolidation, import. */
import { z } from 'zod';
import type { ReadWriteLock } from '../../lib/read-write-lock.ts';
import { type ImportParts, importMemories } from '../../reactors/memory/import.ts';
import { consolidate, type MaintenanceParts, purgeFaded } from '../../reactors/memory/maintenance.ts';
import { ok, type RouteSpec, routesOf, value } from '../server/route.ts';
import { badRequest } from './schemas.ts';

const { post } = routesOf({ tag: 'memory' });

export interface Locked {
  readonly memoryLock: ReadWriteLock;
}

const FORMAT_CHARACTERS_MAX = 64;

const zPurged = z.object({
  purged: z.int().describe('Memories that were deleted.'),
  remaining: z.int().describe('Memories that are left.'),
  decayed: z.int().describe('The same as `purged`.'),
});

const zConsolidated = z.object({
  consolidated: z.int().describe('New memories, each in place of several weak ones.'),
  merged: z.int().describe('The same as `consolidated`.'),
  memories_merged: z.int().describe('Memories that they replace.'),
  reflections_created: z.int().describe('Reflections that were formed.'),
  remaining: z.int().describe('Memories that are left.'),
});

const zFault = z.object({
  index: z.int().describe('Place of the entry in the import, from 0.'),
  error: z.string().describe('Why, in one sentence.'),
});

const zImported = z.object({
  imported: z.int().describe('Entries that were stored.'),
  total_memories: z.int(),
  format_used: z.string().describe('The format that was asked for, or detected.'),
  format_detected: z.string().describe('The detected format of the entries.'),
  skipped: z.array(zFault).describe('Entries without text, with too little confidence, or stored before.'),
  recognised: z.array(zFault).describe('Entries that repeat what a context block showed.'),
  renamed: z
    .array(
      z.object({
        index: z.int().describe('Place of the entry in the import, from 0.'),
        id: z.string().describe('Id under which it is stored.'),
      }),
    )
    .describe('Entries stored under another id than theirs.'),
  errors: z.array(zFault).describe('Entries that cannot be read.'),
});

export function decayRoute(deps: MaintenanceParts & Locked): RouteSpec {
  return post('/memory/decay', {
    operation: 'decay',
    isLong: true,
    summary: 'Deletes unpinned memories whose salience has decayed below 0.05.',
    responses: ok('How many were deleted, and how many remain.', zPurged),
    handle: ({ origin }) => deps.memoryLock.exclusive(async () => value(await purgeFaded(deps, origin))),
  });
}

export function consolidateRoute(deps: MaintenanceParts & Locked): RouteSpec {
  return post('/memory/consolidate', {
    operation: 'consolidate',
    isLong: true,
    summary: 'Merges weak memories that say nearly the same, and forms a reflection on what is new.',
    responses: ok(
      '`consolidated` and `merged` count the new memories, `memories_merged` those they replace.',
      zConsolidated,
    ),
    handle: ({ origin }) => deps.memoryLock.exclusive(async () => value(await consolidate(deps, origin))),
  });
}

export function importRoute(deps: ImportParts & Locked): RouteSpec {
  return post('/memory/import', {
    operation: 'importAll',
    summary:
      'Imports mem0, zep, openmemory (our own export) or a list of facts; invalid entries are reported and skipped.',
    body: z.object({
      content: z.string().describe('The export as text: JSON.'),
      format: z
        .string()
        .max(FORMAT_CHARACTERS_MAX)
        .nullish()
        .describe('mem0, zep, openmemory, native or auto; absent: auto.'),
    }),
    responses: ok('How many entries were stored; the others by their index, with the reason.', zImported, badRequest),
    handle: ({ body: { content, format }, origin, repeatId }) =>
      deps.memoryLock.exclusive(async () =>
        value(await importMemories(deps, { content, format: format ?? 'auto', repeatId }, origin)),
      ),
  });
}
