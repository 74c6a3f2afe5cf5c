/**
 * Changes the set of tables: writes each change as an edit of the manifest, switches readers to it, removes files.
 *
 * - Edits run one at a time, each on the result of the one before.
 * - Readers switch after the edit is durable. A file is removed after that, and after its last reader is gone.
 * - After `stop` or a failed edit no file is removed: the manifest on disk may be the old or the new one.
 */
import { StorageError } from '../errors.ts';
import type { Background } from './background.ts';
import { type LevelChange, Levels } from './levels.ts';
import { encodeManifest, type Manifest } from './manifest.ts';
import { Table, type TableHost } from './table.ts';
import type { TableMeta } from './table-writer.ts';

export interface ManifestEdit extends LevelChange {
  /** The new `lastSequence`; absent when it does not change. */
  readonly lastSequence?: number;
  /** Called synchronously when readers switch. */
  readonly onInstalled?: () => void;
}

export interface ManifestEditorParts {
  readonly host: TableHost;
  readonly background: Background;
  /** Called with the error of a failed edit. */
  readonly fail: (error: unknown) => void;
}

/** Changes the set of tables of one store. */
export class ManifestEditor {
  /** The tables after the last durable edit, which readers use. */
  levels: Levels;
  readonly #host: TableHost;
  readonly #background: Background;
  readonly #fail: (error: unknown) => void;
  #edit: number;
  /** The tables contain every commit up to this sequence. */
  #lastSequence: number;
  #nextTableId: number;
  /** Earlier states of the tables that are still read. */
  #earlier = 0;
  #edits: Promise<void> = Promise.resolve();
  #removals: Promise<void> = Promise.resolve();
  #removalError: unknown = null;
  #isStopped = false;

  constructor(parts: ManifestEditorParts, manifest: Manifest) {
    const { host, background, fail } = parts;
    this.#host = host;
    this.#background = background;
    this.#fail = fail;
    this.#edit = manifest.edit;
    this.#lastSequence = manifest.lastSequence;
    this.#nextTableId = manifest.nextTableId;
    const tables = manifest.levels.map((metas) => metas.map((meta) => new Table(meta, host)));
    this.levels = new Levels(tables, (unused) => this.#removeUnused(unused));
  }

  /** Whether tables that an edit has removed are still read, so that their files stay. */
  get isEarlierRead(): boolean {
    return this.#earlier > 0;
  }

  /** Reserves `count` consecutive table ids and returns the first. */
  allocateIds(count: number): number {
    const first = this.#nextTableId;
    this.#nextTableId += count;
    return first;
  }

  /** Table objects for tables that a merge has written. */
  tables(metas: readonly TableMeta[]): Table[] {
    return metas.map((meta) => new Table(meta, this.#host));
  }

  /** Resolves when the edit is durable and readers have switched to it. */
  apply(edit: ManifestEdit): Promise<void> {
    const applied = this.#edits.then(() => this.#apply(edit));
    this.#edits = applied.catch((error: unknown) => {
      this.stop();
      this.#fail(error);
    });
    return applied;
  }

  /** Records in the manifest that commits up to `sequence` are not needed from the log. */
  async cover(sequence: number): Promise<void> {
    if (this.#lastSequence < sequence) {
      await this.apply({ remove: [], add: [], lastSequence: sequence });
    }
  }

  /** The manifest of the current state, for a backup. */
  manifest(): Manifest {
    return this.#manifestOf(this.levels, this.#lastSequence);
  }

  /** Resolves when all unneeded files are removed; rejects when a removal failed. */
  async removed(): Promise<void> {
    await this.#removals;
    const error = this.#removalError;
    this.#removalError = null;
    if (error !== null) throw error;
  }

  /** Resolves when no edit or removal is under way. */
  async settled(): Promise<void> {
    await this.#edits;
    await this.#removals;
  }

  /** Refuses further edits and removals. */
  stop(): void {
    this.#isStopped = true;
  }

  async #apply(edit: ManifestEdit): Promise<void> {
    if (this.#isStopped) throw new StorageError('STORAGE_READ_ONLY', 'The list of tables cannot change any more.');
    const next = this.levels.changed(edit);
    const lastSequence = edit.lastSequence ?? this.#lastSequence;
    this.#edit += 1;
    const manifest = encodeManifest(this.#manifestOf(next, lastSequence));
    try {
      await this.#background.run({ kind: 'edit', directory: this.#host.directory, manifest });
    } catch (error) {
      this.stop();
      this.#leave(next);
      throw error;
    }
    const before = this.levels;
    this.levels = next;
    this.#lastSequence = lastSequence;
    edit.onInstalled?.();
    this.#leave(before);
  }

  /** Ends the use of a state other than the current one; its readers may keep it. */
  #leave(levels: Levels): void {
    this.#earlier += 1;
    levels.unpin();
  }

  #manifestOf(levels: Levels, lastSequence: number): Manifest {
    const metas = levels.tables.map((tables) => tables.map((table) => table.meta));
    return { edit: this.#edit, lastSequence, nextTableId: this.#nextTableId, levels: metas };
  }

  #removeUnused(tables: readonly Table[]): void {
    this.#earlier -= 1;
    for (const table of tables) table.unload();
    this.#host.cache.drop(new Set(tables));
    if (this.#isStopped || tables.length === 0) return;
    const ids = tables.map((table) => table.meta.id);
    const removal = this.#removals.then(() =>
      this.#background.run({ kind: 'remove', directory: this.#host.directory, ids }),
    );
    this.#removals = removal.then(
      () => undefined,
      (error: unknown) => {
        this.#removalError = error;
      },
    );
  }
}
