/**
 * Recall at k of the store itself: each entry of a sample is searched by half of its words, and counts as found when it
 * is among the first k answers of either store.
 */

import { z } from 'zod';
import { essence } from '../../commands/memory/lines.ts';
import { ownTurn } from '../../lib/slices.ts';
import { drawerRow, newestDrawers } from '../../projections/memory/drawers.ts';
import { newestMemories } from '../../projections/memory/memories.ts';
import { searchTexts } from '../../projections/recall/recall.ts';
import { totals } from './memories.ts';
import { findMemories, type SearchContext } from './search.ts';
import { drawerTexts, memoryTexts } from './texts.ts';

const PROBES_MAX = 20;
/** The newest entries of either store, from which probes are taken at even distances. */
const CONSIDERED_MAX = 2_000;
const PROBE_WORDS_MIN = 2;
const PROBE_WORDS_MAX = 12;
/** A text with this share of an entry's words counts as the entry. */
const SAME_SHARE_MIN = 0.8;

const zCase = z.object({
  sector: z.string(),
  query: z.string().describe('Half of the words of an entry.'),
  found_cognitive: z.boolean().describe('Whether the first `k` memories have it.'),
  found_verbatim: z.boolean().describe('Whether the first `k` drawers have it.'),
});

export const zBenchmark = z.object({
  k: z.int().describe('Answers that are searched for an entry.'),
  total_memories: z.int(),
  total_drawers: z.int(),
  probes: z.int().describe('Entries that were asked for.'),
  hits_cognitive: z.int().describe('Entries found among the memories.'),
  hits_verbatim: z.int().describe('Entries found among the drawers.'),
  recall_cognitive: z.number().describe('Their share of the probes, 0 to 1.'),
  recall_verbatim: z.number().describe('Their share of the probes, 0 to 1.'),
  recall_combined: z.number().describe('Share found in either, if both were independent, 0 to 1.'),
  cases: z.array(zCase).describe('The questions and what they found.'),
});

interface Probe {
  readonly id: string;
  readonly sector: string;
  readonly content: string;
  readonly query: string;
}

/** Other requests are served between two probes. */
export async function memoryBenchmark(context: SearchContext, k: number): Promise<z.infer<typeof zBenchmark>> {
  const cases: z.infer<typeof zCase>[] = [];
  for (const probe of probes(context)) {
    cases.push(outcomeOf(context, probe, k));
    await ownTurn();
  }
  const hits_cognitive = cases.filter((each) => each.found_cognitive).length;
  const hits_verbatim = cases.filter((each) => each.found_verbatim).length;
  const share = (hits: number): number => (cases.length === 0 ? 0 : hits / cases.length);
  const [recall_cognitive, recall_verbatim] = [share(hits_cognitive), share(hits_verbatim)];
  return {
    k,
    ...totals(context.views),
    probes: cases.length,
    hits_cognitive,
    hits_verbatim,
    recall_cognitive,
    recall_verbatim,
    recall_combined: 1 - (1 - recall_cognitive) * (1 - recall_verbatim),
    cases,
  };
}

/** Half of the probes come from either store, more from one if the other has too few. */
function probes({ views, encryption }: SearchContext): readonly Probe[] {
  const cipher = encryption.cipher();
  const memories = evenSample(newestMemories(views, { limit: CONSIDERED_MAX, offset: 0, now: 0 })).flatMap((row) =>
    probeOf(row.id, row.sector, memoryTexts(cipher, row).content),
  );
  const drawers = evenSample(newestDrawers(views, CONSIDERED_MAX)).flatMap((row) =>
    probeOf(row.id, row.room, drawerTexts(cipher, row).content),
  );
  const fromMemories = memories.slice(0, Math.max(PROBES_MAX / 2, PROBES_MAX - drawers.length));
  return [...fromMemories, ...drawers.slice(0, PROBES_MAX - fromMemories.length)];
}

function probeOf(id: string, sector: string, content: string): readonly Probe[] {
  const words = wordsOf(content).filter((_, at) => at % 2 === 0);
  if (words.length < PROBE_WORDS_MIN) return [];
  return [{ id, sector, content, query: words.slice(0, PROBE_WORDS_MAX).join(' ') }];
}

function evenSample<Item>(items: readonly Item[]): readonly Item[] {
  const count = Math.min(PROBES_MAX, items.length);
  return Array.from({ length: count }, (_, at) => items[Math.floor((at * items.length) / count)]!);
}

function outcomeOf(context: SearchContext, { id, sector, content, query }: Probe, k: number) {
  const { views, encryption } = context;
  const cipher = encryption.cipher();
  const memories = findMemories(context, { text: query, limit: k });
  const drawers = searchTexts(encryption.index(), { text: query, kind: 'drawer', k });
  const found_verbatim = drawers.some(({ key }) => {
    const row = key === id ? undefined : drawerRow(views, key);
    return key === id || (row !== undefined && hasWordsOf(drawerTexts(cipher, row).content, content));
  });
  const found_cognitive = memories.some(
    ({ row }) => row.id === id || hasWordsOf(memoryTexts(cipher, row).content, content),
  );
  return { sector, query, found_cognitive, found_verbatim };
}

/** Whether a text has (nearly) all the words of another one. */
function hasWordsOf(text: string, other: string): boolean {
  const words = new Set(wordsOf(text));
  const expected = wordsOf(other);
  return expected.filter((word) => words.has(word)).length >= expected.length * SAME_SHARE_MIN;
}

function wordsOf(text: string): readonly string[] {
  return [...new Set(essence(text).match(/[\p{L}\p{N}]{3,}/gu) ?? [])];
}
