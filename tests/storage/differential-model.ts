/**
 * The steps of the differential test, and its model: a list of entries in byte order, copied for every snapshot, so
 * simple that it is evidently correct.
 */
import fc from 'fast-check';
import type { Bytes, Change, Entry, RangeOptions } from '../../src/storage/engine.ts';

/** A key or value as hex text, so that steps print well and compare by themselves. */
export type Hex = string;

export interface HexChange {
  readonly key: Hex;
  readonly value: Hex | undefined;
}

export type HexRange = Partial<Record<'gte' | 'gt' | 'lte' | 'lt', Hex>> & {
  readonly reverse?: boolean;
  readonly limit?: number;
};

export type Step =
  | { readonly kind: 'commit'; readonly batches: readonly (readonly HexChange[])[]; readonly durable: boolean }
  | { readonly kind: 'clear'; readonly range: HexRange }
  | { readonly kind: 'get'; readonly keys: readonly Hex[] }
  | { readonly kind: 'range'; readonly range: HexRange }
  /** A snapshot, and an iterator that has returned one entry, are acquired, read and released much later. */
  | { readonly kind: 'hold' }
  | { readonly kind: 'readHeld'; readonly which: number; readonly range: HexRange }
  | { readonly kind: 'letGo'; readonly which: number }
  | { readonly kind: 'reopen' }
  | { readonly kind: 'compact' }
  | { readonly kind: 'backup' };

const key: fc.Arbitrary<Hex> = fc
  .uint8Array({ minLength: 1, maxLength: 3, max: 6 })
  .map((bytes) => Buffer.from(bytes).toString('hex'));
/** Mostly small values; some large enough for their own page, some empty. */
const value: fc.Arbitrary<Hex> = fc.oneof(
  { weight: 6, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 12 }).map(toHex) },
  { weight: 1, arbitrary: fc.constant('') },
  { weight: 2, arbitrary: fc.integer({ min: 500, max: 9_000 }).map((length) => 'a7'.repeat(length)) },
);
const change = fc.record({ key, value: fc.option(value, { nil: undefined, freq: 4 }) });
const range: fc.Arbitrary<HexRange> = fc.record(
  { gte: key, gt: key, lte: key, lt: key, reverse: fc.boolean(), limit: fc.nat(20) },
  { requiredKeys: [] },
);

export const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        kind: fc.constant('commit' as const),
        batches: fc.array(fc.array(change, { maxLength: 40 }), { minLength: 1, maxLength: 3 }),
        durable: fc.boolean(),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('clear' as const), range }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('get' as const), keys: fc.array(key, { maxLength: 8 }) }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('range' as const), range }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('hold' as const) }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('readHeld' as const), which: fc.nat(9), range }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('letGo' as const), which: fc.nat(9) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('reopen' as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('compact' as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('backup' as const) }) },
  ),
  { minLength: 5, maxLength: 50 },
);

export function toHex(bytes: Bytes): Hex {
  return Buffer.from(bytes).toString('hex');
}

export function changesOf(changes: readonly HexChange[]): Change[] {
  return changes.map((each) => ({
    key: bytesOf(each.key),
    value: each.value === undefined ? undefined : bytesOf(each.value),
  }));
}

export function rangeOf(hex: HexRange): RangeOptions {
  const bounds = (['gte', 'gt', 'lte', 'lt'] as const).flatMap((name) => {
    const bound = hex[name];
    return bound === undefined ? [] : [[name, bytesOf(bound)] as const];
  });
  const { reverse, limit } = hex;
  return {
    ...Object.fromEntries(bounds),
    ...(reverse !== undefined && { reverse }),
    ...(limit !== undefined && { limit }),
  };
}

export function bytesOf(hex: Hex): Bytes {
  return Buffer.from(hex, 'hex');
}

/** Entries as text: long values by their length, for a difference that can be read. */
export function shown(entries: Iterable<Entry>): string {
  return [...entries].map((entry) => shownEntry(toHex(entry.key), toHex(entry.value))).join(' ');
}

function shownEntry(entryKey: Hex, entryValue: Hex): string {
  return `${entryKey}=${entryValue.length > 24 ? `#${entryValue.length / 2}` : entryValue}`;
}

/** The sorted map. Hex text sorts as its bytes do. */
export class Model {
  #entries: ReadonlyMap<Hex, Hex>;

  constructor(entries: ReadonlyMap<Hex, Hex> = new Map()) {
    this.#entries = entries;
  }

  get size(): number {
    return this.#entries.size;
  }

  commit(changes: readonly HexChange[]): void {
    const next = new Map(this.#entries);
    for (const each of changes) {
      if (each.value === undefined) next.delete(each.key);
      else next.set(each.key, each.value);
    }
    this.#entries = new Map([...next].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  get(wanted: Hex): Hex | undefined {
    return this.#entries.get(wanted);
  }

  keysIn(hex: HexRange): Hex[] {
    const { gte, gt, lte, lt, reverse, limit } = hex;
    const isIn = (each: Hex): boolean =>
      (gte === undefined || each >= gte) &&
      (gt === undefined || each > gt) &&
      (lte === undefined || each <= lte) &&
      (lt === undefined || each < lt);
    const found = [...this.#entries.keys()].filter(isIn);
    return (reverse === true ? found.reverse() : found).slice(0, limit);
  }

  shown(hex: HexRange): string {
    return this.keysIn(hex)
      .map((each) => shownEntry(each, this.#entries.get(each)!))
      .join(' ');
  }

  copy(): Model {
    return new Model(this.#entries);
  }
}
