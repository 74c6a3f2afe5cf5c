/** A list of which the beginning is in the page, and more of it when its end comes into sight. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { count } from '../format.ts';
import { text } from '../text.ts';

interface GrowingProps<Value> {
  readonly items: readonly Value[];
  /** How many are shown first, and how many more each time. */
  readonly step: number;
  /** How many there are when the items are only the first of them. */
  readonly total?: number;
  /** More items than there are here are to be shown. */
  onMore?(): void;
  /** The items as a list of the page. */
  readonly children: (shown: readonly Value[]) => ComponentChildren;
}

export function Growing<Value>(props: GrowingProps<Value>): JSX.Element {
  const { items, step, total = items.length, onMore, children } = props;
  const shown = useSignal(step);
  const end = useRef<HTMLButtonElement>(null);
  const left = total - Math.min(shown.value, items.length);
  const grow = (): void => {
    if (shown.value < items.length) shown.value += step;
    if (shown.value >= items.length && items.length < total) onMore?.();
  };
  useEffect(() => {
    if (end.current === null) return undefined;
    const observer = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting === true) grow();
    });
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [shown.value, items.length, left > 0]);
  return (
    <>
      {children(items.slice(0, shown.value))}
      {left > 0 && (
        <button ref={end} type="button" class="button plain" onClick={grow}>
          {text.moreLeft(count(left))}
        </button>
      )}
    </>
  );
}
