/**
 * The event log with its latencies taken down: the same log, a clock beside it.
 *
 * - Costs two clock readings an append or read, and nothing per event: a read is timed until its first event.
 * - Adds no turn of the event loop: writers and readers see the log's own promises and events.
 */
import type { StoredEventLog } from '../log/event-log.ts';
import type { Histogram } from './meters.ts';
import type { Metrics } from './metrics.ts';

export function observeLog(log: StoredEventLog, metrics: Metrics): StoredEventLog {
  function written<Result>(work: () => Promise<Result>): Promise<Result> {
    const started = performance.now();
    const result = work();
    result.then(
      () => took(metrics.write, started),
      (error) => {
        took(metrics.write, started);
        metrics.failed('append', error);
      },
    );
    return result;
  }

  function read<Result>(work: () => Result): Result {
    const started = performance.now();
    try {
      return work();
    } catch (error) {
      metrics.failed('read', error);
      throw error;
    } finally {
      took(metrics.read, started);
    }
  }

  return {
    append: (batch) => written(() => log.append(batch)),
    copy: (records) => written(() => log.copy(records)),
    erase: (positions) => written(() => log.erase(positions)),
    readAll: (options) => new TimedReads(log.readAll(options), read),
    readRaw: (options) => new TimedReads(log.readRaw(options), read),
    readStream: (stream, options) => new TimedReads(log.readStream(stream, options), read),
    at: (position) => read(() => log.at(position)),
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
  readonly #timed: (work: () => IteratorResult<Item>) => IteratorResult<Item>;
  #isFirst = true;

  constructor(
    items: IterableIterator<Item>,
    timed: (work: () => IteratorResult<Item>) => IteratorResult<Item>,
  ) {
    this.#items = items;
    this.#timed = timed;
  }

  next(): IteratorResult<Item> {
    if (!this.#isFirst) return this.#items.next();
    this.#isFirst = false;
    return this.#timed(() => this.#items.next());
  }

  return(value?: unknown): IteratorResult<Item> {
    return this.#items.return?.(value) ?? { done: true, value: undefined };
  }

  [Symbol.iterator](): this {
    return this;
  }
}
