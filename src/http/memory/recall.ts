/** Routes that recall: `POST /memory/query` ranks memories for a question, `POST /memory/context` builds a block. */
import { z } from 'zod';
import { sectorNamed } from '../../commands/memory/classify.ts';
import { readRecall } from '../../projections/recall/recall.ts';
import { type BlockContext, memoryContext } from '../../queries/memory/context.ts';
import { findDrawers } from '../../queries/memory/drawers.ts';
import type { MemoryEncryption } from '../../queries/memory/encryption.ts';
import { zFound, zFoundDrawer, zVectorsUsed } from '../../queries/memory/schemas.ts';
import { findMemories, foundView, QUERY_RESULTS_DEFAULT, questionIn } from '../../queries/memory/search.ts';
import { type RecallLogParts, recordRecall } from '../../reactors/memory/recall-log.ts';
import type { MemoryVectors } from '../../reactors/memory/vectors/vectors.ts';
import { retryLater } from '../server/errors.ts';
import { zWhole } from '../server/query-params.ts';
import { ok, type RouteSpec, routesOf, value } from '../server/route.ts';
import { badRequest, zText } from './schemas.ts';

const { post } = routesOf({ tag: 'memory' });

export interface Dependencies extends BlockContext, RecallLogParts {
  readonly encryption: MemoryEncryption;
  readonly memoryVectors: Pick<MemoryVectors, 'question'>;
  viewsUnavailable(): string | null;
}

const QUERY_RESULTS_MAX = 1_000;
const CONTEXT_RESULTS_MAX = 100;
const L1_TOKENS_MAX = 100_000;

const zQuery = z.object({
  query: zText.describe('The question.'),
  limit: zWhole({ min: 1, max: QUERY_RESULTS_MAX }).nullish(),
  sector: z.string().nullish().describe('An unknown name is ignored.'),
  drawers: zWhole({ min: 0, max: QUERY_RESULTS_MAX })
    .nullish()
    .describe('Number of verbatim drawers that are returned in addition to the memories.'),
});

const zAnswer = z.object({
  results: z.array(zFound).describe('Memories, the best first.'),
  count: z.int().describe('Memories in the list.'),
  drawers: z.array(zFoundDrawer).optional().describe('Present when drawers are requested.'),
  warming: z
    .literal(true)
    .optional()
    .describe('The index is incomplete: some memories may not be found by their words yet.'),
  vectors: zVectorsUsed.optional().describe('Present when an embedding provider is configured.'),
});

const zCount = zWhole({ min: 0, max: CONTEXT_RESULTS_MAX });
const zContextRequest = z.object({
  query: zText.describe('The question that the block is made for.'),
  l1_tokens: zWhole({ min: 0, max: L1_TOKENS_MAX }).nullish(),
  l2_limit: zCount.nullish(),
  l3_threshold: zCount.nullish(),
});

const zContext = z.object({
  query: z.string().describe('The question as it was asked.'),
  context: z.string().describe('The block: a text to put before a prompt.'),
  total_memories: z.int(),
  total_drawers: z.int(),
  l1_essential_story: z.array(z.string()).describe('Lines of the most important memories.'),
  l2_scoped: z.array(zFound).describe('Memories of this wing and sector.'),
  l3_deep: z.array(zFound).describe('Memories from anywhere.'),
  l3_drawers: z.array(zFoundDrawer).describe('Drawers from anywhere.'),
  facts: z.array(z.string()).describe('Lines of the facts that hold now.'),
  wing: z.string(),
  sector: z.string(),
  vectors: zVectorsUsed.optional().describe('Present when an embedding provider is configured.'),
});

export function queryRoute(deps: Dependencies): RouteSpec {
  return post('/memory/query', {
    operation: 'query',
    isLong: true,
    summary: 'Memories that answer a question: words, vectors, strength, time, waypoints and sector in one score.',
    secretAnswer: 'until_erasure',
    body: zQuery,
    responses: ok('Memories, the best first.', zAnswer, badRequest),
    async handle({ body, origin }) {
      const text = questionIn(body.query);
      const { meaning, report } = await questionMeaning(deps, text);
      const sector = sectorNamed(body.sector ?? '');
      const memories = findMemories(deps, { text, limit: body.limit ?? QUERY_RESULTS_DEFAULT, sector, meaning });
      const drawers = body.drawers == null ? undefined : findDrawers(deps, { text, k: body.drawers, meaning });
      const ids = { memory_ids: memories.map(({ row }) => row.id), drawer_ids: (drawers ?? []).map(({ id }) => id) };
      await recordRecall(deps, { via: 'query', ...ids }, origin);
      const results = memories.map((each) => foundView(deps.encryption.cipher(), each));
      const warming = deps.encryption.isWarming() && { warming: true };
      return value({ results, count: results.length, ...(drawers && { drawers }), ...warming, ...report });
    },
  });
}

export function contextRoute(deps: Dependencies): RouteSpec {
  return post('/memory/context', {
    operation: 'context',
    isLong: true,
    summary:
      'The context block for a question, within its budgets. Its entries are recorded as shown, so that text which ' +
      'repeats them is recognised.',
    secretAnswer: 'until_erasure',
    body: zContextRequest,
    responses: ok('The block as text, and layer by layer.', zContext, badRequest),
    async handle({ body, origin }) {
      const { meaning, report } = await questionMeaning(deps, questionIn(body.query));
      const { answer, shown } = memoryContext(deps, { ...body, meaning });
      await recordRecall(deps, { via: 'context', ...shown }, origin);
      return value({ ...answer, ...report });
    },
  });
}

/**
 * The vector meaning of a question, after the index was read into memory. Both may take long enough for views and
 * key to become unavailable.
 */
async function questionMeaning({ memoryVectors, encryption, viewsUnavailable }: Dependencies, text: string) {
  const [question] = await Promise.all([memoryVectors.question(text), readRecall(encryption.index())]);
  const unavailable = viewsUnavailable() ?? encryption.locked();
  if (unavailable !== null) throw retryLater(unavailable);
  if (question === null) return { meaning: undefined };
  return { meaning: question.meaning, report: { vectors: question.report } };
}
