/** A change of a file: its removed and added lines. */
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { text as all } from '../text.ts';
import { diffLines, type FileChange } from './diff.ts';

const text = all.runs.items;

const MARKS = { same: ' ', added: '+', removed: '−', gap: '⋯' } as const;

export function Diff({ of }: { readonly of: FileChange }): JSX.Element {
  const lines = useMemo(() => diffLines(of), [of]);
  return (
    <figure>
      <figcaption>{of.before === null ? text.written(of.path) : text.change(of.path)}</figcaption>
      <pre
        class="well diff"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keyboard.
        tabIndex={0}
      >
        {lines.map(({ kind, text: line }, index) => (
          <span key={index} class={`diff-${kind}`}>
            <span class="diff-mark">{MARKS[kind]}</span>
            {kind === 'gap' ? text.gap : line}
            {'\n'}
          </span>
        ))}
      </pre>
    </figure>
  );
}
