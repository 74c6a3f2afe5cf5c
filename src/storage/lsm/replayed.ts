/** Memtables rebuilt from the write-ahead log at open. */
import { Memtable } from './memtable.ts';

/** A memtable that takes no more commits and waits for its flush; its last commit is `lastSequence`. */
export interface Frozen {
  readonly memtable: Memtable;
  readonly lastSequence: number;
}

/** The commits that are in the log but not in tables, in memtables of the configured size. */
export class ReplayedMemtables {
  active = new Memtable();
  /** Newest first. */
  readonly frozen: Frozen[] = [];
  lastSequence: number;
  readonly #bytesMax: number;

  constructor(bytesMax: number, lastSequence: number) {
    this.#bytesMax = bytesMax;
    this.lastSequence = lastSequence;
  }

  apply(sequence: number, payload: Uint8Array): void {
    this.active.apply(sequence, payload);
    this.lastSequence = sequence;
    if (this.active.bytes < this.#bytesMax) return;
    this.frozen.unshift({ memtable: this.active, lastSequence: sequence });
    this.active = new Memtable();
  }
}
