/** Two runs side by side: their messages and actions in order, and where they first differ. */
import type { Item, Run } from './fold.ts';

export interface Pair {
  readonly left: Item | null;
  readonly right: Item | null;
  readonly isSame: boolean;
}

export interface Comparison {
  readonly pairs: readonly Pair[];
  /** The index of the first pair that differs; null if there is none. */
  readonly divergence: number | null;
}

/**
 * Compares tasks, answers, tool calls with their results, and the end. Times, tokens and notes differ between any two
 * runs. A fork of the left run is compared from the step at which it was forked: before that, both are the same.
 */
export function compareRuns(left: Run, right: Run, leftId = ''): Comparison {
  const one = left.items.filter(isCompared);
  const other = right.items.filter(isCompared);
  const pairs: Pair[] = [];
  if (right.fork !== null && right.fork.from === leftId) {
    const { steps } = right.fork;
    const shared = one.slice(0, one.findLastIndex((item) => item.kind === 'tool' && item.step <= steps) + 1);
    one.splice(0, shared.length);
    // The task that the fork was given instead.
    other.shift();
    pairs.push(...shared.map((item) => ({ left: item, right: item, isSame: true })));
  }
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
