/** Moments and durations: short in the text, exact in the tip and for machines. */
import type { JSX } from 'preact';
import { ago, duration, exactly, now, when } from '../format.ts';

export function When({ at }: { readonly at: number }): JSX.Element {
  return (
    <time dateTime={new Date(at).toISOString()} title={exactly(at)}>
      {when(at)}
    </time>
  );
}

export function Ago({ at }: { readonly at: number }): JSX.Element {
  return (
    <time dateTime={new Date(at).toISOString()} title={exactly(at)}>
      {ago(at)}
    </time>
  );
}

/** Grows while there is no end. */
export function Elapsed({ since, until }: { readonly since: number; readonly until?: number | null }): JSX.Element {
  return <span class="number">{duration((until ?? now.value) - since)}</span>;
}
