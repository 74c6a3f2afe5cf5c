/**
 * Counters and histograms of the storage. Counting costs a few additions; everything else happens at a scrape.
 *
 * - Label values come from the code, never from requests, so their number is bounded.
 */

export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

/** A metric family of `/metrics`. Names end in their base unit, names of counters in `_total`. */
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

/** A histogram with fixed buckets. */
export class Histogram {
  /** Inclusive upper bounds, ascending. */
  readonly bounds: readonly number[];
  /** Observations per bucket, not cumulative; the last element counts those above all bounds. */
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

/** A counter with one label, whose values come from the code. */
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
