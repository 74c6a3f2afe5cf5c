/** Fields whose value is part of the address's query, so that a filtered page can be bookmarked and shared. */
import { useSignal } from '@preact/signals';
import type { JSX, RefObject } from 'preact';
import { useEffect } from 'preact/hooks';
import { isComposed } from '../keys.ts';
import { setQuery } from '../router.ts';

interface QuerySearchProps {
  readonly query: URLSearchParams;
  readonly field: RefObject<HTMLInputElement | null>;
  readonly label: string;
  readonly hint: string;
  /** Called for Enter, or for the arrow key that moves into the list. */
  enter(): void;
}

/** The search text: `q`. */
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
        if (!isComposed(event) && (event.key === 'ArrowDown' || event.key === 'Enter')) enter();
      }}
    />
  );
}

/** The values of the query's fields; an empty one filters nothing. */
export function valuesOf<Name extends string>(query: URLSearchParams, names: readonly Name[]): Record<Name, string> {
  return Object.fromEntries(names.map((name) => [name, query.get(name) ?? ''])) as Record<Name, string>;
}

/** The class of a filter's label: a narrow page shows the first filters, and those that have a value. */
export function filterClass(value: string): string {
  return value === '' ? 'field field-unset' : 'field';
}

/** The value, once it has not changed for this long: the user has stopped typing, or moving a slider. */
export function useSettled<Value>(value: Value, ms: number): Value {
  const settled = useSignal(value);
  useEffect(() => {
    const timer = setTimeout(() => {
      settled.value = value;
    }, ms);
    return () => clearTimeout(timer);
  }, [value]);
  return settled.value;
}

interface QueryCheckProps {
  readonly query: URLSearchParams;
  readonly name: string;
  readonly label: string;
}

/** The query has a value if the box is checked. */
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

/** Whether one of the texts contains the words of the search, in any case and any form of their letters. */
export function isFound(query: URLSearchParams, texts: readonly string[]): boolean {
  const plain = (text: string): string => text.normalize('NFKC').toLowerCase();
  return plain(texts.join(' ')).includes(plain(query.get('q') ?? ''));
}
