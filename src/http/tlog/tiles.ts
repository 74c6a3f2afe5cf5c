/** The log as c2sp.org/tlog-tiles serves it: the newest checkpoint and the tiles of the tree, hashes only. */
import { z } from 'zod';
import type { Config } from '../../config.ts';
import { hasTile, parseTilePath, TILE_HASHES } from '../../lib/tlog/tile.ts';
import type { Cosigning } from '../../reactors/tlog/cosigning.ts';
import type { EventLog } from '../../storage/event-log.ts';
import { HttpError } from '../server/errors.ts';
import { bytes, type RouteSpec, routesOf, text } from '../server/route.ts';

export interface TileDependencies {
  readonly config: Pick<Config, 'tlog_public'>;
  readonly log: Pick<EventLog, 'head' | 'treeHashes'>;
  readonly cosigning: Pick<Cosigning, 'published'>;
}

export const NOTE_TYPE = 'text/plain; charset=utf-8';
/** The number of a tile is one or more groups of three digits; a partial tile has its width after them. */
const NUMBERS = [['n1'], ['n1', 'n2'], ['n1', 'n2', 'n3'], ['n1', 'n2', 'n3', 'n4']];

const PART: Readonly<Record<string, string>> = {
  level: 'Height of the tile; 0 is that of the leaf hashes.',
  n1: 'The first three digits of the number of the tile, or all; a partial tile ends with `.p` and its width.',
};
const MIDDLE = 'Further digits of the number of the tile.';

export function tileRoutes({ config, log, cosigning }: TileDependencies): readonly RouteSpec[] {
  const { get } = routesOf({ tag: 'tlog', auth: config.tlog_public ? 'public' : 'bearer', withoutViews: true });
  const cacheHeaders = { 'cache-control': `${config.tlog_public ? 'public' : 'private'}, max-age=31536000, immutable` };
  const checkpoint = get('/v1/tlog/checkpoint', {
    operation: 'checkpoint',
    summary: 'The newest checkpoint: a signed note of size and root hash (c2sp.org/tlog-checkpoint).',
    responses: { 200: { description: 'The note.', type: 'text/plain' }, 503: 'The log is not signed; says why.' },
    handle: async () => text(NOTE_TYPE, (await cosigning.published()).note),
  });
  const tiles = NUMBERS.map((names) =>
    get(`/v1/tlog/tile/{level}/${names.map((name) => `{${name}}`).join('/')}`, {
      operation: `tile${names.length}`,
      summary: 'A tile of the tree: up to 256 hashes of 32 bytes (c2sp.org/tlog-tiles).',
      params: z.object(
        Object.fromEntries(['level', ...names].map((name) => [name, z.string().describe(PART[name] ?? MIDDLE)])),
      ),
      responses: {
        200: { description: 'The hashes.', type: 'application/octet-stream' },
        404: 'No such tile, or not yet.',
      },
      handle: ({ params }) =>
        bytes(
          'application/octet-stream',
          hashesOf(log, ['level', ...names].map((name) => params[name]).join('/')),
          cacheHeaders,
        ),
    }),
  );
  return [checkpoint, ...tiles];
}

/** The hashes of the tile at a path. Throws 404 when the log does not have it. */
function hashesOf(log: TileDependencies['log'], path: string): Uint8Array {
  const tile = parseTilePath(path);
  if (tile === null || !hasTile(log.head().position, tile)) throw new HttpError(404, 'The log has no such tile.');
  return log.treeHashes({ level: tile.level, first: tile.index * TILE_HASHES, count: tile.width });
}
