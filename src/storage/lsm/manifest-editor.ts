/**
 * Changes the list of tables: writes each change as an edit of the manifest, switches readers, removes files.
 *
 * - One edit at a time, each built on the one before.
 * - Readers switch only after the edit is durable; a file is removed only when, besides, nobody reads it any more.
 * - After `stop` or a failed edit nothing is removed: the manifest on disk may be the old or the new one.
 */
import { StorageError } from '../errors.ts';
import type { Background } from './background.ts';
import { type LevelChange, Levels } from './levels.ts';
import { encodeManifest, type Manifest } from './manifest.ts';
import { Table, type TableHost } from './table.ts';
import type { TableMeta } from './table-writer.ts';

export interface ManifestEdit extends LevelChange {
  /** Where the tables reach afterwards; absent when that stays. */
  readonly lastSequence?: number;
  /** Runs in the turn in which readers switch. */
  readonly onInstalled?: () => void;
}

export interface ManifestEditorParts {
  readonly host: TableHost;
  readonly background: Background;
  /** Called with the first error of an edit. */
  readonly fail: (error: unknown) => void;
}

export class ManifestEditor {
  /** What the last durable edit left: what readers use. */
  levels: Levels;
  readonly #host: TableHost;
  readonly #background: Background;
  readonly #fail: (error: unknown) => void;
  #edit: number;
  #lastSequence: number;
  #nextTableId: number;
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
    this.levels = new Levels(tables, (unused) => this.#letGo(unused));
  }

  /** Everything up to it is in tables. */
  get lastSequence(): number {
    return this.#lastSequence;
  }

  /** The first of `count` table ids nobody else gets. */
  allocateIds(count: number): number {
    const first = this.#nextTableId;
    this.#nextTableId += count;
    return first;
  }

  /** Tables that a merge has written, ready to be named by an edit. */
  tables(metas: readonly TableMeta[]): Table[] {
    return metas.map((meta) => new Table(meta, this.#host));
  }

  /** Resolves when the edit is durable and readers have switched. */
  apply(edit: ManifestEdit): Promise<void> {
    const applied = this.#edits.then(() => this.#apply(edit));
    this.#edits = applied.catch((error: unknown) => {
      this.stop();
      this.#fail(error);
    });
    return applied;
  }

  /** Notes that nothing up to `sequence` is needed from the log. */
  async cover(sequence: number): Promise<void> {
    if (this.#lastSequence < sequence) {
      await this.apply({ remove: [], add: [], lastSequence: sequence });
    }
  }

  /** The manifest of the present state, for a backup. */
  manifest(): Manifest {
    return this.#manifestOf(this.levels, this.#lastSequence);
  }

  /** Resolves when every file that nobody needs is gone; rejects when one could not be removed. */
  async removed(): Promise<void> {
    await this.#removals;
    const error = this.#removalError;
    this.#removalError = null;
    if (error !== null) throw error;
  }

  /** Resolves when no edit and no removal is under way. */
  async settled(): Promise<void> {
    await this.#edits;
    await this.#removals;
  }

  /** From now on files stay. */
  stop(): void {
    this.#isStopped = true;
  }

  async #apply(edit: ManifestEdit): Promise<void> {
    if (this.#isStopped) throw new StorageError('STORAGE_READ_ONLY', 'The list of tables cannot change any more.');
    const next = this.levels.changed(edit);
    const lastSequence = edit.lastSequence ?? this.#lastSequence;
    this.#edit += 1;
    const manifest = encodeManifest(this.#manifestOf(next, lastSequence));
    await this.#background.run({ kind: 'edit', directory: this.#host.directory, manifest });
    const before = this.levels;
    this.levels = next;
    this.#lastSequence = lastSequence;
    edit.onInstalled?.();
    before.unpin();
  }

  #manifestOf(levels: Levels, lastSequence: number): Manifest {
    const metas = levels.tables.map((tables) => tables.map((table) => table.meta));
    return { edit: this.#edit, lastSequence, nextTableId: this.#nextTableId, levels: metas };
  }

  #letGo(tables: readonly Table[]): void {
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
