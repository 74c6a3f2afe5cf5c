/** A list that renders its first items, and more of them when its end comes near the window. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { count } from '../format.ts';
import { text } from '../text.ts';

/** The focus on the last item may leave what is below it out of sight. */
const NEAR = '200px';

interface GrowingProps<Value> {
  readonly items: readonly Value[];
  /** How many items are shown first, and how many are added each time. */
  readonly step: number;
  /** The total number, if `items` contains only the first of them. */
  readonly total?: number;
  /** Called when more items should be shown than `items` contains. */
  onMore?(): void;
  /** Renders the items as a list. */
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
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting === true) grow();
      },
      { rootMargin: NEAR },
    );
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
