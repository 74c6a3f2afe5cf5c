/**
 * The event log with its latencies taken down: the same log, a clock beside it.
 *
 * - Costs two clock readings an append or read, and nothing per event: a read is timed until its first event.
 * - Adds no turn of the event loop: writers and readers see the log's own answers and events.
 */
import type { RecordedEvent } from '../event-log.ts';
import type { StoredEventLog } from '../log/event-log.ts';
import type { Histogram } from './meters.ts';
import type { Metrics } from './metrics.ts';

export function observeLog(log: StoredEventLog, metrics: Metrics): StoredEventLog {
  /** Beside the writer, who hears the log's own promise. */
  function written<Result>(result: Promise<Result>, started: number): Promise<Result> {
    result.then(
      () => took(metrics.write, started),
      (error: unknown) => {
        metrics.failed('append', error);
        took(metrics.write, started);
      },
    );
    return result;
  }

  function at(position: number): RecordedEvent | undefined {
    const started = performance.now();
    try {
      return log.at(position);
    } catch (error) {
      metrics.failed('read', error);
      throw error;
    } finally {
      took(metrics.read, started);
    }
  }

  return {
    append(batch) {
      const started = performance.now();
      return written(log.append(batch), started);
    },
    copy(records) {
      const started = performance.now();
      return written(log.copy(records), started);
    },
    erase(positions) {
      const started = performance.now();
      return written(log.erase(positions), started);
    },
    readAll: (options) => new TimedReads(log.readAll(options), metrics),
    readRaw: (options) => new TimedReads(log.readRaw(options), metrics),
    readStream: (stream, options) => new TimedReads(log.readStream(stream, options), metrics),
    at,
    streamVersion: (stream) => log.streamVersion(stream),
    head: () => log.head(),
    treeHash: (size) => log.treeHash(size),
    inclusionProof: (position, size) => log.inclusionProof(position, size),
    consistencyProof: (from, to) => log.consistencyProof(from, to),
    onAppended: (listener) => log.onAppended(listener),
    verify: (progress) => log.verify(progress),
    get failure() {
      return log.failure;
    },
    close: () => log.close(),
  };
}

function took(histogram: Histogram, started: number): void {
  histogram.observe((performance.now() - started) / 1000);
}

class TimedReads<Item> implements IterableIterator<Item> {
  readonly #items: IterableIterator<Item>;
  readonly #metrics: Metrics;
  #isFirst = true;

  constructor(items: IterableIterator<Item>, metrics: Metrics) {
    this.#items = items;
    this.#metrics = metrics;
  }

  next(): IteratorResult<Item> {
    try {
      if (!this.#isFirst) return this.#items.next();
      return this.#first();
    } catch (error) {
      this.#metrics.failed('read', error);
      throw error;
    }
  }

  return(value?: unknown): IteratorResult<Item> {
    return this.#items.return?.(value) ?? { done: true, value: undefined };
  }

  [Symbol.iterator](): this {
    return this;
  }

  #first(): IteratorResult<Item> {
    this.#isFirst = false;
    const started = performance.now();
    try {
      return this.#items.next();
    } finally {
      took(this.#metrics.read, started);
    }
  }
}
