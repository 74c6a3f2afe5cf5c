/** Times and durations: short in the text, exact in the tooltip and for machines. */
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

/** The tooltip is created on hover, because formatting an exact time is slow. */
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

/** Grows every second. */
export function Elapsed({ since }: { readonly since: number }): JSX.Element {
  return <span class="number">{duration(now.value - since)}</span>;
}
