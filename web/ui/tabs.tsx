/**
 * Links to the parts of a page. The link of the open part is scrolled into view if the row is wider than the window.
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
    row.current?.querySelector('[aria-current="page"]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [current]);
  return (
    <nav ref={row} class="tabs" aria-label={label}>
      {children}
    </nav>
  );
}
