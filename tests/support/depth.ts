/** How much of a large space a test looks at: each byte or every tenth, each engine or the one of new homes. */
import type { DiskBackend } from '../../src/storage/marker.ts';

/** A value for each depth. */
export interface ByDepth<Value> {
  /** What `npm test` looks at: the least that meets each behaviour. */
  readonly sample: Value;
  /** What `npm run test:release` looks at, which runs each file that imports this one once more. CI runs both. */
  readonly dense: Value;
  /** With `DAYBOOK_LONG=1`; as dense when left out. */
  readonly long?: Value;
}

export const IS_LONG = process.env.DAYBOOK_LONG === '1';
const IS_RELEASE = process.env.DAYBOOK_DENSE === '1';

/** What `npm run test:release` tries and `npm test` leaves out. */
export const IS_DENSE = IS_LONG || IS_RELEASE;
/** What `npm run test:release` need not repeat, in a file that it runs for others. */
const IS_SAMPLE = IS_LONG || !IS_RELEASE;

export function byDepth<Value>({ sample, dense, long = dense }: ByDepth<Value>): Value {
  if (IS_LONG) return long;
  return IS_RELEASE ? dense : sample;
}

/** The rows of a table of tests: `npm test` tries the sample, `npm run test:release` the rest. */
export function rows<Row>(table: { readonly sample: readonly Row[]; readonly rest: readonly Row[] }): readonly Row[] {
  return [...(IS_SAMPLE ? table.sample : []), ...(IS_DENSE ? table.rest : [])];
}

/** The same for a table whose first `count` rows are the sample. */
export function firstRows<Row extends unknown[] | [unknown]>(count: number, table: readonly Row[]): readonly Row[];
export function firstRows<Row>(count: number, table: readonly Row[]): readonly Row[];
export function firstRows<Row>(count: number, table: readonly Row[]): readonly Row[] {
  return rows({ sample: table.slice(0, count), rest: table.slice(count) });
}

/** Engines for tests of what does not depend on the engine: `npm test` tries the one of new homes. */
export const ENGINES = rows<DiskBackend>({ sample: ['cow'], rest: ['lsm', 'embedded_kv'] });

/** Of each group the first, the last, and one in `every`; all when that is 1. */
export function sampled<Item>(items: readonly Item[], groupOf: (item: Item) => string, every: number): Item[] {
  const groups = [...Map.groupBy(items, groupOf).values()];
  const chosen = new Set(
    groups.flatMap((group) => group.filter((_, at) => at % every === 0 || at === group.length - 1)),
  );
  return items.filter((item) => chosen.has(item));
}
