/** The text of a reflection on several memories: the words they share. No model is asked. */
import { stemmer } from 'stemmer';
import type { Sector } from '../../events/memory/events.ts';

export interface Reflected {
  readonly content: string;
  readonly sector: Sector;
  /** Unix milliseconds. */
  readonly at: number;
}

/** The minimum of memories for a reflection. */
export const REFLECTED_MIN = 5;
const THEMES_MAX = 6;
const THEME_MEMORIES_MIN = 2;

const COMMON = new Set(
  `about after again also and another any are because been before being but can could did does doing done each for
   from get gets got had has have her here him his how into its just like made make many may more most much must not
   now off one only other our out over own really said same she should some such than that the their them then there
   these they thing things this those through too two under use used uses using very was way well were what when where
   which while who will with would you your`.split(/\s+/u),
);

export function reflection(memories: readonly Reflected[]): string {
  const days = memories.map(({ at }) => new Date(at).toISOString().slice(0, 10)).sort();
  const span = days[0] === days.at(-1) ? `of ${days[0]}` : `from ${days[0]} to ${days.at(-1)}`;
  const themes = themesOf(memories);
  const said =
    themes.length === 0
      ? 'They have no theme in common.'
      : `They keep coming back to: ${themes.map(({ word, count }) => `${word} (${count})`).join(', ')}.`;
  const [sector, count] = mostFrequent(memories.map((memory) => memory.sector));
  return `${memories.length} memories ${span}, ${count} of them ${sector}. ${said}`;
}

/** Words that several memories share, most frequent first, each in its most frequent form. */
function themesOf(memories: readonly Reflected[]): readonly { readonly word: string; readonly count: number }[] {
  const themes = new Map<string, { readonly forms: string[]; count: number }>();
  for (const { content } of memories) {
    const seen = new Map<string, string>();
    for (const word of content.toLowerCase().match(/\p{L}{4,}/gu) ?? []) {
      if (!COMMON.has(word)) seen.set(stemmer(word), word);
    }
    for (const [stem, word] of seen) {
      const theme = themes.get(stem) ?? { forms: [], count: 0 };
      theme.forms.push(word);
      theme.count += 1;
      themes.set(stem, theme);
    }
  }
  return [...themes.values()]
    .filter(({ count }) => count >= THEME_MEMORIES_MIN)
    .map(({ forms, count }) => ({ word: mostFrequent(forms)[0], count }))
    .sort((a, b) => b.count - a.count || (a.word < b.word ? -1 : 1))
    .slice(0, THEMES_MAX);
}

/** The most frequent value; of equally frequent values the alphabetically first. */
function mostFrequent<Of extends string>(values: readonly Of[]): readonly [Of, number] {
  const counts = new Map<Of, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))[0]!;
}
