/**
 * Allocation of the page file's units: a bitmap of units in use, and the free runs found in it when a checkpoint
 * begins.
 *
 * - Units are allocated only during a checkpoint and freed only between checkpoints.
 */
import { META_PAGES, type Reference, unitsOf } from './format.ts';

const GROWTH_BYTES = 4096;

/** The units of the page file that are in use, and those that are free. */
export class UnitAllocator {
  /** One bit per unit, set while the unit is in use. */
  #bits: Uint8Array;
  /** Number of units of the file; units beyond it are free. */
  length: number;
  /** Number of units in use, including the meta pages. */
  used: number;
  /** false after a checkpoint that failed: units that it took for pages that it did not write belong to no page. */
  isExact = true;
  #runs: { start: number; length: number }[] = [];
  /** By size: the index of the first run that may be long enough. Runs only shrink, so these only grow. */
  readonly #from = new Map<number, number>();

  constructor(bits: Uint8Array, length: number) {
    this.#bits = bits;
    this.length = length;
    this.used = 0;
    for (let unit = 0; unit < length; unit += 1) if (this.isUsed(unit)) this.used += 1;
  }

  /** The allocator of a new file: only the meta pages are in use. */
  static fresh(): UnitAllocator {
    const units = new UnitAllocator(new Uint8Array(GROWTH_BYTES), META_PAGES);
    units.#mark(0, META_PAGES, true);
    return units;
  }

  /** Bytes of the bitmap for a file of this many units. */
  static mapBytes(units: number): number {
    return Math.ceil(units / 8);
  }

  isUsed(unit: number): boolean {
    return unit < this.length && (this.#bits[unit >> 3]! & (1 << (unit & 7))) !== 0;
  }

  /** Rebuilds the list of free runs: units freed before this call can be taken after it. */
  findRuns(): void {
    this.#runs = [];
    this.#from.clear();
    for (let unit = META_PAGES; unit < this.length; unit += 1) {
      if ((unit & 7) === 0 && this.#bits[unit >> 3] === 255) unit += 7;
      else if (!this.isUsed(unit)) this.#addToRuns(unit);
    }
  }

  /** Allocates `count` adjacent units and returns the first. The file grows when no free run is long enough. */
  take(count: number): number {
    let at = this.#from.get(count) ?? 0;
    while (at < this.#runs.length && this.#runs[at]!.length < count) at += 1;
    this.#from.set(count, at);
    const run = this.#runs[at];
    const unit = run === undefined ? this.length : run.start;
    if (run === undefined) this.length += count;
    else {
      run.start += count;
      run.length -= count;
    }
    this.#mark(unit, count, true);
    return unit;
  }

  free(page: Reference): void {
    this.#mark(page.unit, unitsOf(page.length), false);
  }

  /** The bitmap of the units in use, without those of `pages`. */
  mapWithout(pages: Iterable<Reference>): Uint8Array {
    const copy = new UnitAllocator(this.#bits.slice(0, UnitAllocator.mapBytes(this.length)), this.length);
    for (const page of pages) copy.free(page);
    return copy.#bits;
  }

  #addToRuns(unit: number): void {
    const last = this.#runs.at(-1);
    if (last !== undefined && last.start + last.length === unit) last.length += 1;
    else this.#runs.push({ start: unit, length: 1 });
  }

  #mark(unit: number, count: number, used: boolean): void {
    const bytes = UnitAllocator.mapBytes(unit + count);
    if (bytes > this.#bits.length) {
      const grown = new Uint8Array(bytes + GROWTH_BYTES);
      grown.set(this.#bits);
      this.#bits = grown;
    }
    for (let at = unit; at < unit + count; at += 1) {
      const bit = 1 << (at & 7);
      if (used !== ((this.#bits[at >> 3]! & bit) !== 0)) this.used += used ? 1 : -1;
      this.#bits[at >> 3] = used ? this.#bits[at >> 3]! | bit : this.#bits[at >> 3]! & ~bit;
    }
  }
}
