/**
 * A decorator of the event log that measures latencies.
 *
 * - It costs two clock readings per append or read. A read is measured until its first event, so events cost nothing.
 * - It returns the log's own promises and events, and adds no turn of the event loop.
 */
import type { RecordedEvent } from '../event-log.ts';
import type { StoredEventLog } from '../log/event-log.ts';
import type { Histogram } from './meters.ts';
import type { Metrics } from './metrics.ts';

/** The same log, with appends and reads recorded in `metrics`. */
export function observeLog(log: StoredEventLog, metrics: Metrics): StoredEventLog {
  /** Records the duration of a write and returns its promise unchanged. */
  function observeWrite<Result>(write: () => Promise<Result>): Promise<Result> {
    const started = performance.now();
    const result = write();
    result.then(
      () => recordSince(metrics.write, started),
      (error: unknown) => {
        metrics.failed('append', error);
        recordSince(metrics.write, started);
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
      recordSince(metrics.read, started);
    }
  }

  return {
    append: (batch, options) => observeWrite(() => log.append(batch, options)),
    copy: (records) => observeWrite(() => log.copy(records)),
    erase: (positions) => observeWrite(() => log.erase(positions)),
    readAll: (options) => new ObservedReads(log.readAll(options), metrics),
    readRaw: (options) => new ObservedReads(log.readRaw(options), metrics),
    readStream: (stream, options) => new ObservedReads(log.readStream(stream, options), metrics),
    placesOf: (category) => new ObservedReads(log.placesOf(category), metrics),
    at,
    streamVersion: (stream) => log.streamVersion(stream),
    head: () => log.head(),
    treeHash: (size) => log.treeHash(size),
    inclusionProof: (position, size) => log.inclusionProof(position, size),
    consistencyProof: (from, to) => log.consistencyProof(from, to),
    treeHashes: (range) => log.treeHashes(range),
    onAppended: (listener) => log.onAppended(listener),
    verify: (progress) => log.verify(progress),
    get failure() {
      return log.failure;
    },
    close: () => log.close(),
  };
}

function recordSince(histogram: Histogram, started: number): void {
  histogram.observe((performance.now() - started) / 1000);
}

class ObservedReads<Item> implements IterableIterator<Item> {
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
      recordSince(this.#metrics.read, started);
    }
  }
}
