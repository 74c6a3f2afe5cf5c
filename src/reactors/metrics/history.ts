/** Metrics of the last 24 hours: a sample every ten seconds, in a ring buffer in memory. */
import type { Observable, Subscription } from 'rxjs';
import { SampleRing, type Series, type Values } from '../../lib/sample-ring.ts';
import type { Timers } from '../../lib/timers.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RecordedEvent } from '../../storage/event-log.ts';
import { ProviderMeter } from './provider-meter.ts';

export const SAMPLE_EVERY_MS = 10_000;
export const KEPT_MS = 86_400_000;
/** About 2 MiB when all names are in use. */
const NAMES_MAX = 60;

export interface MetricsHistoryParts {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly appended$: Observable<readonly RecordedEvent[]>;
  /** Metrics of the store and the process since the last call. */
  readonly sample: () => Values;
}

export class MetricsHistory {
  readonly #parts: MetricsHistoryParts;
  readonly #ring = new SampleRing({
    size: KEPT_MS / SAMPLE_EVERY_MS,
    namesMax: NAMES_MAX,
    isPeak: (name) => /_(?:p99|max)$/.test(name),
  });
  readonly #providers = new ProviderMeter();
  #subscription: Subscription | null = null;
  #cancel: (() => void) | null = null;

  constructor(parts: MetricsHistoryParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#subscription = this.#parts.appended$.subscribe((events) => this.#providers.count(events));
    this.#schedule();
  }

  stop(): void {
    this.#subscription?.unsubscribe();
    this.#cancel?.();
  }

  /** The samples since `from` (Unix milliseconds), aggregated to at most `pointsMax` points. */
  since(from: number, pointsMax: number): Series {
    return this.#ring.since(from, pointsMax);
  }

  #schedule(): void {
    this.#cancel = this.#parts.timers.after(SAMPLE_EVERY_MS, () => {
      this.#ring.add(this.#parts.clock.now(), { ...this.#parts.sample(), ...this.#providers.take() });
      this.#schedule();
    });
  }
}
