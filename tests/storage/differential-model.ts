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

/** Commits that are made at once. */
export type HexBatch = { readonly changes: readonly HexChange[]; readonly durable: boolean };

export interface Cut {
  /** The number of the call at which the power is cut, from the beginning of the step. */
  readonly call: number;
  readonly image: number;
}

export type Step =
  | { readonly kind: 'commit'; readonly batches: readonly HexBatch[] }
  | { readonly kind: 'clear'; readonly range: HexRange }
  | { readonly kind: 'get'; readonly keys: readonly Hex[] }
  | { readonly kind: 'range'; readonly range: HexRange }
  /** A snapshot, and an iterator that has returned one entry, are acquired, read and released much later. */
  | { readonly kind: 'hold'; readonly reverse: boolean }
  | { readonly kind: 'readHeld'; readonly which: number; readonly range: HexRange }
  | { readonly kind: 'letGo'; readonly which: number }
  | { readonly kind: 'reopen' | 'compact' | 'verify' | 'backup' | 'kill' }
  /** A power cut; `image` chooses one of the disks that it may leave. */
  | { readonly kind: 'cut'; readonly image: number }
  /** So many commits that a checkpoint of `cow` begins, and further ones while it runs; the power may be cut at a call. */
  | { readonly kind: 'flood'; readonly seed: number; readonly cut: Cut | undefined };

const key: fc.Arbitrary<Hex> = fc
  .uint8Array({ minLength: 1, maxLength: 3, max: 6 })
  .map((bytes) => Buffer.from(bytes).toString('hex'));
/** Mostly small values; some large enough for their own page, some empty. */
const value: fc.Arbitrary<Hex> = fc.oneof(
  { weight: 6, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 12 }).map(toHex) },
  { weight: 1, arbitrary: fc.constant('') },
  { weight: 2, arbitrary: fc.integer({ min: 500, max: 14_000 }).map((length) => 'a7'.repeat(length)) },
);
const change = fc.record({ key, value: fc.option(value, { nil: undefined, freq: 4 }) });
const batch = fc.record({ changes: fc.array(change, { maxLength: 40 }), durable: fc.boolean() });
const range: fc.Arbitrary<HexRange> = fc.record(
  { gte: key, gt: key, lte: key, lt: key, reverse: fc.boolean(), limit: fc.nat(20) },
  { requiredKeys: [] },
);
const cut = fc.record({ call: fc.nat(90), image: fc.nat() });

/** Steps of one kind, with their weight among the others. */
function of<const Kind extends Step['kind'], Rest extends object>(
  weight: number,
  kind: Kind,
  rest: fc.Arbitrary<Rest>,
) {
  return { weight, arbitrary: rest.map((fields) => ({ kind, ...fields })) };
}

const nothing = fc.constant({});

export const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    of(8, 'commit', fc.record({ batches: fc.array(batch, { minLength: 1, maxLength: 6 }) })),
    of(1, 'clear', fc.record({ range })),
    of(2, 'get', fc.record({ keys: fc.array(key, { maxLength: 8 }) })),
    of(4, 'range', fc.record({ range })),
    of(2, 'hold', fc.record({ reverse: fc.boolean() })),
    of(3, 'readHeld', fc.record({ which: fc.nat(9), range })),
    of(1, 'letGo', fc.record({ which: fc.nat(9) })),
    of(1, 'reopen', nothing),
    of(1, 'compact', nothing),
    of(1, 'verify', nothing),
    of(1, 'backup', nothing),
    of(1, 'kill', nothing),
    of(2, 'cut', fc.record({ image: fc.nat() })),
    of(1, 'flood', fc.record({ seed: fc.nat(), cut: fc.option(cut, { nil: undefined }) })),
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

/** The sorted map; it does not change. Hex text sorts as its bytes do. */
export class Model {
  readonly #entries: ReadonlyMap<Hex, Hex>;

  constructor(entries: ReadonlyMap<Hex, Hex> = new Map()) {
    this.#entries = entries;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The bytes of keys and values. */
  get bytes(): number {
    return [...this.#entries].flat().reduce((sum, { length }) => sum + length / 2, 0);
  }

  after(changes: readonly HexChange[]): Model {
    const next = new Map(this.#entries);
    for (const each of changes) {
      if (each.value === undefined) next.delete(each.key);
      else next.set(each.key, each.value);
    }
    return new Model(new Map([...next].sort(([a], [b]) => (a < b ? -1 : 1))));
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

  shown(hex: HexRange = {}): string {
    return this.keysIn(hex)
      .map((each) => shownEntry(each, this.#entries.get(each)!))
      .join(' ');
  }
}
