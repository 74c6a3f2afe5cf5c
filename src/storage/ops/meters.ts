/**
 * The storage's own counters and histograms: a few additions per operation, nothing else until somebody asks.
 *
 * - Label sets are fixed by the code that counts, never by what a caller sends.
 */

export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

/** What `/metrics` shows of one name. Names carry their base unit; a counter's ends in `_total`. */
export type Family =
  | {
      readonly kind: 'counter' | 'gauge';
      readonly name: string;
      readonly help: string;
      readonly samples: readonly Sample[];
    }
  | {
      readonly kind: 'histogram';
      readonly name: string;
      readonly help: string;
      readonly series: readonly { readonly labels: Labels; readonly histogram: Histogram }[];
    };

export class Histogram {
  /** Upper bounds, inclusive, rising; what is beyond the last one counts in `+Inf` only. */
  readonly bounds: readonly number[];
  /** Observations by bound, each in the first bucket that holds it; the last place is beyond all bounds. */
  readonly counts: Float64Array;
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    const { bounds } = this;
    let at = 0;
    while (at < bounds.length && value > bounds[at]!) at += 1;
    this.counts[at]! += 1;
    this.sum += value;
  }

  get count(): number {
    return this.counts.reduce((sum, count) => sum + count, 0);
  }
}

/** Counts by one label whose values the code names. */
export class Tally {
  readonly #counts = new Map<string, number>();

  constructor(values: readonly string[] = []) {
    for (const value of values) this.#counts.set(value, 0);
  }

  add(value: string): void {
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + 1);
  }

  samples(label: string, others: Labels = {}): Sample[] {
    return [...this.#counts].map(([name, value]) => ({ labels: { ...others, [label]: name }, value }));
  }
}
