/** Two runs side by side: what they said and did in the same order, and where they first differ. */
import type { Item, Run } from './fold.ts';

export interface Pair {
  readonly left: Item | null;
  readonly right: Item | null;
  readonly isSame: boolean;
}

export interface Comparison {
  readonly pairs: readonly Pair[];
  /** Index of the first pair that differs; null when there is none. */
  readonly divergence: number | null;
}

/** What counts: tasks, answers, tool calls with their outcome, and the end. Times, tokens and notes differ between any runs. */
export function compareRuns(left: Run, right: Run): Comparison {
  const [one, other] = [left, right].map((run) => run.items.filter(isCompared)) as [Item[], Item[]];
  const pairs: Pair[] = [];
  for (let index = 0; index < Math.max(one.length, other.length); index += 1) {
    const [a, b] = [one[index] ?? null, other[index] ?? null];
    pairs.push({ left: a, right: b, isSame: a !== null && b !== null && signatureOf(a) === signatureOf(b) });
  }
  const divergence = pairs.findIndex(({ isSame }) => !isSame);
  return { pairs, divergence: divergence < 0 ? null : divergence };
}

function isCompared(item: Item): boolean {
  if (item.kind === 'answer') return item.text !== '' || item.isOpen;
  return item.kind === 'user' || item.kind === 'tool' || item.kind === 'end';
}

function signatureOf(item: Item): string {
  if (item.kind === 'tool') return `tool ${item.name} ${item.state} ${JSON.stringify(item.input)} ${item.output}`;
  if (item.kind === 'approval') return `approval ${item.state}`;
  if (item.kind === 'end') return `end ${item.status} ${item.text}`;
  return `${item.kind} ${item.text}`;
}
