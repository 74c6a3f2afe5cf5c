/** Operations of the store for the owner: backup, verification, compaction, block cache, statistics, erasures. */
import { z } from 'zod';
import type { StorageControl } from '../storage/ops/control.ts';
import { type OperationState, zOperation, zOperationRequest } from '../storage/ops/operation.ts';
import { zFullStats } from '../storage/ops/stats.ts';
import { HttpError, notFound } from './server/errors.ts';
import { queryNumber } from './server/query-params.ts';
import { ok, type RouteSpec, routesOf, value } from './server/route.ts';

const { get, post } = routesOf({ tag: 'storage', withoutViews: true });

export interface Dependencies {
  readonly storageControl: StorageControl;
}

/** A request waits at most this long for an operation; then the caller asks again. */
const WAIT_MS_MAX = 20_000;

const zErasures = z.object({
  state: z
    .enum(['done', 'waiting', 'running'])
    .describe('done: the bytes of every erased payload have left the store.'),
  recorded: z.int().describe('Position of the newest event that records an erasure, 0 when there is none.'),
  done_through: z.int().describe('Erasures that are recorded up to this position have left the disk.'),
  done_at: z.int().nullable().describe('When that was last finished, in Unix milliseconds.'),
  failure: z.string().nullable().describe('Why the latest attempt failed; it is made again.'),
  older_backups: z.int().describe('Kept backups from before the newest erasure, which may hold what it erased.'),
});
z.globalRegistry.add(zErasures, { id: 'Erasures' });
const zCache = z.strictObject({ block_cache_mb: z.int().min(0).max(65_536) });

const badRequest = 'The request does not fit this store.';

const noOperation = 'Unknown operation; only the latest ones are kept.';
const zOperationId = z.object({ id: z.string().max(32) });

export function storageRoutes({ storageControl: control }: Dependencies): readonly RouteSpec[] {
  return [...operationRoutes(control), ...cacheRoutes(control), erasuresRoute(control)];
}

function operationRoutes(control: StorageControl): readonly RouteSpec[] {
  return [
    post('/v1/storage/operations', {
      operation: 'startOperation',
      summary: 'Starts a backup, a verified backup, a compaction or a verification; one at a time.',
      body: zOperationRequest,
      responses: {
        202: { description: 'The operation, which runs now.', schema: zOperation },
        400: badRequest,
        409: 'Another operation runs.',
      },
      handle: ({ body }) =>
        value(
          onControl(() => control.start(body)),
          202,
        ),
    }),
    get('/v1/storage/operations/{id}', {
      operation: 'getOperation',
      summary: 'An operation, after `wait` milliseconds or once it has ended.',
      params: zOperationId,
      query: z.object({
        wait: queryNumber({ min: 0, max: WAIT_MS_MAX })
          .default(0)
          .describe('The answer comes once the operation has ended, or after so many milliseconds.'),
      }),
      responses: ok('Its progress, and its result once it has ended.', zOperation, { 404: noOperation }),
      handle: async ({ params, query }) =>
        value(requireOperation(params.id, await control.operation(params.id, query.wait))),
    }),
    cancelRoute(control),
  ];
}

function cancelRoute(control: StorageControl): RouteSpec {
  return post('/v1/storage/operations/{id}/cancel', {
    operation: 'cancelOperation',
    summary: 'Cancels a running backup: it ends soon, and its files are removed. One that has ended stays as it is.',
    params: zOperationId,
    responses: ok('The operation, which may run on until its copy is complete.', zOperation, {
      404: noOperation,
      409: 'A compaction or a verification runs, which cannot be cancelled.',
    }),
    handle({ params: { id } }) {
      const state = onControl(() => control.cancel(id));
      return value(requireOperation(id, state));
    },
  });
}

function cacheRoutes(control: StorageControl): readonly RouteSpec[] {
  return [
    get('/v1/storage/stats', {
      operation: 'stats',
      summary: 'Figures of the store: sizes, cache, write-ahead log, levels, head.',
      responses: ok('As of now.', zFullStats),
      handle: () => value(control.stats()),
    }),
    post('/v1/storage/cache', {
      operation: 'resizeCache',
      summary: 'Resizes the block cache of the lsm engine.',
      body: zCache,
      responses: ok('The new size.', zCache, { 400: badRequest }),
      handle({ body }) {
        onControl(() => control.resizeCache(body.block_cache_mb));
        return value(body);
      },
    }),
  ];
}

function erasuresRoute(control: StorageControl): RouteSpec {
  return get('/v1/log/erasures', {
    operation: 'erasures',
    summary: 'How far the removal of erased payloads from the files of the store is, which is done in the background.',
    responses: ok('As of now.', zErasures),
    handle() {
      const { state, recorded, doneThrough, doneAt, failure, olderBackups } = control.erasures();
      return value({
        state,
        recorded,
        done_through: doneThrough,
        done_at: doneAt,
        failure,
        older_backups: olderBackups,
      });
    },
  });
}

function requireOperation(id: string, state: OperationState | undefined): OperationState {
  if (state === undefined) throw notFound('Operation', id);
  return state;
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
