/**
 * Links to the parts of a page. The row is scrolled to the link of the open part if it is wider than the window; the
 * page is not.
 */
import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface TabsProps {
  readonly label: string;
  /** The open part; its link has `aria-current="page"`. */
  readonly current: string;
  readonly children: ComponentChildren;
}

export function Tabs({ label, current, children }: TabsProps): JSX.Element {
  const row = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const link = row.current?.querySelector('[aria-current="page"]')?.getBoundingClientRect();
    if (row.current === null || link === undefined) return;
    const { left, right } = row.current.getBoundingClientRect();
    row.current.scrollLeft += Math.min(0, link.left - left) + Math.max(0, link.right - right);
  }, [current]);
  return (
    <nav ref={row} class="tabs" aria-label={label}>
      {children}
    </nav>
  );
}
