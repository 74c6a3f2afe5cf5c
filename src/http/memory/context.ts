/** `POST /memory/context`: the four layers a model is given: essential story, what is near here, what is near at all. */
import { z } from 'zod';
import { contextBlock, withinBudget } from '../../commands/memory/block.ts';
import { classify } from '../../commands/memory/classify.ts';
import { factLine } from '../../commands/memory/lines.ts';
import type { Config } from '../../config.ts';
import type { Clock } from '../../ports/clock.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import { factRows } from '../../projections/memory/facts.ts';
import type { Meaning } from '../../projections/memory/meaning.ts';
import { essentialMemories } from '../../projections/memory/memories.ts';
import { cosine, localVector } from '../../projections/recall/vector.ts';
import type { Views } from '../../projections/views.ts';
import { currentWing, totals } from '../../queries/memory/memory-context.ts';
import { memoryWords } from '../../queries/memory/texts.ts';
import type { MemoryKeeper } from '../../reactors/memory/memory-store.ts';
import { askedVectors } from '../../reactors/memory/vectors/ask-question.ts';
import type { MemoryVectors } from '../../reactors/memory/vectors/vectors.ts';
import type { EventLog } from '../../storage/event-log.ts';
import type { CommandHandler } from '../../streams/command-handler.ts';
import type { Projector } from '../../streams/projector.ts';
import { value } from '../server/answer.ts';
import { type RouteSpec, route } from '../server/route.ts';
import { findDrawers, zDrawer } from './drawers.ts';
import { factView } from './facts.ts';
import { asQuestion, find, foundView, noteRecall, zFound } from './query.ts';
import { common, refused, whole, zText } from './schemas.ts';
import { zVectorsUsed } from './vector-schemas.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly config: Config;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly log: EventLog;
  readonly views: Views;
  readonly projector: Projector;
  readonly dispatcher: CommandHandler;
  readonly memory: MemoryKeeper;
  readonly memoryVectors: MemoryVectors;
  viewsUnavailable(): string | null;
}

const L1_TOKENS_DEFAULT = 700;
const L1_TOKENS_MAX = 100_000;
const L2_DEFAULT = 8;
const L3_THRESHOLD_DEFAULT = 3;
const RESULTS_MAX = 100;
/** Memories the essential story is chosen from; more only when all of the first ones fit. */
const ESSENTIAL_STEPS = [50, 500];
const DRAWERS_MAX = 4;
const FACTS_MAX = 10;
/** Facts that hold, newest first, from which the nearest to the question are taken. */
const FACTS_LOOKED_AT = 500;

const zCount = whole({ min: 0, max: RESULTS_MAX });
const zBody = z.object({
  query: zText,
  l1_tokens: whole({ min: 0, max: L1_TOKENS_MAX }).nullish(),
  l2_limit: zCount.nullish(),
  l3_threshold: zCount.nullish(),
});

const zContext = z.object({
  query: z.string(),
  context: z.string(),
  total_memories: z.int(),
  total_drawers: z.int(),
  l1_essential_story: z.array(z.string()),
  l2_scoped: z.array(zFound),
  l3_deep: z.array(zFound),
  l3_drawers: z.array(zDrawer.extend({ similarity: z.number() })),
  facts: z.array(z.string()),
  wing: z.string(),
  sector: z.string(),
  /** Present when an embedding provider is configured. */
  vectors: zVectorsUsed.optional(),
});

export function contextRoutes(deps: Dependencies): readonly RouteSpec[] {
  return [
    route({
      ...common,
      method: 'POST',
      path: '/memory/context',
      summary: 'The context block for a question, within its budgets; what it hands out is remembered as handed out.',
      secretAnswer: true,
      body: zBody,
      responses: { 200: { description: 'The block as text, and layer by layer.', schema: zContext }, ...refused },
      async handle({ body, origin }) {
        const { meaning, report } = await askedVectors(deps, asQuestion(body.query));
        const { answer, ids } = layered(deps, body, meaning);
        await noteRecall(deps, { via: 'context', ...ids }, origin);
        return value({ ...answer, ...report });
      },
    }),
  ];
}

function layered(deps: Dependencies, body: z.infer<typeof zBody>, meaning: Meaning | undefined) {
  const query = asQuestion(body.query);
  const wing = currentWing(deps);
  const { sector } = classify(query);
  const limit = body.l2_limit ?? L2_DEFAULT;
  const essential = essentialStory(deps, body.l1_tokens ?? L1_TOKENS_DEFAULT);
  const search = { text: query, limit, meaning };
  const scoped = limit === 0 ? [] : find(deps, { ...search, wing, sector });
  const known = new Set(scoped.map(({ row }) => row.id));
  const isThin = scoped.length < (body.l3_threshold ?? L3_THRESHOLD_DEFAULT);
  const deep = isThin && limit > 0 ? find(deps, search).filter(({ row }) => !known.has(row.id)) : [];
  const l2_scoped = scoped.map((each) => foundView(deps, each));
  const l3_deep = deep.map((each) => foundView(deps, each));
  const l3_drawers = findDrawers(deps, { text: query, k: DRAWERS_MAX, wing, meaning });
  const facts = currentFacts(deps, query);
  const label = ({ sector: name, content }: { sector: string; content: string }) => ({ label: name, content });
  const context = contextBlock({
    essential: essential.lines,
    scoped: l2_scoped.map(label),
    deep: l3_deep.map(label),
    drawers: l3_drawers.map(({ room, content }) => ({ label: room, content })),
    facts: facts.map(({ line }) => line),
  });
  const layers = { l1_essential_story: essential.lines, l2_scoped, l3_deep, l3_drawers };
  return {
    answer: {
      query: body.query,
      context,
      ...totals(deps),
      ...layers,
      facts: facts.map(({ line }) => line),
      wing,
      sector,
    },
    ids: {
      memory_ids: [...new Set([...essential.ids, ...known, ...deep.map(({ row }) => row.id)])],
      drawer_ids: l3_drawers.map(({ id }) => id),
      fact_ids: facts.map(({ id }) => id),
    },
  };
}

function essentialStory(deps: Dependencies, tokens: number) {
  const vault = deps.memory.vault();
  let lines: readonly string[] = [];
  let ids: readonly string[] = [];
  for (const limit of ESSENTIAL_STEPS) {
    const rows = essentialMemories(deps.views, deps.clock.now(), limit);
    lines = withinBudget(
      rows.map((row) => memoryWords(vault, row).content),
      tokens,
    );
    ids = rows.slice(0, lines.length).map((row) => row.id);
    if (lines.length < limit) break;
  }
  return { lines, ids };
}

/** What holds now, nearest to the question first; of equally near ones the newest. */
function currentFacts(deps: Dependencies, query: string) {
  const at = deps.clock.now() / 1000;
  const question = localVector(query);
  return factRows(deps.views, { at, limit: FACTS_LOOKED_AT, offset: 0 })
    .map((row) => ({ id: row.id, line: factLine(factView(deps, row)) }))
    .map((fact) => ({ ...fact, nearness: cosine(question, localVector(fact.line)) }))
    .sort((a, b) => b.nearness - a.nearness)
    .slice(0, FACTS_MAX);
}
