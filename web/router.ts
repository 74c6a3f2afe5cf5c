/**
 * The address of a view: `#/<view>/<part>…?<query>`. Deep links, back and forward are the browser's own: it scrolls a
 * page that was left to where it was. A page that is opened begins at its top.
 */
import { signal } from '@preact/signals';

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
  history.replaceState(VISITED, '', href(path, { ...Object.fromEntries(query), ...changes }));
  route.value = parse(location.hash);
}

/** The state of a history entry whose page was shown: back and forward lead to such entries only. */
const VISITED = 'visited';
history.replaceState(VISITED, '');

addEventListener('hashchange', () => {
  const before = route.value.path;
  route.value = parse(location.hash);
  if (history.state === VISITED) return;
  history.replaceState(VISITED, '');
  if (String(before) !== String(route.value.path)) scrollTo(0, 0);
});
