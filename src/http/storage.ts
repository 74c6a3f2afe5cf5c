/** The store under the log, for its owner: backup while the daemon writes, verification, compaction, cache, figures. */
import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { sanitiseEcho } from '../commands/refusal.ts';
import type { StorageControl } from '../storage/ops/control.ts';
import { value } from './server/answer.ts';
import { HttpError, zError } from './server/errors.ts';
import { queryNumber } from './server/query-params.ts';
import { type RouteSpec, route } from './server/route.ts';

export interface Dependencies {
  readonly storageControl: StorageControl;
}

/** A request waits at most this long for an operation; the caller asks again. */
const WAIT_MS_MAX = 20_000;

const zRequest = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('backup'),
    to: z.string().min(1).max(4_096).refine(isAbsolute, 'to must be an absolute path.'),
  }),
  z.strictObject({ kind: z.enum(['verified_backup', 'compact', 'verify']) }),
]);
z.globalRegistry.add(zRequest, { examples: [{ kind: 'backup', to: '/home/ada/backup' }] });

const zBackup = z.object({ to: z.string(), files: z.int(), bytes: z.int() });
const zVerifiedBackup = z.object({
  path: z.string(),
  position: z.int(),
  tree_hash: z.string(),
  bytes: z.int(),
  made_at: z.int(),
  verified_at: z.int(),
});
const zCompaction = z.object({ disk_bytes_before: z.int(), disk_bytes: z.int() });
const zVerification = z.object({
  ok: z.boolean(),
  head: z.int(),
  tree_hash: z.string(),
  errors: z.array(z.object({ file: z.string(), offset: z.int().nullable(), what: z.string() })),
});

/** `result` is that of the kind: backup, verified_backup, compact, verify. */
const zOperation = z.object({
  id: z.string(),
  kind: z.enum(['backup', 'verified_backup', 'compact', 'verify']),
  state: z.enum(['running', 'done', 'failed']),
  done: z.number(),
  total: z.number(),
  error: z.object({ code: z.string().nullable(), message: z.string() }).nullable(),
  result: z.union([zBackup, zVerifiedBackup, zCompaction, zVerification]).nullable(),
});
z.globalRegistry.add(zOperation, { id: 'StorageOperation' });
const zStats = z.object({
  backend: z.string(),
  events: z.int(),
  tree_hash: z.string(),
  keys: z.int().nullable(),
  disk_bytes: z.int(),
  live_bytes: z.int().nullable(),
  wal_bytes: z.int(),
  cache_bytes: z.int(),
  cache_hits: z.int(),
  cache_misses: z.int(),
  snapshots: z.int(),
  pending_compaction_bytes: z.int(),
  levels: z.array(z.object({ tables: z.int(), bytes: z.int() })),
  failure: z.string().nullable(),
});
z.globalRegistry.add(zStats, { id: 'StorageStats' });
const zCache = z.strictObject({ block_cache_mb: z.int().min(0).max(65_536) });

const badRequest = { description: 'What was asked makes no sense for this store.', schema: zError };

const common = { tag: 'storage', auth: 'bearer', withoutViews: true } as const;

export function storageRoutes({ storageControl: control }: Dependencies): readonly RouteSpec[] {
  return [...operationRoutes(control), ...cacheRoutes(control)];
}

function operationRoutes(control: StorageControl): readonly RouteSpec[] {
  return [
    route({
      ...common,
      method: 'POST',
      path: '/v1/storage/operations',
      operation: 'startOperation',
      summary: 'Begins a backup, a verified backup, a compaction or a verification; one at a time.',
      body: zRequest,
      responses: {
        202: { description: 'It runs; ask for it by its id.', schema: zOperation },
        400: badRequest,
        409: { description: 'Another operation runs.', schema: zError },
      },
      handle: ({ body }) =>
        value(
          onControl(() => control.start(body)),
          202,
        ),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/v1/storage/operations/{id}',
      operation: 'getOperation',
      summary: 'An operation, after `wait` milliseconds or once it has ended.',
      params: z.object({ id: z.string().max(32) }),
      query: z.object({ wait: queryNumber({ min: 0, max: WAIT_MS_MAX }).default(0) }),
      responses: {
        200: { description: 'How far it is, and what came of it.', schema: zOperation },
        404: { description: 'No such operation; the latest ones are remembered.', schema: zError },
      },
      async handle({ params, query }) {
        const state = await control.look(params.id, query.wait);
        if (state === undefined) throw new HttpError(404, `Operation '${sanitiseEcho(params.id)}' not found`);
        return value(state);
      },
    }),
  ];
}

function cacheRoutes(control: StorageControl): readonly RouteSpec[] {
  return [
    route({
      ...common,
      method: 'GET',
      path: '/v1/storage/stats',
      operation: 'stats',
      summary: 'Figures of the store: sizes, cache, write-ahead log, levels, head.',
      responses: { 200: { description: 'As of now.', schema: zStats } },
      handle: () => value(control.stats()),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/v1/storage/cache',
      operation: 'resizeCache',
      summary: 'Gives the block cache of the lsm engine another size, at once.',
      body: zCache,
      responses: { 200: { description: 'The new size.', schema: zCache }, 400: badRequest },
      handle({ body }) {
        onControl(() => control.resizeCache(body.block_cache_mb));
        return value(body);
      },
    }),
  ];
}

/** Maps refusals of the store to a status; other errors pass. */
function onControl<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    const { code, message } = error as { readonly code?: string; readonly message: string };
    if (code === 'STORAGE_BUSY') throw new HttpError(409, message);
    if (code === 'STORAGE_CONFIG' || code === 'STORAGE_TARGET') throw new HttpError(400, message);
    throw error;
  }
}
