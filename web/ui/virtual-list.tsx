/**
 * A long list of links of equal height: only the rows in view are rendered. Arrow keys, `j` and `k`, Page Up and Down,
 * Home and End move; Enter follows the link, as in any page.
 */
import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { scaleOfText } from '../lib/text-size.ts';

interface VirtualListProps<Value> {
  readonly label: string;
  readonly items: readonly Value[];
  /** Pixels, for text of the usual size. */
  readonly rowHeight: number;
  keyOf(item: Value): string;
  href(item: Value): string;
  row(item: Value): ComponentChildren;
  /** Called when the end is nearly in view, to request more items. */
  onNearEnd?(): void;
  onKey?(key: string, item: Value): boolean;
}

const BEYOND_ROWS = 8;
const NEAR_END_ROWS = 40;

export function VirtualList<Value>(props: VirtualListProps<Value>): JSX.Element {
  const { label, items, keyOf, onNearEnd } = props;
  const [scale] = useState(scaleOfText);
  const rowHeight = Math.round(props.rowHeight * scale);
  const box = useRef<HTMLDivElement>(null);
  const window = useWindow(box, rowHeight);
  const active = useSignal<string | null>(null);
  const activeIndex = Math.max(
    0,
    items.findIndex((item) => keyOf(item) === active.value),
  );
  const first = Math.max(0, window.first - BEYOND_ROWS);
  const last = Math.min(items.length, window.first + window.rows + BEYOND_ROWS);
  useEffect(() => {
    if (last > items.length - NEAR_END_ROWS) onNearEnd?.();
  }, [last, items.length]);
  const move = (index: number): void => {
    const to = Math.max(0, Math.min(items.length - 1, index));
    const item = items[to];
    if (item === undefined) return;
    active.value = keyOf(item);
    focusRow(box.current!, to, rowHeight);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the links in it have the focus.
    <div
      ref={box}
      class="virtual"
      onKeyDown={(event) => {
        const to = targetOf(event.key, activeIndex, { rows: window.rows, last: items.length - 1 });
        const item = items[activeIndex];
        if (to !== null) move(to);
        else if (item === undefined || props.onKey?.(event.key, item) !== true) return;
        event.preventDefault();
      }}
    >
      <ul aria-label={label} style={{ height: `${items.length * rowHeight}px` }}>
        {items.slice(first, last).map((item, offset) => (
          <li
            key={keyOf(item)}
            data-index={first + offset}
            aria-setsize={items.length}
            aria-posinset={first + offset + 1}
            style={{ height: `${rowHeight}px`, transform: `translateY(${(first + offset) * rowHeight}px)` }}
          >
            <a
              href={props.href(item)}
              tabIndex={first + offset === activeIndex ? 0 : -1}
              onFocus={() => {
                active.value = keyOf(item);
              }}
            >
              {props.row(item)}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Moves the focus into the list of the page. */
export function focusList(): void {
  document.querySelector<HTMLElement>('.virtual a[tabindex="0"]')?.focus();
}

function targetOf(key: string, index: number, of: { readonly rows: number; readonly last: number }): number | null {
  const page = Math.max(1, of.rows - 1);
  const moves: Readonly<Record<string, number>> = {
    ArrowDown: index + 1,
    j: index + 1,
    ArrowUp: index - 1,
    k: index - 1,
    PageDown: index + page,
    PageUp: index - page,
    Home: 0,
    End: of.last,
  };
  return moves[key] ?? null;
}

/**
 * Scrolls to the row and focuses it. A row that is not rendered yet gets the focus two frames later, unless the user has
 * left the list by then.
 */
function focusRow(box: HTMLDivElement, index: number, rowHeight: number): void {
  const top = index * rowHeight;
  if (top < box.scrollTop) box.scrollTop = top;
  if (top + rowHeight > box.scrollTop + box.clientHeight) box.scrollTop = top + rowHeight - box.clientHeight;
  const row = (): HTMLElement | null => box.querySelector(`[data-index="${index}"] > a`);
  const rendered = row();
  rendered?.focus({ preventScroll: true });
  if (rendered !== null) return;
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      const { activeElement } = document;
      if (activeElement === document.body || box.contains(activeElement)) row()?.focus({ preventScroll: true });
    }),
  );
}

/** The rows in view. */
function useWindow(
  box: { readonly current: HTMLDivElement | null },
  rowHeight: number,
): { readonly first: number; readonly rows: number } {
  const seen = useSignal({ first: 0, rows: 20 });
  useEffect(() => {
    const element = box.current!;
    const look = (): void => {
      const first = Math.floor(element.scrollTop / rowHeight);
      const rows = Math.ceil(element.clientHeight / rowHeight);
      if (first !== seen.value.first || rows !== seen.value.rows) seen.value = { first, rows };
    };
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, [rowHeight]);
  return seen.value;
}
