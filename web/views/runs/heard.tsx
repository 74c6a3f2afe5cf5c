/**
 * What a screen reader says of a run as it goes on: each answer once it is whole, each tool call when it has ended, each
 * request for approval, and the end. The conversation itself grows word by word: it would be read in fragments.
 */
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { count } from '../../format.ts';
import type { Item, Run } from '../../runs/fold.ts';
import { text as all } from '../../text.ts';

const text = all.runs.items;
/** Several items may end at once. */
const KEPT_MAX = 6;
/** A voice names every sign. */
const MARKS = /[*_`#>|~]+/g;

export function Heard({ run, isLive }: { readonly run: Run; readonly isLive: boolean }): JSX.Element {
  /** Of the last item when the page was opened, or the run went on: what was there before is not said. */
  const from = useRef<number | null>(null);
  if (isLive) from.current ??= run.items.at(-1)?.position ?? 0;
  const began = from.current ?? Number.POSITIVE_INFINITY;
  // Chosen with those that have no words: one that loses its words brings no older one back.
  const newest = run.items.slice(-KEPT_MAX).filter(({ position }) => position >= began);
  return (
    <div class="visually-hidden" role="log" aria-label={text.heard}>
      {newest.filter(wordsOf).map((item) => (
        <p key={`${item.kind}-${item.position}`} dir="auto">
          {wordsOf(item)}
        </p>
      ))}
    </div>
  );
}

/** Empty while the item goes on. */
function wordsOf(item: Item): string {
  switch (item.kind) {
    case 'answer':
      return item.isOpen ? '' : item.text.replace(MARKS, ' ').trim();
    case 'tool':
      return item.state === 'running' ? '' : `${text.step(count(item.step))} ${item.name}: ${text.states[item.state]}`;
    case 'approval':
      return item.state === 'pending' ? `${text.approval(item.tool)}. ${all.runs.run.waitsForYou}` : '';
    case 'end':
      return text.ends[item.status] ?? item.status;
    default:
      return item.text;
  }
}
