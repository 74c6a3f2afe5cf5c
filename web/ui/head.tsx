/** The head of a view: its title (also of the tab), a note next to it, and its actions. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { text } from '../text.ts';

interface HeadProps {
  readonly title: string;
  readonly children?: ComponentChildren;
  readonly note?: ComponentChildren;
  /** Links above the title. */
  readonly above?: ComponentChildren;
}

const TITLE_CHARACTERS_MAX = 60;

export function Head({ title, note, above, children }: HeadProps): JSX.Element {
  useEffect(() => {
    document.title = `${title.slice(0, TITLE_CHARACTERS_MAX)} · ${text.app}`;
  }, [title]);
  return (
    <header class="view-head">
      <div class="view-title">
        {above && <p class="above">{above}</p>}
        <h1 dir="auto">{title}</h1>
        {note && <p class="note">{note}</p>}
      </div>
      {children && <div class="actions">{children}</div>}
    </header>
  );
}
