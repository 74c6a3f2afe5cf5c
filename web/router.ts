/**
 * The address of a view: `#/<view>/<part>…?<query>`. Deep links, back and forward are the browser's own. A page that is
 * opened begins at its top.
 */
import { signal } from '@preact/signals';
import { keepScroll, scrollForEntry } from './scroll.ts';

/** Until an address that the browser did not take is offered again. */
const RETRY_MS = 500;

export interface Route {
  /** The parts of the path, decoded; the first is the view. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

/** The properties of a view. */
export interface ViewProps {
  /** The parts of the address after the name of the view. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

export const route = signal<Route>(parse(location.hash));

export function parse(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  const parts = path.split('/').filter((part) => part !== '');
  return { path: parts.map(decoded), query: new URLSearchParams(query) };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

type Query = Readonly<Record<string, string | number | null | undefined>>;

/** The address of a view. Null, undefined and empty values are omitted. */
export function href(path: readonly (string | number)[], query: Query = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value == null || value === '' ? [] : [[name, String(value)]],
  );
  const search = pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
  return `#/${path.map((part) => encodeURIComponent(part)).join('/')}${search}`;
}

export function go(path: readonly (string | number)[], query: Query = {}): void {
  location.hash = href(path, query);
}

/** Changes the query of the current view without a new history entry. */
export function setQuery(changes: Query): void {
  const { path, query } = route.value;
  replace(path, { ...Object.fromEntries(query), ...changes });
}

/** Goes to a view in place of the current history entry. */
export function replace(path: readonly (string | number)[], query: Query = {}): void {
  const address = href(path, query);
  route.value = parse(address);
  write(address);
}

let retry: ReturnType<typeof setTimeout> | undefined;

/** A browser takes a limited number of addresses in ten seconds, such as 200: it ignores further ones or throws. */
function write(address: string): void {
  clearTimeout(retry);
  try {
    history.replaceState(history.state, '', address);
  } catch {
    // The address is still the one before.
  }
  if (location.hash !== address) retry = setTimeout(() => write(address), RETRY_MS);
}

keepScroll();
addEventListener('hashchange', () => {
  clearTimeout(retry);
  const before = route.value.path;
  route.value = parse(location.hash);
  scrollForEntry({ isOtherPage: String(before) !== String(route.value.path) });
});
