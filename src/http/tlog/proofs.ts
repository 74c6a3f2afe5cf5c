/** Proofs about the log (RFC 9162): an event is in a tree; a tree continues an earlier one. */
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { formatTlogProof } from '../../lib/tlog/proof.ts';
import type { Checkpoints } from '../../reactors/tlog/checkpoints.ts';
import type { Cosigning } from '../../reactors/tlog/cosigning.ts';
import type { EventLog } from '../../storage/event-log.ts';
import { zHash } from '../log.ts';
import { HttpError } from '../server/errors.ts';
import { queryNumber, zCursor } from '../server/query-params.ts';
import { type Answer, ok, type RouteSpec, routesOf, text, value } from '../server/route.ts';
import { NOTE_TYPE } from './tiles.ts';

const { get } = routesOf({ tag: 'log', withoutViews: true });

export interface Dependencies {
  readonly log: Pick<EventLog, 'head' | 'inclusionProof' | 'consistencyProof'>;
  readonly checkpoints: Pick<Checkpoints, 'ofSize' | 'list'>;
  readonly cosigning: Pick<Cosigning, 'published'>;
}

const badRange = { 400: 'A position the log does not have.' };

const zInclusionProof = z.object({
  position: z.int(),
  size: z.int().describe('Events of the tree that the proof is for.'),
  leaf_hash: zHash,
  path: z.array(zHash).describe('Hashes from the leaf to the root, hexadecimal.'),
  tree_hash: zHash,
});

z.globalRegistry.add(zInclusionProof, { id: 'InclusionProof' });

const zTlogProof = z.string().describe('The proof and a signed checkpoint, as `c2sp.org/tlog-proof@v1`.');

const zConsistencyProof = z.object({
  from: z.int().describe('Events of the older tree.'),
  to: z.int().describe('Events of the newer tree.'),
  path: z.array(zHash).describe('Hashes of the proof, hexadecimal.'),
  from_hash: zHash,
  to_hash: zHash,
});

z.globalRegistry.add(zConsistencyProof, { id: 'ConsistencyProof' });

const CHECKPOINTS_LIMIT_DEFAULT = 500;
const CHECKPOINTS_LIMIT_MAX = 5_000;

const zCheckpoint = z.object({
  size: z.int().describe('Events that it covers.'),
  at: z.int(),
  note: z.string().describe('The signed note.'),
  witnesses: z.array(z.string()).describe('Names of the witnesses that signed it.'),
});

export function proofRoutes(deps: Dependencies): readonly RouteSpec[] {
  return [inclusionRoute(deps), consistencyRoute(deps.log), checkpointsRoute(deps.checkpoints)];
}

function inclusionRoute(deps: Dependencies): RouteSpec {
  const { log } = deps;
  return get('/v1/log/proof', {
    operation: 'proof',
    summary: 'Proof that the event at a position is in the tree of a size, also as `c2sp.org/tlog-proof@v1`.',
    query: z.object({
      position: zCursor,
      size: zCursor.optional().describe('Events of the tree to prove for; absent: the whole log.'),
      format: z.enum(['json', 'tlog-proof']).optional().describe('Form of the answer; absent: json.'),
    }),
    responses: {
      200: { description: 'The audit path, leaf first.', schema: zInclusionProof, forms: { 'text/plain': zTlogProof } },
      ...badRange,
      503: 'The log is not signed; says why.',
    },
    async handle({ query, request }): Promise<Answer> {
      const isText = (query.format ?? (wantsText(request) ? 'tlog-proof' : 'json')) === 'tlog-proof';
      const signed = isText ? await checkpointOf(deps, query) : null;
      const size = signed?.size ?? query.size ?? log.head().position;
      const range = `position must be from 1 to size, and size from 1 to ${log.head().position}.`;
      const proof = inRange(range, () => log.inclusionProof(query.position, size));
      const { position, leafHash: leaf_hash, path, treeHash: tree_hash } = proof;
      if (signed === null) return value({ position, size, leaf_hash, path, tree_hash });
      const hashes = path.map((hash) => Buffer.from(hash, 'hex'));
      const proofText = formatTlogProof({ index: position - 1, path: hashes, checkpoint: signed.note });
      return text(NOTE_TYPE, proofText);
    },
  });
}

/** Whether the caller accepts text but not JSON. */
function wantsText({ headers: { accept = '' } }: FastifyRequest): boolean {
  return /\btext\/(?:plain|x\.tlog\.proof)\b/.test(accept) && !accept.includes('application/json');
}

/** The checkpoint of a size, or without a size the newest checkpoint that covers the position. */
async function checkpointOf(
  { checkpoints, cosigning }: Dependencies,
  { size, position }: { readonly size?: number | undefined; readonly position: number },
) {
  if (size === undefined) return cosigning.published(position);
  return checkpoints.ofSize(size).catch((error: unknown) => {
    if (!(error instanceof RangeError)) throw error;
    throw new HttpError(400, 'size must be from 1 to the size of the log.');
  });
}

function consistencyRoute(log: Dependencies['log']): RouteSpec {
  return get('/v1/log/consistency', {
    operation: 'consistency',
    summary: 'Proof that the tree of one size is a beginning of the tree of another.',
    query: z.object({
      from: zCursor.describe('Events of the older tree.'),
      to: zCursor.optional().describe('Events of the newer tree; absent: the whole log.'),
    }),
    responses: ok('The consistency path.', zConsistencyProof, badRange),
    handle({ query }) {
      const to = query.to ?? log.head().position;
      const range = `from must be from 0 to "to", and "to" from 0 to ${log.head().position}.`;
      const proof = inRange(range, () => log.consistencyProof(query.from, to));
      return value({ from: query.from, to, path: proof.path, from_hash: proof.fromHash, to_hash: proof.toHash });
    },
  });
}

function checkpointsRoute(checkpoints: Dependencies['checkpoints']): RouteSpec {
  return get('/v1/log/checkpoints', {
    operation: 'checkpoints',
    summary:
      'Signed checkpoints larger than `after`, of the newest 100 000; `next` is where to go on, null at the end.',
    query: z.object({
      after: zCursor.default(0),
      limit: queryNumber({ min: 1, max: CHECKPOINTS_LIMIT_MAX }).default(CHECKPOINTS_LIMIT_DEFAULT),
    }),
    responses: ok(
      'A page.',
      {
        checkpoints: z.array(zCheckpoint).describe('Checkpoints, the smallest first.'),
        next: z.int().nullable(),
      },
      { 503: 'The log is not signed; says why.' },
    ),
    async handle({ query }) {
      const page = await checkpoints.list(query);
      const items = page.map(({ size, at, note, witnesses }) => ({ size, at, note, witnesses }));
      return value({ checkpoints: items, next: items.length < query.limit ? null : items.at(-1)!.size });
    },
  });
}

/** The log throws a `RangeError` for positions that it does not have. */
function inRange<Result>(range: string, prove: () => Result): Result {
  try {
    return prove();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new HttpError(400, range);
  }
}
