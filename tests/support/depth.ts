/** How much of a large space a test covers: each byte or every tenth, each engine or the one of new homes. */
import type { DiskBackend } from '../../src/storage/marker.ts';

/** A value for each depth. */
export interface ByDepth<Value> {
  /** For `npm test`: the smallest value that covers each behaviour. */
  readonly sample: Value;
  /** For `npm run test:dense`, which runs each file that imports this one again, and for `*.release.test.ts`. */
  readonly dense: Value;
  /** With `DAYBOOK_LONG=1`. Default: `dense`. */
  readonly long?: Value;
}

export const IS_LONG = process.env.DAYBOOK_LONG === '1';
const IS_REST = process.env.DAYBOOK_DENSE === '1';

/** Whether to run the cases that only `npm run test:dense` runs. */
export const IS_DENSE = IS_LONG || IS_REST;
/** Whether to run the cases of `npm test`, which `npm run test:dense` need not repeat. */
const IS_SAMPLE = IS_LONG || !IS_REST;

export function byDepth<Value>({ sample, dense, long = dense }: ByDepth<Value>): Value {
  if (IS_LONG) return long;
  return IS_REST ? dense : sample;
}

/** The rows of a table of tests: `npm test` tries the sample, `npm run test:dense` the rest. */
export function rows<Row>(table: { readonly sample: readonly Row[]; readonly rest: readonly Row[] }): readonly Row[] {
  return [...(IS_SAMPLE ? table.sample : []), ...(IS_DENSE ? table.rest : [])];
}

/** `rows` for a table whose first `count` rows are the sample. */
export function firstRows<Row extends unknown[] | [unknown]>(count: number, table: readonly Row[]): readonly Row[];
export function firstRows<Row>(count: number, table: readonly Row[]): readonly Row[];
export function firstRows<Row>(count: number, table: readonly Row[]): readonly Row[] {
  return rows({ sample: table.slice(0, count), rest: table.slice(count) });
}

/** Engines for tests whose result does not depend on the engine: `npm test` tries the engine of new homes. */
export const ENGINES = rows<DiskBackend>({ sample: ['cow'], rest: ['lsm', 'embedded_kv'] });

/** The first and the last item of each group, and one in `every`; all items when `every` is 1. */
export function sampled<Item>(items: readonly Item[], groupOf: (item: Item) => string, every: number): Item[] {
  const groups = [...Map.groupBy(items, groupOf).values()];
  const chosen = new Set(
    groups.flatMap((group) => group.filter((_, at) => at % every === 0 || at === group.length - 1)),
  );
  return items.filter((item) => chosen.has(item));
}
