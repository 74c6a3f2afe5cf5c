/**
 * The entries without a vector: those just written, and those that a scan of the whole store finds; and the vectors
 * without an entry.
 *
 * - The backlog holds ids only; texts are read when their batch is formed.
 * - An entry that is erased while its text is embedded is dropped from the batch under way.
 */
import { ownTurn } from '../../../lib/slices.ts';
import type { TextCipher } from '../../../ports/text-cipher.ts';
import { type MarkedRef, VECTOR_KINDS, type VectorFiles, type VectorRef } from '../../../ports/vector-files.ts';
import { drawerRow } from '../../../projections/memory/drawers.ts';
import { memoryRow } from '../../../projections/memory/memories.ts';
import { drawerRefsAfter, existingKeys, memoryRefsAfter } from '../../../projections/memory/vectored.ts';
import { idOf } from '../../../projections/projection.ts';
import type { Views } from '../../../projections/views.ts';
import { drawerTexts, memoryTexts } from '../../../queries/memory/texts.ts';
import type { RecordedEvent } from '../../../storage/event-log.ts';
import { MEMORY_TEXT_EVENTS } from '../erasure.ts';
import { MEMORY_REMOVALS } from '../text-index.ts';

/**
 * Texts in one batch, and their characters. A model on this machine processes one request at a time: with smaller
 * batches a question waits less.
 */
export const BATCH_TEXTS_MAX = 32;
export const BATCH_TEXTS_MAX_LOCAL = 8;
const BATCH_CHARACTERS_MAX = 100_000;
/** Only this beginning of a longer text is embedded. */
export const TEXT_CHARACTERS_MAX = 8_000;
/** Written entries that are kept by id; when there are more, the whole store is scanned again. */
const WAITING_MAX = 10_000;
/** Refused texts that are remembered until the next start; further ones are retried. */
const REFUSED_MAX = 10_000;
const PAGE_ROWS = 500;

export interface BatchEntry extends MarkedRef {
  readonly text: string;
}

export interface BacklogParts {
  readonly views: Views;
  /** False while the views are rebuilt, because they are incomplete. */
  readonly isReadable: () => boolean;
  readonly cipher: () => TextCipher | null;
  readonly batchTextsMax: number;
}

export class Backlog {
  readonly #parts: BacklogParts;
  readonly #waiting = new Map<string, VectorRef>();
  readonly #refused = new Set<string>();
  #batch = new Map<string, VectorRef>();
  #scan = new Scan();

  constructor(parts: BacklogParts) {
    this.#parts = parts;
  }

  /** Adds a new entry. */
  add(ref: VectorRef): void {
    if (this.#waiting.size < WAITING_MAX) this.#waiting.set(nameOf(ref), ref);
    else this.#scan = new Scan();
  }

  /** Drops erased entries. */
  forget(refs: readonly VectorRef[]): void {
    for (const name of refs.map(nameOf)) {
      this.#waiting.delete(name);
      this.#batch.delete(name);
      this.#refused.delete(name);
    }
  }

  /** The next batch of entries without a vector; empty when every entry has one. */
  async nextBatch(hasVector: (entry: MarkedRef) => boolean): Promise<readonly BatchEntry[]> {
    const batch: BatchEntry[] = [];
    this.#batch = new Map();
    let characters = 0;
    /** Returns false when the batch is full. */
    const take = (ref: VectorRef): boolean => {
      const entry = this.#entryOf(ref);
      if (entry === null || hasVector(entry)) return true;
      characters += entry.text.length;
      if (batch.length === this.#parts.batchTextsMax || (batch.length > 0 && characters > BATCH_CHARACTERS_MAX)) {
        return false;
      }
      batch.push(entry);
      this.#batch.set(nameOf(ref), ref);
      return true;
    };
    for (const [name, ref] of this.#waiting) {
      if (!take(ref)) return batch;
      this.#waiting.delete(name);
    }
    while (!this.#scan.isDone && batch.length < this.#parts.batchTextsMax) {
      if (!this.#parts.isReadable()) {
        this.#scan = new Scan();
        return batch;
      }
      for (const { ref, mark, cursor } of this.#scan.page(this.#parts.views)) {
        if (!hasVector({ ...ref, mark }) && !take(ref)) return batch;
        this.#scan.advance(cursor);
      }
      await ownTurn();
    }
    return batch;
  }

  /** Whether an entry of the current batch still exists. */
  isInBatch(ref: VectorRef): boolean {
    return this.#batch.has(nameOf(ref));
  }

  /** Returns the current batch to the backlog. */
  putBack(): void {
    for (const ref of this.#batch.values()) this.add(ref);
  }

  /** Remembers that the provider refuses this text. */
  refuse(ref: VectorRef): void {
    if (this.#refused.size < REFUSED_MAX) this.#refused.add(nameOf(ref));
  }

  refusedCount(): number {
    return this.#refused.size;
  }

  /** Scans the whole store again, refused texts included. */
  restart(): void {
    this.#scan = new Scan();
    this.#refused.clear();
  }

  #entryOf(ref: VectorRef): BatchEntry | null {
    const { views, cipher } = this.#parts;
    const name = nameOf(ref);
    if (this.#refused.has(name) || this.#batch.has(name)) return null;
    if (ref.kind === 'memory') {
      const row = memoryRow(views, ref.key, 0);
      return row === undefined ? null : batchEntry(ref, row.content_key, memoryTexts(cipher(), row).content);
    }
    const row = drawerRow(views, ref.key);
    return row?.kind === 'new' ? batchEntry(ref, row.content_key, drawerTexts(cipher(), row).content) : null;
  }
}

function nameOf({ kind, key }: VectorRef): string {
  return `${kind} ${key}`;
}

function batchEntry({ kind, key }: VectorRef, content_key: string, content: string): BatchEntry {
  const text = content.length <= TEXT_CHARACTERS_MAX ? content : content.slice(0, TEXT_CHARACTERS_MAX).toWellFormed();
  return { kind, key, mark: markOf(content_key), text };
}

/** 32 bits of the text's fingerprint: they tell whether an id got another text. */
function markOf(content_key: string): number {
  return Number.parseInt(content_key.slice(0, 8), 16) >>> 0;
}

interface ScannedEntry {
  readonly ref: VectorRef;
  readonly mark: number;
  readonly cursor: string | number;
}

/** A pass over the whole store: memories by id, then drawers by position. */
class Scan {
  isDone = false;
  #memoryId = '';
  #drawerPosition = 0;
  #isAtDrawers = false;

  page(views: Views): readonly ScannedEntry[] {
    if (!this.#isAtDrawers) {
      const rows = memoryRefsAfter(views, this.#memoryId, PAGE_ROWS);
      this.#isAtDrawers = rows.length === 0;
      return rows.map(({ id, content_key }) => scanned({ kind: 'memory', key: id }, content_key, id));
    }
    const rows = drawerRefsAfter(views, this.#drawerPosition, PAGE_ROWS);
    this.isDone = rows.length === 0;
    return rows.map(({ id, content_key, position }) => scanned({ kind: 'drawer', key: id }, content_key, position));
  }

  advance(cursor: string | number): void {
    if (typeof cursor === 'string') this.#memoryId = cursor;
    else this.#drawerPosition = cursor;
  }
}

function scanned(ref: VectorRef, content_key: string, cursor: string | number): ScannedEntry {
  return { ref, mark: markOf(content_key), cursor };
}

/** The entries that an event adds or replaces. */
export function writtenBy(event: RecordedEvent): readonly VectorRef[] {
  if (event.erased === true) return [];
  if (MEMORY_TEXT_EVENTS.has(event.type)) return [{ kind: 'memory', key: idOf(event.stream) }];
  if (event.type !== 'DrawerStored' && event.type !== 'DrawerSealed') return [];
  const { id, kind } = event.data as { readonly id: string; readonly kind: string };
  return kind === 'new' ? [{ kind: 'drawer', key: id }] : [];
}

/** The entries that an event removes. */
export function erasedBy(event: RecordedEvent): readonly VectorRef[] {
  if (event.erased === true) return [];
  if (MEMORY_REMOVALS.has(event.type)) return [{ kind: 'memory', key: idOf(event.stream) }];
  if (event.type !== 'DrawerDeleted') return [];
  return [{ kind: 'drawer', key: (event.data as { readonly id: string }).id }];
}

interface StrayParts {
  readonly files: VectorFiles;
  readonly views: Views;
  /** False while the views are rebuilt, because they are incomplete. */
  readonly isReadable: () => boolean;
  readonly pause: () => Promise<void>;
  readonly forget: (refs: readonly VectorRef[]) => void;
}

/** Reads every file, page by page. No event is folded between reading a page and forgetting its strays. */
export async function dropStrays(parts: StrayParts, signal: AbortSignal): Promise<void> {
  const { files, views, isReadable, pause, forget } = parts;
  for (const file of files.list()) {
    for (let after = 0; !signal.aborted; ) {
      if (!isReadable()) {
        await pause();
        continue;
      }
      const page = files.page(file, after);
      if (page.length === 0) break;
      const strays = straysIn(views, page);
      if (strays.length > 0) forget(strays);
      after = page.at(-1)!.id;
      await ownTurn();
    }
  }
}

function straysIn(views: Views, page: readonly VectorRef[]): readonly VectorRef[] {
  return VECTOR_KINDS.flatMap((kind) => {
    const refs = page.filter((ref) => ref.kind === kind);
    const keys = refs.map(({ key }) => key);
    const existing = existingKeys(views, kind, keys);
    return refs.filter(({ key }) => !existing.has(key));
  });
}
