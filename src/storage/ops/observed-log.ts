/**
 * A decorator of the event log that measures latencies.
 *
 * - It costs two clock readings per append or read. A read is measured until its first event.
 * - It returns the log's own promises and events, and adds no turn of the event loop.
 */
import type { StoredEventLog } from '../log/event-log.ts';
import type { Histogram } from './meters.ts';
import type { Metrics } from './metrics.ts';

/** The same log, with appends and reads recorded in `metrics`. */
export function observeLog(log: StoredEventLog, metrics: Metrics): StoredEventLog {
  const observed = new Observer(metrics);
  return {
    append: (batch, options) => observed.write(() => log.append(batch, options)),
    copy: (records) => observed.write(() => log.copy(records)),
    erase: (positions) => observed.write(() => log.erase(positions)),
    readAll: (options) => observed.reads(log.readAll(options)),
    readRaw: (options) => observed.reads(log.readRaw(options)),
    readStream: (stream, options) => observed.reads(log.readStream(stream, options)),
    placesOf: (category) => observed.reads(log.placesOf(category)),
    at: (position) => observed.read(() => log.at(position)),
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

class Observer {
  readonly #metrics: Metrics;

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
  }

  /** Records the duration of a write and returns its promise unchanged. */
  write<Result>(write: () => Promise<Result>): Promise<Result> {
    const started = performance.now();
    const result = write();
    const record = (): void => recordSince(this.#metrics.write, started);
    result.then(record, (error: unknown) => {
      this.#metrics.failed('append', error);
      record();
    });
    return result;
  }

  read<Result>(read: () => Result): Result {
    const started = performance.now();
    try {
      return read();
    } catch (error) {
      this.#metrics.failed('read', error);
      throw error;
    } finally {
      recordSince(this.#metrics.read, started);
    }
  }

  /** Items of a read, whose first one is measured. */
  *reads<Item>(items: IterableIterator<Item>): IterableIterator<Item> {
    const first = this.read(() => items.next());
    if (first.done) return;
    try {
      yield first.value;
      yield* items;
    } catch (error) {
      this.#metrics.failed('read', error);
      throw error;
    } finally {
      items.return?.();
    }
  }
}

function recordSince(histogram: Histogram, started: number): void {
  histogram.observe((performance.now() - started) / 1000);
}
