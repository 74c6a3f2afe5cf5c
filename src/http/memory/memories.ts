/** Routes of the cognitive store: add, list, show, pin, delete, statistics and export. */
import { z } from 'zod';
import { MEMORY_NOT_FOUND, memory } from '../../commands/memory/decide.ts';
import { RECALL_STREAM_ID, recalled } from '../../commands/memory/recalled.ts';
import { Refused } from '../../commands/refusal.ts';
import { zUnixSeconds } from '../../events/envelope.ts';
import { SECTOR_TRAITS, zSector } from '../../events/memory/events.ts';
import type { ReadWriteLock } from '../../lib/read-write-lock.ts';
import type { Clock } from '../../ports/clock.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import { memoryRow, zSectorStats } from '../../projections/memory/memories.ts';
import { prepareAnalysis } from '../../projections/recall/text-analysis.ts';
import type { Views } from '../../projections/views.ts';
import { type DraftContext, memoryBody, nearestLinks } from '../../queries/memory/draft.ts';
import type { MemoryEncryption } from '../../queries/memory/encryption.ts';
import { recallLoopOf } from '../../queries/memory/loops.ts';
import {
  exportedMemories,
  listMemories,
  memoryDetail,
  memoryStats,
  unixSeconds,
} from '../../queries/memory/memories.ts';
import { zExported, zMemoryDetail, zMemoryView, zVectorStatus } from '../../queries/memory/schemas.ts';
import { type DeletionParts, deleteEntry } from '../../reactors/memory/deletion.ts';
import type { MemoryVectors } from '../../reactors/memory/vectors/vectors.ts';
import { HttpError } from '../server/errors.ts';
import { jsonArray, jsonList } from '../server/json-array.ts';
import { queryNumber } from '../server/query-params.ts';
import { type Answer, ok, type RouteSpec, routesOf, value } from '../server/route.ts';
import { badRequest, zDone, zId, zSectorName, zText } from './schemas.ts';

const { get, post } = routesOf({ tag: 'memory' });

export interface AddDependencies extends DraftContext {
  readonly ids: IdGenerator;
  readonly views: Views;
  readonly encryption: MemoryEncryption;
}

export interface DeleteDependencies extends DeletionParts {
  readonly memoryLock: ReadWriteLock;
}

export interface ReadDependencies extends Pick<DeletionParts, 'log' | 'views'> {
  readonly clock: Clock;
  readonly encryption: MemoryEncryption;
  readonly memoryVectors: Pick<MemoryVectors, 'status'>;
}

const LISTED_MAX = 10_000;
const LISTED_DEFAULT = 100;

const zAdd = z.object({
  content: zText.describe('The text to keep.'),
  tags: z.array(z.string()).nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
  project_id: z.string().nullish(),
  session_id: z.string().nullish(),
});
z.globalRegistry.add(zAdd, { examples: [{ content: 'Ada lives in Paris.', tags: ['people'] }] });

const zNamed = z.object({ id: zId.describe('Id of the memory.') });

const zAdded = z.object({
  id: z.string().describe('Id of the memory; of a recognised text, of the entry that it repeats.'),
  sector: zSector,
  tags: z.array(z.string()),
  weight: z.number().describe('Weight of the signals of its sector.'),
  created_at: zUnixSeconds,
  recognised: z
    .enum(['exact', 'near'])
    .optional()
    .describe('Present when the text repeats a shown entry and is not stored.'),
});

const zStats = z.object({
  total_memories: z.int(),
  total_waypoints: z.int().describe('Links between entries.'),
  total_facts: z.int().describe('Facts in the memory.'),
  total_drawers: z.int(),
  encryption: z.boolean().describe('Whether texts are stored as ciphertext.'),
  sectors: z.array(zSectorStats).describe('Figures of each sector.'),
  embedding_dim: z.int().describe('Numbers in a vector.'),
  embedding_compression_ratio: z
    .number()
    .describe('Size of vectors with four bytes a number, divided by their real size; 0 without entries.'),
  embedding_backend: z.string().describe('The method of the built-in vectors.'),
  embedding: zVectorStatus.describe('Vectors of the configured embedding model.'),
});

export function addRoute(deps: AddDependencies): RouteSpec {
  return post('/memory/add', {
    operation: 'add',
    dispatchOnly: true,
    summary:
      'Stores a memory in the sector that its words indicate. Text that repeats a context block is counted, not stored.',
    body: zAdd,
    responses: ok('Nothing was stored: the text repeats an entry that this daemon showed.', zAdded, {
      201: { description: 'The memory.', schema: zAdded },
      ...badRequest,
    }),
    async handle({ body, answerAfter }) {
      await prepareAnalysis(body.content);
      const repeated = await recallLoopOf(deps, body.content, 'add');
      if (repeated !== null) {
        const { original, loop } = repeated;
        const command = { type: 'RecogniseLoops', loops: [loop] } as const;
        const answer = (): Answer => value({ ...original, recognised: loop.kind }, 200);
        return answerAfter(recalled, RECALL_STREAM_ID, command, answer);
      }
      const id = deps.ids.uuid();
      const draft = { id, content: body.content, tags: body.tags ?? [], meta: body.metadata ?? {} };
      const added = memoryBody(deps, draft, {
        ...(body.project_id === undefined ? {} : { project_id: body.project_id }),
        session_id: body.session_id ?? null,
        waypoints: nearestLinks(deps.encryption.index(), body.content),
      });
      const { sector, created_at } = added;
      const { weight } = SECTOR_TRAITS[sector];
      return answerAfter(memory, id, { type: 'KeepMemory', how: 'MemoryAdded', body: added }, () =>
        value({ id, sector, tags: draft.tags, weight, created_at: unixSeconds(created_at) }, 201),
      );
    },
  });
}

export function pinRoutes({ views }: { readonly views: Views }): readonly RouteSpec[] {
  const pinning = (operation: string, summary: string, type: 'PinMemory' | 'UnpinMemory'): RouteSpec =>
    post(`/memory/${operation}`, {
      operation,
      summary,
      body: zNamed,
      responses: ok('Whether it was done, and if not, why.', zDone, badRequest),
      async handle({ body: { id }, answerAfter }) {
        // The id may not be valid in the name of a stream, so it is looked up in the views first.
        if (memoryRow(views, id, 0) === undefined) return NOT_FOUND;
        return orNotFound(answerAfter(memory, id, { type }, () => value({ ok: true })));
      },
    });
  return [
    pinning('pin', 'Pins a memory: it neither decays nor is purged.', 'PinMemory'),
    pinning('unpin', 'Removes the pin of a memory.', 'UnpinMemory'),
  ];
}

export function deleteRoute(deps: DeleteDependencies): RouteSpec {
  return post('/memory/delete', {
    operation: 'delete',
    summary: 'Deletes a memory, a fact or a drawer permanently: its text is removed from views, index and log.',
    body: zNamed,
    responses: ok('Whether it was done, and if not, why.', zDone, badRequest),
    async handle({ body, answerAfter }) {
      const deleted = deps.memoryLock.exclusive(() =>
        deleteEntry(deps, body.id, (decider, id, command, options) =>
          answerAfter(decider, id, command, {
            ...options,
            answer: (_, { length }) => (length > 0 ? value({ ok: true }) : NOT_FOUND),
          }),
        ),
      );
      return (await orNotFound(deleted)) ?? NOT_FOUND;
    },
  });
}

/** The contract answers an unknown id with 200. */
const NOT_FOUND: Answer = value({ ok: false, error: MEMORY_NOT_FOUND });

async function orNotFound<Result>(answer: Promise<Result>): Promise<Result | Answer> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Refused && error.refusal.kind === 'not_found') return NOT_FOUND;
    throw error;
  }
}

export function listRoute({ views, clock, encryption }: ReadDependencies): RouteSpec {
  return get('/memory/list', {
    operation: 'list',
    summary: 'Memories, newest first.',
    query: z.object({
      sector: zSectorName.optional(),
      limit: queryNumber({ min: 1, max: LISTED_MAX }).default(LISTED_DEFAULT),
      offset: queryNumber({ min: 0 }).default(0).describe('Leaves out so many of the first.'),
    }),
    responses: ok(
      'A page, and the number of all memories.',
      {
        memories: z.array(zMemoryView).describe('Memories, the newest first.'),
        total: z.int().describe('All memories.'),
      },
      badRequest,
    ),
    isLong: true,
    handle({ query }) {
      const { memories, ...rest } = listMemories(views, encryption.cipher(), { ...query, now: clock.now() });
      return jsonList('memories', memories, rest);
    },
  });
}

export function statsRoute({ views, clock, encryption, memoryVectors }: ReadDependencies): RouteSpec {
  return get('/memory/stats', {
    operation: 'stats',
    isLong: true,
    summary: 'Counts, strength by sector, how vectors are kept, whether texts are encrypted.',
    responses: ok('The stats.', zStats),
    handle: () =>
      value(
        memoryStats(views, {
          now: clock.now(),
          isEncrypted: encryption.isEncrypted(),
          embedding: memoryVectors.status(),
        }),
      ),
  });
}

export function exportRoute({ views, clock, encryption }: ReadDependencies): RouteSpec {
  return get('/memory/export', {
    operation: 'exportAll',
    isLong: true,
    summary: 'Every memory as JSON, oldest first, in a format that POST /memory/import accepts.',
    responses: ok('A list of entries.', z.array(zExported)),
    handle: () => jsonArray(exportedMemories(views, () => encryption.cipher(), clock.now())),
  });
}

export function detailRoute({ views, log, clock, encryption }: ReadDependencies): RouteSpec {
  return get('/memory/{id}', {
    operation: 'get',
    summary: 'One memory, and the events that led to its state.',
    params: z.object({ id: z.string() }),
    responses: ok('The memory.', zMemoryDetail, { 404: 'No memory has this id.' }),
    handle({ params }) {
      const detail = memoryDetail(views, log, { id: params.id, now: clock.now(), cipher: encryption.cipher() });
      if (detail === undefined) throw new HttpError(404, MEMORY_NOT_FOUND);
      return value(detail);
    },
  });
}
