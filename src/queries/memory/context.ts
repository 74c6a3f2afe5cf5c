/** The context block for a question: essential story, nearby memories, memories from anywhere, drawers and facts. */
import { contextBlock, withinBudget } from '../../commands/memory/block.ts';
import { classify } from '../../commands/memory/classify.ts';
import { factLine } from '../../commands/memory/lines.ts';
import { factRows } from '../../projections/memory/facts.ts';
import { essentialMemories } from '../../projections/memory/memories.ts';
import { cosine, localVector } from '../../projections/recall/vector.ts';
import { findDrawers } from './drawers.ts';
import { factView } from './facts.ts';
import type { Meaning } from './meaning.ts';
import { totals } from './memories.ts';
import { findMemories, foundView, questionIn, type SearchContext } from './search.ts';
import { memoryTexts } from './texts.ts';

export interface BlockContext extends SearchContext {
  /** The wing of the workspace. */
  wing(): string;
}

export interface ContextQuestion {
  readonly query: string;
  readonly meaning: Meaning | undefined;
  /** Absent limits have defaults. */
  readonly l1_tokens?: number | null | undefined;
  readonly l2_limit?: number | null | undefined;
  readonly l3_threshold?: number | null | undefined;
}

const L1_TOKENS_DEFAULT = 700;
const L2_DEFAULT = 8;
const L3_THRESHOLD_DEFAULT = 3;
/** Numbers of memories from which the essential story is chosen; the second only if all of the first fit. */
const ESSENTIAL_STEPS = [50, 500];
const DRAWERS_MAX = 4;
const FACTS_MAX = 10;
/** The newest facts that hold, from which the nearest to the question are taken. */
const FACTS_CONSIDERED = 500;
/** Only this beginning of a longer fact is compared with the question. */
const FACT_CHARACTERS_COMPARED = 1_000;

/** The answer, and the ids of the shown entries. */
export function memoryContext(context: BlockContext, { query: text, meaning, ...limits }: ContextQuestion) {
  const query = questionIn(text);
  const wing = context.wing();
  const { sector } = classify(query);
  const essential = essentialStory(context, limits.l1_tokens ?? L1_TOKENS_DEFAULT);
  const { scoped, deep } = layersOf(context, { query, wing, sector, meaning, ...limits });
  const cipher = context.encryption.cipher();
  const l2_scoped = scoped.map((each) => foundView(cipher, each));
  const l3_deep = deep.map((each) => foundView(cipher, each));
  const l3_drawers = findDrawers(context, { text: query, k: DRAWERS_MAX, wing, meaning });
  const facts = currentFacts(context, query);
  const factLines = facts.map(({ line }) => line);
  const entry = ({ sector: label, content }: { sector: string; content: string }) => ({ label, content });
  const block = contextBlock({
    essential: essential.lines,
    scoped: l2_scoped.map(entry),
    deep: l3_deep.map(entry),
    drawers: l3_drawers.map(({ room, content }) => ({ label: room, content })),
    facts: factLines,
  });
  return {
    answer: {
      query: text,
      context: block,
      ...totals(context.views),
      l1_essential_story: essential.lines,
      l2_scoped,
      l3_deep,
      l3_drawers,
      facts: factLines,
      wing,
      sector,
    },
    shown: {
      memory_ids: [
        ...new Set([...essential.ids, ...scoped.map(({ row }) => row.id), ...deep.map(({ row }) => row.id)]),
      ],
      drawer_ids: l3_drawers.map(({ id }) => id),
      fact_ids: facts.map(({ id }) => id),
    },
  };
}

interface LayerQuestion extends Omit<ContextQuestion, 'l1_tokens'> {
  readonly wing: string;
  readonly sector: ReturnType<typeof classify>['sector'];
}

/** Memories of this wing and sector; if these are few, also memories from anywhere. */
function layersOf(context: BlockContext, { query: text, wing, sector, meaning, ...limits }: LayerQuestion) {
  const limit = limits.l2_limit ?? L2_DEFAULT;
  if (limit === 0) return { scoped: [], deep: [] };
  const scoped = findMemories(context, { text, limit, meaning, wing, sector });
  if (scoped.length >= (limits.l3_threshold ?? L3_THRESHOLD_DEFAULT)) return { scoped, deep: [] };
  const scopedIds = new Set(scoped.map(({ row }) => row.id));
  const deep = findMemories(context, { text, limit, meaning }).filter(({ row }) => !scopedIds.has(row.id));
  return { scoped, deep };
}

function essentialStory({ views, clock, encryption }: BlockContext, tokens: number) {
  const cipher = encryption.cipher();
  let lines: readonly string[] = [];
  let ids: readonly string[] = [];
  for (const limit of ESSENTIAL_STEPS) {
    const rows = essentialMemories(views, clock.now(), limit);
    lines = withinBudget(
      rows.map((row) => memoryTexts(cipher, row).content),
      tokens,
    );
    ids = rows.slice(0, lines.length).map((row) => row.id);
    if (lines.length < limit) break;
  }
  return { lines, ids };
}

/** The facts that hold at present, nearest to the question first, then newest first. */
function currentFacts({ views, clock, encryption }: BlockContext, query: string) {
  const cipher = encryption.cipher();
  const valid_at = clock.now() / 1000;
  const question = localVector(query);
  return factRows(views, { valid_at, limit: FACTS_CONSIDERED, offset: 0 })
    .map((row) => ({ id: row.id, line: factLine(factView(cipher, row)) }))
    .map((fact) => ({ ...fact, nearness: cosine(question, localVector(fact.line.slice(0, FACT_CHARACTERS_COMPARED))) }))
    .sort((a, b) => b.nearness - a.nearness)
    .slice(0, FACTS_MAX);
}
