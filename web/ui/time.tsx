/** Moments and durations: short in the text, exact in the tip and for machines. */
import type { JSX, TargetedPointerEvent } from 'preact';
import { ago, duration, exactly, now, when } from '../format.ts';

interface MomentProps {
  readonly at: number;
}

export function When({ at }: MomentProps): JSX.Element {
  return <Moment at={at} words={when(at)} />;
}

export function Ago({ at }: MomentProps): JSX.Element {
  return <Moment at={at} words={ago(at)} />;
}

/** The tip is made when somebody points there: the exact form of a moment takes long to make. */
function Moment({ at, words }: MomentProps & { readonly words: string }): JSX.Element {
  const tell = (event: TargetedPointerEvent<HTMLTimeElement>): void => {
    event.currentTarget.title = exactly(at);
  };
  return (
    <time dateTime={new Date(at).toISOString()} onPointerEnter={tell}>
      {words}
    </time>
  );
}

/** Grows while there is no end. */
export function Elapsed({ since, until }: { readonly since: number; readonly until?: number | null }): JSX.Element {
  return <span class="number">{duration((until ?? now.value) - since)}</span>;
}
