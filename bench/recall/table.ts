/** Scores as a table for the terminal and for `docs/recall.md`: BM25 next to Daybook. */
import { CUTS, EVERY, type Score, type Scores } from './measure.ts';
import type { Level } from './units.ts';

export interface Compared {
  readonly level: Level;
  readonly bm25: Scores;
  readonly ours: Scores;
}

export function table({ level, bm25, ours }: Compared): string {
  const categories = [...ours.keys()].filter((name) => name !== EVERY).sort();
  const rows = [...categories, EVERY].flatMap((name) => {
    const [plain, own] = [bm25.get(name), ours.get(name)];
    return plain === undefined || own === undefined ? [] : [row(name, plain, own)];
  });
  const cuts = CUTS.map((cut) => `@${cut}`);
  const head = ['category', 'questions', ...cuts.map((cut) => `all ${cut}`), ...cuts.map((cut) => `any ${cut}`)];
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return [`${level} (BM25 → Daybook, %)`, '', ...lines].join('\n');
}

/** The same figures as JSON: shares from 0 to 1. */
export function figures({ level, bm25, ours }: Compared): object {
  return {
    level,
    categories: [...ours].map(([category, own]) => ({
      category,
      questions: own.questions,
      bm25: shares(bm25.get(category)),
      ours: shares(own),
    })),
  };
}

function row(name: string, plain: Score, own: Score): readonly string[] {
  const cell = (before: number, after: number): string =>
    `${percent(before / plain.questions)} → ${percent(after / own.questions)}`;
  return [
    name,
    String(own.questions),
    ...CUTS.map((_, at) => cell(plain.all[at]!, own.all[at]!)),
    ...CUTS.map((_, at) => cell(plain.any[at]!, own.any[at]!)),
  ];
}

function shares(score: Score | undefined): object {
  const at = (counts: readonly number[] | undefined): object =>
    Object.fromEntries(CUTS.map((cut, index) => [cut, score === undefined ? 0 : counts![index]! / score.questions]));
  return { any: at(score?.any), all: at(score?.all) };
}

function percent(share: number): string {
  return (share * 100).toFixed(1);
}
