/**
 * The versions of the tree: its epochs, the readers of earlier states, and the pages that wait to be freed.
 *
 * - An *epoch* ends when a reader (snapshot, iterator, checkpoint) acquires the state. Nodes of earlier epochs are not
 *   changed in place while a reader needs them, so a reader sees one state.
 * - Every page that a change replaces is recorded with the epoch of the change: readers of earlier epochs may need it.
 */
import type { NodeRef } from './branch.ts';
import type { Reference } from './format.ts';

/** A committed state: its root, and figures of its entries. */
export interface TreeState {
  readonly root: NodeRef;
  readonly keys: number;
  /** Sizes of all keys and values. */
  readonly bytes: number;
}

/** A state acquired for reading: it stays readable until it is released. */
export interface TreeReader extends TreeState {
  readonly epoch: number;
}

/** A page that the newest state does not reach any more. */
export interface FreedPage {
  readonly page: Reference;
  /** Readers of earlier epochs than this may still need it. */
  readonly epoch: number;
}

/** The epochs of one tree, its readers, and the pages that wait to be freed. */
export class Epochs {
  current = 0;
  /** Epoch of the running checkpoint, else -1: nodes that it froze count as dirty until they are written. */
  frozen = -1;
  /** Pages freed since the list was last taken. */
  freed: FreedPage[] = [];
  readonly #readers = new Set<TreeReader>();

  get readerCount(): number {
    return this.#readers.size;
  }

  /** The epoch of the oldest reader, or the current one: no reader needs pages freed up to this epoch. */
  get oldest(): number {
    let oldest = this.current;
    for (const { epoch } of this.#readers) oldest = Math.min(oldest, epoch);
    return oldest;
  }

  /** Acquires the newest state and ends the epoch; `release` must follow. */
  acquire({ root, keys, bytes }: TreeState): TreeReader {
    const reader = { root, keys, bytes, epoch: this.current };
    this.current += 1;
    this.#readers.add(reader);
    return reader;
  }

  release(reader: TreeReader): void {
    this.#readers.delete(reader);
  }

  /** Records a page that the newest state does not reach any more. */
  free(page: Reference): void {
    this.freed.push({ page, epoch: this.current });
  }

  /** Whether no reader needs this version. A checkpoint does not need a version that it has written. */
  isUnread(ref: NodeRef): boolean {
    const { size } = this.#readers;
    return size === 0 || (size === 1 && this.frozen >= 0 && ref.unit !== 0);
  }

  /** Whether only the running checkpoint still needs this version, which it has not written yet. */
  isOnlyFrozen(ref: NodeRef): boolean {
    return ref.unit === 0 && ref.epoch <= this.frozen && this.#readers.size === 1;
  }
}
