/**
 * The parts of a capability of the daemon. A resource is declared once, in `resources.ts`; the event registry, the
 * read models, the routes, the OpenAPI document and the property tests are derived from that list.
 */
import type { Decider } from './commands/decider.ts';
import type { EventTable } from './events/define.ts';
import { erasureEvents } from './events/erasure.ts';
import type { RouteSpec } from './http/server/route.ts';
import type { SocketSpec } from './http/server/sockets.ts';
import type { Projection } from './projections/projection.ts';
import type { FoldedCategories } from './streams/fold.ts';

/** Any decider; the types of its command, state and events are checked where it is declared. */
// biome-ignore lint/suspicious/noExplicitAny: a list of deciders forgets their types.
export type AnyDecider = Decider<any, any, any>;

/** Declares routes, or sockets, from the parts of the daemon that they use. */
type Module<Dependencies, Spec> = (deps: Dependencies) => Spec | readonly Spec[];

/** Everything that some modules use. */
type DependenciesOf<Modules extends readonly Module<never, unknown>[]> =
  Modules[number] extends Module<infer Needed, unknown> ? Needed : never;

export interface Resource<Dependencies> {
  /** The name of its files in every layer. */
  readonly key: string;
  readonly deciders: readonly AnyDecider[];
  /** In the order in which they fold an event. */
  readonly projections: readonly Projection[];
  readonly routes: (deps: Dependencies) => readonly RouteSpec[];
  readonly sockets?: (deps: Dependencies) => readonly SocketSpec[];
  /** The ids of its streams in a category that other resources have, too; by default its key. */
  readonly settings?: readonly string[] | undefined;
}

/** Declares a resource. Omitted parts are empty. */
export function resource<
  const Routes extends readonly Module<never, RouteSpec>[] = [],
  const Sockets extends readonly Module<never, SocketSpec>[] = [],
>({
  key,
  deciders = [],
  projections = [],
  routes,
  sockets,
  settings,
}: Partial<Pick<Resource<never>, 'deciders' | 'projections' | 'settings'>> & {
  readonly key: string;
  readonly routes?: Routes;
  readonly sockets?: Sockets;
}): Resource<DependenciesOf<Routes> & DependenciesOf<Sockets>> {
  const made = { routes: declared<RouteSpec>(routes), sockets: declared<SocketSpec>(sockets) };
  return { key, deciders, projections, settings, ...made };
}

function declared<Spec>(modules: readonly Module<never, Spec>[] = []) {
  return (deps: unknown): readonly Spec[] => modules.flatMap((each) => each(deps as never));
}

/**
 * The categories of the resources, each with the names of the projections that stop at an unknown event in it: those
 * of its resource, and others that fold it. A category of several resources (`settings`) is listed by streams.
 */
export function categoriesOf(
  resources: readonly Pick<Resource<never>, 'key' | 'deciders' | 'projections' | 'settings'>[],
): FoldedCategories {
  const all = resources.flatMap(({ projections }) => projections);
  const owners = resources.flatMap(({ key, deciders, projections, settings = [key] }) =>
    [...new Set(deciders.map(({ category }) => category))].map((category) => {
      const types = deciders.flatMap((each) => (each.category === category ? Object.keys(each.events) : []));
      const folding = all.filter(({ on }) => types.some((type) => Object.hasOwn(on, type)));
      const names: ReadonlySet<string> = new Set([...projections, ...folding].map(({ name }) => name));
      return { category, settings, names };
    }),
  );
  const isShared = (category: string): boolean => owners.filter((owner) => owner.category === category).length > 1;
  return new Map(
    owners.flatMap(({ category, settings, names }) => {
      const streams = isShared(category) ? settings.map((id) => `${category}-${id}`) : [category];
      return streams.map((stream) => [stream, names] as const);
    }),
  );
}

/** The definitions of every event type: those of the deciders, and those that the storage appends itself. */
export function eventsOf(resources: readonly { readonly deciders: readonly AnyDecider[] }[]): EventTable {
  const tables = resources.flatMap(({ deciders }) => deciders.map(({ events }) => events));
  return Object.assign({}, ...tables, erasureEvents) as EventTable;
}
