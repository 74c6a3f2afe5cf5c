/** Fields whose value is in the query of the address, so that a filtered page can be kept and sent. */
import type { JSX, RefObject } from 'preact';
import { setQuery } from '../router.ts';

interface QuerySearchProps {
  readonly query: URLSearchParams;
  readonly field: RefObject<HTMLInputElement | null>;
  readonly label: string;
  readonly hint: string;
  /** Enter, or the arrow that leads into the list. */
  enter(): void;
}

/** What is searched for: `q`. */
export function QuerySearch({ query, field, label, hint, enter }: QuerySearchProps): JSX.Element {
  return (
    <input
      ref={field}
      type="search"
      dir="auto"
      aria-label={label}
      placeholder={hint}
      value={query.get('q') ?? ''}
      onInput={(event) => setQuery({ q: event.currentTarget.value })}
      onKeyDown={(event) => {
        if (event.key === 'ArrowDown' || event.key === 'Enter') enter();
      }}
    />
  );
}

interface QueryCheckProps {
  readonly query: URLSearchParams;
  readonly name: string;
  readonly label: string;
}

/** There is a value while it is checked. */
export function QueryCheck({ query, name, label }: QueryCheckProps): JSX.Element {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={query.get(name) !== null}
        onChange={(event) => setQuery({ [name]: event.currentTarget.checked ? '1' : null })}
      />
      {label}
    </label>
  );
}

/** Whether the words of the search are in one of the texts, in any case. */
export function isFound(query: URLSearchParams, texts: readonly string[]): boolean {
  const words = (query.get('q') ?? '').toLocaleLowerCase();
  return texts.join(' ').toLocaleLowerCase().includes(words);
}
