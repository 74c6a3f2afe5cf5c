/**
 * What has no vector yet: entries as they are written, and everything there is, looked through once.
 *
 * - Texts are read when their turn comes; what waits is ids.
 * - What is erased while its text is being embedded is no longer wanted when the vector arrives.
 */
import { setImmediate as breathe } from 'node:timers/promises';
import type { Vault } from '../../../integrations/vault/text-cipher.ts';
import type { MarkedRef, VectorRef } from '../../../ports/vector-files.ts';
import { drawerRow } from '../../../projections/memory/drawers.ts';
import { memoryRow } from '../../../projections/memory/memories.ts';
import { drawerRefsAfter, memoryRefsAfter } from '../../../projections/memory/vectored.ts';
import type { Views } from '../../../projections/views.ts';
import { drawerWords, memoryWords } from '../../../queries/memory/texts.ts';

/**
 * Texts of one batch, and their characters. A model on this machine works on one thing at a time: the smaller the
 * batch, the shorter a question waits for its turn.
 */
export const BATCH_TEXTS_MAX = 32;
export const BATCH_TEXTS_MAX_HERE = 8;
export const BATCH_CHARACTERS_MAX = 100_000;
/** Of a longer text the beginning is embedded. */
export const TEXT_CHARACTERS_MAX = 8_000;
/** New entries that wait by name; beyond it everything is looked through again. */
const WAITING_MAX = 10_000;
/** Texts no provider takes, remembered until the next start; beyond it they are tried again. */
const REFUSED_MAX = 10_000;
const PAGE_ROWS = 500;

export interface Due extends MarkedRef {
  readonly text: string;
}

export interface Backlog {
  /** An entry that was just written. */
  note(ref: VectorRef): void;
  forget(refs: readonly VectorRef[]): void;
  /** Up to a batch of entries without a vector; empty when there is none. They count as wanted until the next call. */
  next(has: (entry: MarkedRef) => boolean): Promise<readonly Due[]>;
  /** Whether the entry of the batch under way is still there. */
  isWanted(ref: VectorRef): boolean;
  /** The batch under way is due again. */
  giveBack(): void;
  /** No provider takes this text. */
  refuse(ref: VectorRef): void;
  refused(): number;
  /** Everything is looked through again. */
  restart(): void;
}

export interface BacklogParts {
  readonly views: Views;
  /** Views that are being folded anew show less than there is. */
  readonly isReadable: () => boolean;
  readonly vault: () => Vault | null;
  /** Texts of one batch. */
  readonly textsMax: number;
}

export function createBacklog({ views, isReadable, vault, textsMax }: BacklogParts): Backlog {
  const waiting = new Map<string, VectorRef>();
  const refused = new Set<string>();
  let wanted = new Map<string, VectorRef>();
  let sweep = beginning();

  function due({ kind, key }: VectorRef): Due | null {
    if (kind === 'memory') {
      const row = memoryRow(views, key, 0);
      return row === undefined ? null : dueOf({ kind, key }, row.content_key, memoryWords(vault(), row).content);
    }
    const row = drawerRow(views, key);
    if (row?.kind !== 'new') return null;
    return dueOf({ kind, key }, row.content_key, drawerWords(vault(), row).content);
  }

  const note = (ref: VectorRef): void => {
    if (waiting.size < WAITING_MAX) waiting.set(nameOf(ref), ref);
    else sweep = beginning();
  };

  return {
    note,
    forget(refs) {
      for (const ref of refs) {
        waiting.delete(nameOf(ref));
        wanted.delete(nameOf(ref));
        refused.delete(nameOf(ref));
      }
    },
    async next(has) {
      const batch: Due[] = [];
      wanted = new Map();
      let characters = 0;
      /** Whether there was room for it. */
      const take = (ref: VectorRef): boolean => {
        const entry = refused.has(nameOf(ref)) || wanted.has(nameOf(ref)) ? null : due(ref);
        if (entry === null || has(entry)) return true;
        characters += entry.text.length;
        if (batch.length === textsMax || (batch.length > 0 && characters > BATCH_CHARACTERS_MAX)) return false;
        batch.push(entry);
        wanted.set(nameOf(ref), ref);
        return true;
      };
      for (const [name, ref] of waiting) {
        if (!take(ref)) return batch;
        waiting.delete(name);
      }
      while (!sweep.isDone && batch.length < textsMax) {
        if (!isReadable()) {
          sweep = beginning();
          return batch;
        }
        for (const { ref, mark, after } of sweep.page(views)) {
          if (!has({ ...ref, mark }) && !take(ref)) return batch;
          sweep.reached(after);
        }
        await breathe();
      }
      return batch;
    },
    isWanted: (ref) => wanted.has(nameOf(ref)),
    giveBack() {
      for (const ref of wanted.values()) note(ref);
    },
    refuse(ref) {
      if (refused.size < REFUSED_MAX) refused.add(nameOf(ref));
    },
    refused: () => refused.size,
    restart() {
      sweep = beginning();
      refused.clear();
    },
  };
}

function nameOf({ kind, key }: VectorRef): string {
  return `${kind} ${key}`;
}

function dueOf(ref: VectorRef, content_key: string, content: string): Due {
  const text = content.length <= TEXT_CHARACTERS_MAX ? content : content.slice(0, TEXT_CHARACTERS_MAX).toWellFormed();
  return { ...ref, mark: markOf(content_key), text };
}

/** 32 bits of the text's fingerprint: enough to notice that an id has another text than it had. */
function markOf(content_key: string): number {
  return Number.parseInt(content_key.slice(0, 8), 16) >>> 0;
}

interface Swept {
  readonly ref: VectorRef;
  readonly mark: number;
  readonly after: string | number;
}

/** Memories by id, then drawers by position. */
function beginning() {
  let memory = '';
  let drawer = 0;
  let isDrawers = false;
  let isDone = false;
  return {
    get isDone() {
      return isDone;
    },
    page(views: Views): readonly Swept[] {
      if (!isDrawers) {
        const rows = memoryRefsAfter(views, memory, PAGE_ROWS);
        isDrawers = rows.length === 0;
        return rows.map(({ id, content_key }) => swept({ kind: 'memory', key: id }, content_key, id));
      }
      const rows = drawerRefsAfter(views, drawer, PAGE_ROWS);
      isDone = rows.length === 0;
      return rows.map(({ id, content_key, position }) => swept({ kind: 'drawer', key: id }, content_key, position));
    },
    reached(after: string | number): void {
      if (typeof after === 'string') memory = after;
      else drawer = after;
    },
  };
}

function swept(ref: VectorRef, content_key: string, after: string | number): Swept {
  return { ref, mark: markOf(content_key), after };
}
