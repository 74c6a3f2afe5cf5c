/**
 * The tails that readers can follow: the whole log, and the output of every run that somebody watches. Each is made
 * when its first reader comes, fed while it has readers, and dropped when the last one left.
 */
import { isTerminalStatus } from '../projections/run/jobs.ts';
import { newestOutput, output } from '../projections/run/output.ts';
import type { Views } from '../projections/views.ts';
import type { EventLog, RecordedEvent } from '../storage/event-log.ts';
import { envelopeJson } from './envelope.ts';
import type { Feed } from './feed.ts';
import type { ReaderOptions, TailReader } from './reader.ts';
import type { Frame } from './ring.ts';
import { createTail, type Tail } from './tail.ts';

export interface Tails {
  /** The log's envelopes, `id:` = position; never ends by itself. */
  readLog(options: ReaderOptions): TailReader;
  /** A run's AgentEvents, `id:` = their number; ends after the terminal one. */
  readRun(id: string, options: ReaderOptions): TailReader;
  /** How many readers there are. */
  readers(): number;
  /** Ends every reader. */
  close(): void;
}

const RUN_PREFIX = 'run-';

export function createTails({ log, views, feed }: { log: EventLog; views: Views; feed: Feed }): Tails {
  const logTail = createTail((after, limit) => logFrames(log.readAll({ after, limit })), log.head().position);
  const runs = new Map<string, Tail>();

  const subscription = feed.committed$.subscribe((events) => {
    if (logTail.readers > 0) logTail.publish(events.map(logFrame));
    if (runs.size === 0) return;
    for (const id of new Set(events.flatMap(runIdOf))) advance(id);
  });

  function advance(id: string): void {
    const tail = runs.get(id);
    if (tail === undefined) return;
    for (let frames = runPage(id, tail.published, 256); frames.length > 0; frames = runPage(id, tail.published, 256)) {
      tail.publish(frames);
    }
    if (!isTerminalStatus(views, id)) return;
    runs.delete(id);
    tail.end();
  }

  function runPage(id: string, after: number, limit: number): readonly Frame[] {
    return output(views, id, { after, limit }).map(({ seq, json }) => ({ seq, block: `id: ${seq}\ndata: ${json}` }));
  }

  function runTail(id: string): Tail {
    const going = runs.get(id);
    if (going !== undefined) return going;
    for (const [other, tail] of runs) if (tail.readers === 0) runs.delete(other);
    const tail = createTail((after, limit) => runPage(id, after, limit), newestOutput(views, id));
    if (isTerminalStatus(views, id)) tail.end();
    else runs.set(id, tail);
    return tail;
  }

  return {
    readLog: (options) => logTail.read(options),
    readRun: (id, options) => runTail(id).read(options),
    readers: () => logTail.readers + [...runs.values()].reduce((sum, tail) => sum + tail.readers, 0),
    close() {
      subscription.unsubscribe();
      logTail.end();
      for (const tail of runs.values()) tail.end();
      runs.clear();
    },
  };
}

function* logFrames(events: Iterable<RecordedEvent>): Iterable<Frame> {
  for (const event of events) yield logFrame(event);
}

function logFrame(event: RecordedEvent): Frame {
  return { seq: event.position, block: `id: ${event.position}\ndata: ${envelopeJson(event)}` };
}

function runIdOf(event: RecordedEvent): string[] {
  return event.stream.startsWith(RUN_PREFIX) ? [event.stream.slice(RUN_PREFIX.length)] : [];
}
