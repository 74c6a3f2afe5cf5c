/**
 * The newest samples of named numbers, in arrays of a fixed size: the memory is bounded by the number of names times
 * the number of samples times four bytes.
 */

export type Values = Readonly<Record<string, number | null>>;

export interface Series {
  /** Unix milliseconds of the last sample of each point. */
  readonly at: readonly number[];
  /** By name; null where nothing was measured. */
  readonly series: Readonly<Record<string, readonly (number | null)[]>>;
}

export interface SampleRingOptions {
  /** Samples that are kept. */
  readonly size: number;
  /** Names that are kept; further ones are left out. */
  readonly namesMax: number;
  /** Whether a point that stands for several samples has the greatest of their values, not the mean. */
  readonly isPeak: (name: string) => boolean;
}

export class SampleRing {
  readonly #options: SampleRingOptions;
  readonly #at: Float64Array;
  readonly #columns = new Map<string, Float32Array>();
  #count = 0;

  constructor(options: SampleRingOptions) {
    this.#options = options;
    this.#at = new Float64Array(options.size);
  }

  add(at: number, values: Values): void {
    const { size, namesMax } = this.#options;
    const slot = this.#count % size;
    this.#at[slot] = at;
    for (const column of this.#columns.values()) column[slot] = Number.NaN;
    for (const [name, value] of Object.entries(values)) {
      let column = this.#columns.get(name);
      if (column === undefined && this.#columns.size < namesMax) {
        column = new Float32Array(size).fill(Number.NaN);
        this.#columns.set(name, column);
      }
      if (column !== undefined) column[slot] = value ?? Number.NaN;
    }
    this.#count += 1;
  }

  /** The samples since a time, joined to at most `pointsMax` points of equally many samples. */
  since(from: number, pointsMax: number): Series {
    const slots = this.#slotsSince(from);
    const groupSize = Math.max(1, Math.ceil(slots.length / pointsMax));
    const groups = Array.from({ length: Math.ceil(slots.length / groupSize) }, (_, index) =>
      slots.slice(index * groupSize, (index + 1) * groupSize),
    );
    const series = [...this.#columns].map(([name, column]) => {
      const join = this.#options.isPeak(name) ? peak : mean;
      return [name, groups.map((group) => join(group.map((slot) => column[slot]!)))] as const;
    });
    return { at: groups.map((group) => this.#at[group.at(-1)!]!), series: Object.fromEntries(series) };
  }

  /** In ascending order of time: after the clock was set back, without the samples of the time that came again. */
  #slotsSince(from: number): readonly number[] {
    const { size } = this.#options;
    const kept = Math.min(this.#count, size);
    const newestFirst = Array.from({ length: kept }, (_, index) => (this.#count - 1 - index) % size);
    let next = Number.POSITIVE_INFINITY;
    const slots = newestFirst.filter((slot) => {
      const at = this.#at[slot]!;
      if (at < from || at >= next) return false;
      next = at;
      return true;
    });
    return slots.toReversed();
  }
}

/** Significant digits of returned values: a Float32 has seven. */
const DIGITS = 6;
const rounded = (value: number): number => Number(value.toPrecision(DIGITS));

function measured(values: readonly number[]): readonly number[] {
  return values.filter((value) => !Number.isNaN(value));
}

function mean(values: readonly number[]): number | null {
  const known = measured(values);
  return known.length === 0 ? null : rounded(known.reduce((sum, value) => sum + value, 0) / known.length);
}

function peak(values: readonly number[]): number | null {
  const known = measured(values);
  return known.length === 0 ? null : rounded(Math.max(...known));
}
