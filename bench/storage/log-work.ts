/** The workloads of the event log's benchmark: durable appends, then reads of everything that was appended. */
import type { StoredEventLog } from '../../src/storage/log/event-log.ts';
import { randomNumbers } from './data.ts';
import type { EventTable } from './event-table.ts';
import { EVENT_BYTES, type EventSize, eventOf, STREAM_EVENTS, streamName } from './events.ts';
import { IN_FLIGHT, type LogPlan, type LogResult } from './plan.ts';
import { measure, measureBare, timing } from './timing.ts';

/** Events per append while the log is filled. */
const FILL_EVENTS = 10;
/** Events read between two checks of the clock. */
const READ_STRIDE = 1_000;

interface LogWork {
  readonly measures: LogResult['measures'];
  readonly events: number;
}

export async function workOnLog(plan: LogPlan, log: StoredEventLog): Promise<LogWork> {
  const measures: LogResult['measures'] = {};
  const given = timing(plan.scale, { stride: 1, profile: plan.profile });
  const together = { ...given, inFlight: IN_FLIGHT, roundMs: plan.scale.putRoundMs };
  const appendTo = (prefix: string, size: EventSize) => async (index: number) => {
    // A writer uses one stream until it has a hundred events; concurrent writers use different streams.
    const stream = `${prefix}-${index % IN_FLIGHT}-${Math.floor(index / (IN_FLIGHT * STREAM_EVENTS))}`;
    await log.append([{ stream, expectedVersion: 'any', events: [eventOf(index, size)] }]);
  };
  Object.assign(
    measures,
    await measureBare(plan.directory, { recordBytes: EVENT_BYTES, given: { ...given, profile: false } }),
  );
  measures.appendOne = await measure(appendTo('one', 'usual'), given);
  measures.appendQueued = await measure(appendTo('many', 'usual'), together);
  measures.appendQueuedLarge = await measure(appendTo('large', 'large'), together);
  const streams = await fill(plan, log);
  const next = randomNumbers(streams);
  const readStream = (): void => {
    const count = countOf(log.readStream(streamName(next())));
    if (count !== STREAM_EVENTS) throw new Error(`A stream holds ${count} events.`);
  };
  const weighed = { ...given, stride: 4, weight: STREAM_EVENTS };
  measures.readStream = await measure(readStream, weighed);
  const scans = { ...given, stride: READ_STRIDE, roundMs: plan.scale.putRoundMs };
  measures.readRaw = await measure(
    endless(() => log.readRaw()),
    scans,
  );
  measures.readParsed = await measure(
    endless(() => log.readAll()),
    scans,
  );
  return { measures, events: log.head().position };
}

export async function workOnTable(plan: LogPlan, table: EventTable): Promise<LogWork> {
  const measures: LogResult['measures'] = {};
  const given = timing(plan.scale, { stride: 1, profile: plan.profile });
  measures.appendOne = await measure((index) => table.append(`one-${index % IN_FLIGHT}`, eventOf(index)), given);
  const streams = Math.ceil(plan.scale.events / STREAM_EVENTS);
  for (let stream = 0; stream < streams; stream += 1) {
    table.fill(
      streamName(stream),
      Array.from({ length: STREAM_EVENTS }, (_, at) => eventOf(at)),
    );
  }
  const next = randomNumbers(streams);
  const weighed = { ...given, stride: 4, weight: STREAM_EVENTS };
  measures.readStream = await measure(() => table.readStream(streamName(next())), weighed);
  const scans = { ...given, stride: READ_STRIDE, roundMs: plan.scale.putRoundMs };
  measures.readParsed = await measure(
    endless(() => table.readAll()),
    scans,
  );
  return { measures, events: streams * STREAM_EVENTS };
}

/**
 * Fills the log to its size with many writers, each on its own stream; returns how many streams of a hundred it made.
 */
async function fill(plan: LogPlan, log: StoredEventLog): Promise<number> {
  let streams = 0;
  const write = async (): Promise<void> => {
    while (log.head().position < plan.scale.events || streams < IN_FLIGHT) {
      const stream = streamName(streams);
      streams += 1;
      for (let version = 0; version < STREAM_EVENTS; version += FILL_EVENTS) {
        const events = Array.from({ length: FILL_EVENTS }, (_, at) => eventOf(version + at));
        await log.append([{ stream, expectedVersion: version === 0 ? 'none' : version, events }]);
      }
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, write));
  return streams;
}

function countOf(items: Iterable<unknown>): number {
  let count = 0;
  for (const _ of items) count += 1;
  return count;
}

/** One item per call, starting over at the end. */
function endless(begin: () => IterableIterator<unknown>): () => void {
  let items = begin();
  return () => {
    if (!items.next().done) return;
    items = begin();
    items.next();
  };
}
