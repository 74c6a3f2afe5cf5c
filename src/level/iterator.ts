/** The iterators and snapshots of abstract-level, on top of an engine. */
import { AbstractIterator, type AbstractLevel, AbstractSnapshot } from 'abstract-level';
import { TimeSlices } from '../lib/slices.ts';
import type { Entry, KeyValueEngine, RangeOptions, Snapshot } from '../storage/engine.ts';
import { type Encoded, type Format, fromStoredKey, fromStoredValue, toStoredKey } from './format.ts';

// biome-ignore lint/suspicious/noExplicitAny: iterators do not depend on the types of keys and values.
export type AnyLevel = AbstractLevel<Encoded, any, any>;

/** The bounds of an iterator or of `clear`, as the private interface of abstract-level has them. */
export interface Bounds {
  readonly gte?: Encoded;
  readonly gt?: Encoded;
  readonly lte?: Encoded;
  readonly lt?: Encoded;
  readonly reverse: boolean;
  /** -1: no limit. */
  readonly limit: number;
  readonly snapshot?: AbstractSnapshot;
}

export interface IteratorOptions extends Bounds {
  readonly keys: boolean;
  readonly values: boolean;
  readonly keyEncoding: Format;
  readonly valueEncoding: Format;
  readonly signal?: AbortSignal;
}

/** An inclusive bound goes before an exclusive one of the same end. */
export function rangeOf({ gte, gt, lte, lt, reverse }: Bounds): RangeOptions {
  return {
    reverse,
    ...(gte !== undefined ? { gte: toStoredKey(gte) } : gt !== undefined && { gt: toStoredKey(gt) }),
    ...(lte !== undefined ? { lte: toStoredKey(lte) } : lt !== undefined && { lt: toStoredKey(lt) }),
  };
}

/** An explicit snapshot, which its owner closes. */
export class EngineSnapshot extends AbstractSnapshot {
  readonly reader: Snapshot;

  constructor(engine: KeyValueEngine, options: { readonly owner: AnyLevel }) {
    const reader = engine.snapshot();
    // @ts-expect-error The package's types leave out that the constructor takes the owner.
    super(options);
    this.reader = reader;
  }

  async _close(): Promise<void> {
    this.reader.release();
  }
}

/** The engine's snapshot of an explicit one, undefined without one. */
export function readerOf(snapshot: AbstractSnapshot | undefined): Snapshot | undefined {
  return snapshot instanceof EngineSnapshot ? snapshot.reader : undefined;
}

class AbortError extends Error {
  readonly code = 'LEVEL_ABORTED';
  override readonly name = 'AbortError';

  constructor() {
    super('The iterator was aborted by its signal.');
  }
}

/**
 * Reads the state at its creation, or that of an explicit snapshot. Entries are read without waiting for a thread;
 * after 5 ms it yields to the event loop.
 */
export class EngineIterator extends AbstractIterator<AnyLevel, Encoded, Encoded> {
  readonly #options: IteratorOptions;
  readonly #reader: Snapshot;
  readonly #isOwn: boolean;
  readonly #slices = new TimeSlices();
  /** The range that is still to be read; null when nothing is. */
  #range: RangeOptions | null;
  /** Opened by the first read, so that a closed snapshot is an error of that read. */
  #entries: IterableIterator<Entry> | null = null;

  constructor(db: AnyLevel, engine: KeyValueEngine, options: IteratorOptions) {
    const explicit = readerOf(options.snapshot);
    const reader = explicit ?? engine.snapshot();
    super(db, options);
    this.#options = options;
    this.#isOwn = explicit === undefined;
    this.#reader = reader;
    this.#range = rangeOf(options);
  }

  async _next(): Promise<[Encoded | undefined, Encoded | undefined] | undefined> {
    const [entry] = await this._nextv(1);
    return entry;
  }

  async _nextv(size: number): Promise<[Encoded | undefined, Encoded | undefined][]> {
    const { keys, values, keyEncoding, valueEncoding, signal } = this.#options;
    // A signal that is aborted in this turn counts, although the entries are at hand.
    if (signal !== undefined) await Promise.resolve();
    const entries: [Encoded | undefined, Encoded | undefined][] = [];
    while (entries.length < size) {
      if (this.#slices.isOver) await this.#slices.next();
      if (signal?.aborted) throw new AbortError();
      const { done, value } = this.#next();
      if (done) break;
      entries.push([
        keys ? fromStoredKey(value.key, keyEncoding) : undefined,
        values ? fromStoredValue(value.value, valueEncoding) : undefined,
      ]);
    }
    return entries;
  }

  /**
   * The next entry is the first one from the target on, in the iterator's direction; none for a target out of range.
   */
  _seek(target: Encoded): void {
    this.#closeEntries();
    const range = rangeOf(this.#options);
    const key = toStoredKey(target);
    if (!isWithin(key, range)) this.#range = null;
    else this.#range = range.reverse ? { ...withoutEnd(range), lte: key } : { ...withoutStart(range), gte: key };
  }

  async _close(): Promise<void> {
    this.#closeEntries();
    if (this.#isOwn) this.#reader.release();
  }

  #next(): IteratorResult<Entry, undefined> {
    if (this.#range === null) return { done: true, value: undefined };
    this.#entries ??= this.#reader.range(this.#range);
    return this.#entries.next();
  }

  #closeEntries(): void {
    this.#entries?.return?.();
    this.#entries = null;
  }
}

function isWithin(key: Uint8Array, { gte, gt, lte, lt }: RangeOptions): boolean {
  if (gte !== undefined && Buffer.compare(key, gte) < 0) return false;
  if (gt !== undefined && Buffer.compare(key, gt) <= 0) return false;
  if (lte !== undefined && Buffer.compare(key, lte) > 0) return false;
  return lt === undefined || Buffer.compare(key, lt) < 0;
}

function withoutStart({ gte: _gte, gt: _gt, ...rest }: RangeOptions): RangeOptions {
  return rest;
}

function withoutEnd({ lte: _lte, lt: _lt, ...rest }: RangeOptions): RangeOptions {
  return rest;
}
