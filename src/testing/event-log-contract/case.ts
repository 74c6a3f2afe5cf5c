/** The parts of which the cases of the event log's contract are made. */
import { deepEqual, equal, rejects } from 'node:assert/strict';
import type { AppendResult, EventLog, Json, NewEvent, RecordedEvent, StreamAppend } from '../../storage/event-log.ts';

/** An open log, and how to close its handle. */
export interface OpenLog {
  readonly log: EventLog;
  /** Closes the log and its storage. */
  close(): Promise<void>;
}

/** A log whose writer stops in the middle of its work, as after a power cut or a broken connection. */
export interface CrashingLog extends OpenLog {
  /** Whether the crash has happened; a log that needed fewer steps never crashes. */
  readonly isCrashed: boolean;
}

/** Where one case stores its log, initially empty. */
export interface LogPlace {
  /** Opens the log. With the capability `shared` it may be open several times at once. */
  open(): Promise<OpenLog>;
  /** With the capability `crashes`: opens a log that crashes after this number of steps of its store. */
  openCrashing?(steps: number): Promise<CrashingLog>;
  /** Removes the log after the case; every handle is closed by then. */
  remove(): Promise<void>;
}

/** What the log supports beyond the core of the contract. */
export interface LogCapabilities {
  /** The log survives closing its handle; false for a log in memory. */
  readonly persistent?: boolean;
  /** Several handles can be open at once, as in several processes. */
  readonly shared?: boolean;
  /** The place has `openCrashing`. */
  readonly crashes?: boolean;
}

/** The log of a running case. */
export interface Subject {
  readonly log: EventLog;
  readonly place: LogPlace;
  /** Closes the log until `reopen`. */
  close(): Promise<void>;
  /** Closes the log and opens it again; a log that is not persistent stays open. */
  reopen(): Promise<EventLog>;
  /** Opens another handle, which is closed when the case ends. */
  another(): Promise<EventLog>;
}

export interface Case {
  readonly name: string;
  readonly needs?: keyof LogCapabilities;
  readonly run: (subject: Subject) => Promise<void>;
}

/** The n-th event id: valid, and greater than the earlier ones. */
export function idOf(number: number): string {
  return `01900000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;
}

export function event(number: number, data: Json = { number }): NewEvent {
  return {
    id: idOf(number),
    type: 'ThingHappened',
    schema: 1,
    at: 1_700_000_000_000 + number,
    actor: 'owner',
    correlation: null,
    causation: null,
    data,
  };
}

export function to(
  stream: string,
  events: readonly NewEvent[],
  expectedVersion: StreamAppend['expectedVersion'] = 'any',
): StreamAppend {
  return { stream, expectedVersion, events };
}

/** The positions of an append; throws if it was a conflict. */
export function positionsOf(result: AppendResult): number[] {
  if (result.kind === 'conflict') throw new Error(`There is a conflict on ${result.stream} at ${result.actual}.`);
  return result.events.map(({ position }) => position);
}

/** Appends `count` events at once, one by one, spread over three streams. */
export async function fill(log: EventLog, count: number, from = 1): Promise<void> {
  const appends = Array.from({ length: count }, (_, index) =>
    log.append([to(`stream-${index % 3}`, [event(from + index)])]),
  );
  for (const result of await Promise.all(appends)) positionsOf(result);
}

export function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

export function positions(events: Iterable<RecordedEvent>): number[] {
  return [...events].map(({ position }) => position);
}

/** Asserts that an append is rejected as malformed, and that the log did not grow. */
export async function refuses(log: EventLog, batch: readonly StreamAppend[]): Promise<void> {
  const before = log.head();
  await rejects(log.append(batch), { code: 'STORAGE_VALUE_INVALID' });
  deepEqual(log.head(), before);
}

/** Asserts that the log verifies and has no gap in its positions or in the versions of any stream. */
export async function isWhole(log: EventLog): Promise<void> {
  const { ok, errors, head } = await log.verify();
  deepEqual(errors, []);
  equal(ok, true);
  deepEqual(positions(log.readAll()), upTo(head));
  const versions = new Map<string, number>();
  for (const { stream, version } of log.readAll()) {
    equal(version, (versions.get(stream) ?? 0) + 1, `the version that follows in ${stream}`);
    versions.set(stream, version);
  }
  for (const [stream, version] of versions) equal(log.streamVersion(stream), version);
}
