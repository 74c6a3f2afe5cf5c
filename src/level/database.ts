/**
 * Databases of abstract-level on the storage engines: in a folder, or in memory.
 *
 * - Batches are atomic. Writes of one turn share a commit's sync.
 * - Iterators read the state at their creation; explicit snapshots stay readable while writes go on.
 */
import { type AbstractDatabaseOptions, AbstractLevel, type AbstractSnapshot } from 'abstract-level';
import type { BackendConfig } from '../storage/backends.ts';
import type { Bytes, Change, KeyValueEngine, Reader } from '../storage/engine.ts';
import { storeClosed } from '../storage/errors.ts';
import type { DiskBackend } from '../storage/marker.ts';
import { openMemoryEngine } from '../storage/memory-engine.ts';
import { type OpenEntries, openEntries } from '../storage/open.ts';
import { type Encoded, type Format, fromStoredValue, toStoredKey, toStoredValue } from './format.ts';
import {
  type AnyLevel,
  type Bounds,
  EngineIterator,
  EngineSnapshot,
  type IteratorOptions,
  rangeOf,
  readerOf,
} from './iterator.ts';

interface ReadOptions {
  readonly valueEncoding: Format;
  readonly snapshot?: AbstractSnapshot;
}

type Operation =
  | { readonly type: 'put'; readonly key: Encoded; readonly value: Encoded }
  | { readonly type: 'del'; readonly key: Encoded };

const CLEAR_KEYS = 1_000;

/** The manifest of every database; abstract-level adds the rest. */
const MANIFEST = {
  encodings: { buffer: true, utf8: true, view: true },
  has: true,
  getSync: true,
  explicitSnapshots: true,
  signals: { iterators: true },
};

/**
 * What both kinds of databases have in common: everything but opening. The methods with an underscore are
 * abstract-level's private interface, which it calls with keys, values and options that it has checked and encoded.
 */
export abstract class EngineLevel<K, V> extends AbstractLevel<Encoded, K, V> {
  readonly #isDurable: boolean;
  #open: OpenEntries | null = null;

  /** @internal */
  constructor(manifest: object, options: AbstractDatabaseOptions<K, V>, isDurable: boolean) {
    super({ ...MANIFEST, ...manifest }, options);
    this.#isDurable = isDurable;
  }

  /**
   * Opens the engine; the options are those of the constructor and of `open`.
   *
   * @internal
   */
  protected abstract openEngine(options: OpenOptions): Promise<OpenEntries>;

  /** @internal */
  async _open(options: OpenOptions): Promise<void> {
    this.#open = await this.openEngine(options);
  }

  /** @internal */
  async _close(): Promise<void> {
    const open = this.#open;
    // After an error the store is closed, too: a second call then closes the database, which can be opened again.
    this.#open = null;
    await open?.close();
  }

  /** @internal */
  async _put(key: Encoded, value: Encoded): Promise<void> {
    await this.#commit([{ key: toStoredKey(key), value: toStoredValue(value) }]);
  }

  /** @internal */
  async _del(key: Encoded): Promise<void> {
    await this.#commit([{ key: toStoredKey(key), value: undefined }]);
  }

  /** @internal */
  async _batch(operations: readonly Operation[]): Promise<void> {
    await this.#commit(
      operations.map((each) => ({
        key: toStoredKey(each.key),
        value: each.type === 'put' ? toStoredValue(each.value) : undefined,
      })),
    );
  }

  /** @internal */
  async _get(key: Encoded, options: ReadOptions): Promise<Encoded | undefined> {
    return this._getSync(key, options);
  }

  /** @internal */
  _getSync(key: Encoded, { valueEncoding, snapshot }: ReadOptions): Encoded | undefined {
    return decoded(this.#reader(snapshot).get(toStoredKey(key)), valueEncoding);
  }

  /** @internal */
  async _getMany(keys: readonly Encoded[], { valueEncoding, snapshot }: ReadOptions): Promise<(Encoded | undefined)[]> {
    const values = await this.#values(keys, snapshot);
    return values.map((value) => decoded(value, valueEncoding));
  }

  /** @internal */
  async _has(key: Encoded, { snapshot }: ReadOptions): Promise<boolean> {
    return this.#reader(snapshot).get(toStoredKey(key)) !== undefined;
  }

  /** @internal */
  async _hasMany(keys: readonly Encoded[], { snapshot }: ReadOptions): Promise<boolean[]> {
    const values = await this.#values(keys, snapshot);
    return values.map((value) => value !== undefined);
  }

  /**
   * Deletes in commits of at most `CLEAR_KEYS` keys.
   *
   * @internal
   */
  async _clear(bounds: Bounds): Promise<void> {
    const explicit = readerOf(bounds.snapshot);
    const reader = explicit ?? this.#engine.snapshot();
    try {
      let changes: Change[] = [];
      for (const { key } of reader.range({ ...rangeOf(bounds), ...(bounds.limit >= 0 && { limit: bounds.limit }) })) {
        changes.push({ key, value: undefined });
        if (changes.length < CLEAR_KEYS) continue;
        await this.#commit(changes);
        changes = [];
      }
      await this.#commit(changes);
    } finally {
      if (explicit === undefined) reader.release();
    }
  }

  /** @internal */
  _iterator(options: IteratorOptions): EngineIterator {
    return new EngineIterator(this, this.#engine, options);
  }

  /** @internal */
  _snapshot(options: { readonly owner: AnyLevel }): EngineSnapshot {
    return new EngineSnapshot(this.#engine, options);
  }

  get #engine(): KeyValueEngine {
    if (this.#open === null) throw storeClosed();
    return this.#open.engine;
  }

  #reader(snapshot: AbstractSnapshot | undefined): Reader {
    return readerOf(snapshot) ?? this.#engine;
  }

  async #values(keys: readonly Encoded[], snapshot: AbstractSnapshot | undefined): Promise<(Bytes | undefined)[]> {
    const stored = keys.map(toStoredKey);
    const reader = readerOf(snapshot);
    return reader === undefined ? this.#engine.getMany(stored) : stored.map((key) => reader.get(key));
  }

  async #commit(changes: readonly Change[]): Promise<void> {
    if (changes.length > 0) await this.#engine.commit(changes, { durable: this.#isDurable });
  }
}

function decoded(value: Bytes | undefined, format: Format): Encoded | undefined {
  return value === undefined ? undefined : fromStoredValue(value, format);
}

interface OpenOptions {
  readonly createIfMissing?: boolean;
  readonly errorIfExists?: boolean;
}

export interface DaybookLevelOptions<K, V> extends AbstractDatabaseOptions<K, V> {
  /** The engine of a new folder; `cow` when left out. An existing folder keeps its engine. */
  readonly engine?: DiskBackend;
  /** Settings of the engines. */
  readonly config?: BackendConfig;
  /**
   * true: a write resolves when it is on the disk. false, the default: it resolves when it is visible and handed to the
   * operating system; after a power cut the last writes may be missing, after the end of the process none.
   */
  readonly sync?: boolean;
}

/**
 * A database in a folder, for one process at a time. Keys hold at most 65 535 bytes, values 64 MiB.
 *
 *     const db = new DaybookLevel('folder', { engine: 'lsm', valueEncoding: 'json' });
 *     await db.put('a', { n: 1 });
 *
 * `open` rejects with `LEVEL_DATABASE_NOT_OPEN`, whose cause is a `StorageError`. Keys and values beyond the limits are
 * `STORAGE_KEY_INVALID` and `STORAGE_VALUE_INVALID`.
 */
export class DaybookLevel<K = string, V = string> extends EngineLevel<K, V> {
  /** The folder. */
  readonly location: string;
  readonly #options: DaybookLevelOptions<K, V>;

  constructor(location: string, options: DaybookLevelOptions<K, V> = {}) {
    if (typeof location !== 'string' || location === '') throw new TypeError('The location must be a folder.');
    const { engine: _engine, config: _config, sync = false, ...forwarded } = options;
    super({ createIfMissing: true, errorIfExists: true }, forwarded, sync);
    this.location = location;
    this.#options = options;
  }

  /** @internal */
  protected openEngine({ createIfMissing = true, errorIfExists = false }: OpenOptions): Promise<OpenEntries> {
    const { engine, config } = this.#options;
    return openEntries({
      directory: this.location,
      createIfMissing,
      errorIfExists,
      ...(engine !== undefined && { backend: engine }),
      ...(config !== undefined && { config }),
    });
  }
}

/** A database in memory, whose entries survive a close and a new open. */
export class DaybookMemoryLevel<K = string, V = string> extends EngineLevel<K, V> {
  readonly #engine = openMemoryEngine();

  constructor(options: AbstractDatabaseOptions<K, V> = {}) {
    super({ permanence: false }, options, false);
  }

  /** @internal */
  protected async openEngine(): Promise<OpenEntries> {
    return { engine: this.#engine, close: async () => undefined };
  }
}
