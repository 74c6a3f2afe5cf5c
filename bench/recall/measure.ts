/** Evidence recall at k: how often the first k contain some of the evidence (any) and all of it (all). */
import { indexText, RECALL_DDL, searchTexts } from '../../src/projections/recall/recall.ts';
import { SETTINGS, type Settings } from '../../src/projections/recall/settings.ts';
import { openViews } from '../../src/projections/views.ts';
import { bm25 } from './bm25.ts';
import type { Conversation } from './shape.ts';
import { evidenceOf, type Level, type Unit, unitsOf } from './units.ts';

export const CUTS = [5, 10, 20] as const;
const DEEPEST = Math.max(...CUTS);

/** Counts of questions by category; `any[i]` and `all[i]` at `CUTS[i]`. */
export interface Score {
  readonly questions: number;
  readonly any: readonly number[];
  readonly all: readonly number[];
}

export type Scores = ReadonlyMap<string, Score>;
/** A search: returns the best `k` results for a question, each as the units that it represents. */
export interface Searched {
  search(question: string, k: number): readonly (readonly number[])[] | Promise<readonly (readonly number[])[]>;
  close?(): Promise<void>;
}
export type Searcher = (units: readonly Unit[]) => Searched | Promise<Searched>;

/** The category in which all questions are counted. */
export const EVERY = 'all questions';

export async function measure(
  conversations: readonly Conversation[],
  level: Level,
  searcher: Searcher,
): Promise<Scores> {
  const scores = new Map<string, Score>();
  for (const conversation of conversations) {
    const units = unitsOf(conversation, level);
    const asked = conversation.questions.filter((question) => evidenceOf(question, level).length > 0);
    if (asked.length === 0) continue;
    const searched = await searcher(units);
    for (const question of asked) {
      const evidence = evidenceOf(question, level);
      const order = await searched.search(question.text, DEEPEST);
      const found = CUTS.map((cut) => {
        const held = new Set(order.slice(0, cut).flatMap((same) => same.flatMap((unit) => units[unit]!.holds)));
        return evidence.filter((id) => held.has(id)).length;
      });
      for (const category of [question.category, EVERY]) {
        const before = scores.get(category);
        scores.set(category, {
          questions: (before?.questions ?? 0) + 1,
          any: found.map((count, at) => (before?.any[at] ?? 0) + (count > 0 ? 1 : 0)),
          all: found.map((count, at) => (before?.all[at] ?? 0) + (count === evidence.length ? 1 : 0)),
        });
      }
    }
    await searched.close?.();
  }
  return scores;
}

export const plain: Searcher = (units) => {
  const index = bm25(units.map(({ text }) => text));
  return { search: (question, k) => index.search(question, k).map((unit) => [unit]) };
};

/** Daybook's recall, through the functions that the daemon uses. Only drawers have a source. */
export function daybook(level: Level, settings: Settings = SETTINGS): Searcher {
  const kind = level === 'drawers' ? 'drawer' : 'memory';
  return (units) => {
    const views = openViews(null);
    views.exec(RECALL_DDL);
    for (const [key, { text, session, at }] of units.entries()) {
      indexText(views, { key: `${key}`, kind, text, at, source: kind === 'drawer' ? session : null, wing: null });
    }
    return {
      search: (text, k) => searchTexts(views, { text, kind, k, settings }).map(({ key }) => [Number(key)]),
    };
  };
}
