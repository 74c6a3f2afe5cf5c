/** Buttons of which one is pressed: what a page shows is the `show` of its query. */
import type { JSX } from 'preact';
import { setQuery } from '../router.ts';

interface SegmentsProps {
  readonly label: string;
  /** The words of each `show`; '' is what the page shows without one. */
  readonly of: Readonly<Record<string, string>>;
  readonly shown: string;
}

export function Segments({ label, of, shown }: SegmentsProps): JSX.Element {
  return (
    // biome-ignore lint/a11y/useSemanticElements: the buttons are no fields.
    <div class="segments" role="group" aria-label={label}>
      {Object.entries(of).map(([show, words]) => (
        <button key={show} type="button" aria-pressed={show === shown} onClick={() => setQuery({ show })}>
          {words}
        </button>
      ))}
    </div>
  );
}
