/**
 * Decides the appends that share one commit, in the order they came, and gathers what that commit writes.
 *
 * - It may be begun while the group before it is in flight, as if that one had landed; it is committed only if it has.
 * - An append is decided on the state the accepted ones before it would leave; a refused one leaves no trace.
 * - Ids come before versions: a writer that retries gets its first answer, not a conflict with itself.
 * - The log's own state is only read here; `apply` writes it once the commit has resolved.
 */
import type { Bytes, Change, Reader } from '../engine.ts';
import { StorageError } from '../errors.ts';
import type { AppendResult, RecordedEvent } from '../event-log.ts';
import { GrowingFrontier, type Hash } from '../merkle.ts';
import { damaged } from './damage.ts';
import { envelopeFault } from './envelope.ts';
import { eventKey, HEAD_KEY, idKey, nodeKey, readNumber, tileKey, writeNumber } from './keys.ts';
import { canonicalEvent, type PreparedAppend, type PreparedEvent, type PreparedStream } from './prepare.ts';
import { decodeEvent, encodeHead, isIntact, leafOf, liveRecord, recordedEvent, toHex } from './record.ts';
import { encodeRun, type Run } from './run.ts';
import type { LogState } from './state.ts';
import { type Tail, TILE_LEAVES, TILE_LEVELS } from './tree.ts';

export class Group {
  readonly changes: Change[] = [];
  readonly events: RecordedEvent[] = [];
  readonly #reader: Reader;
  readonly #state: LogState;
  readonly #tail: Tail;
  readonly #versions = new Map<string, number>();
  /** Of the first so many events: made when it is asked for. Ids mostly ascend, and then nobody asks. */
  readonly #ids = new Map<string, RecordedEvent>();
  #indexed = 0;
  readonly #leaves: Hash[] = [];
  readonly #frontier: GrowingFrontier;
  #newestId: string;
  /** The group in flight, while its outcome is not the state of the log yet. */
  #before: Group | null;
  isApplied = false;

  constructor(
    options: { readonly reader: Reader; readonly state: LogState; readonly tail: Tail },
    before: Group | null,
  ) {
    this.#reader = options.reader;
    this.#state = options.state;
    this.#tail = options.tail;
    this.#before = before;
    this.#frontier = new GrowingFrontier(before === null ? options.state.frontier : before.#frontier);
    this.#newestId = before === null ? options.state.newestId : before.#newestId;
  }

  /** Decides one append; only an accepted one adds to the group. Throws `STORAGE_VALUE_INVALID` for mixed-up ids. */
  decide(append: PreparedAppend): AppendResult {
    const known = this.#knownEvents(append);
    if (known !== undefined) return { kind: 'duplicate', events: known };
    const { streams } = append;
    const versions = this.#versionsFor(streams);
    if (!Array.isArray(versions)) return versions;
    const events = streams.map((stream, index) => this.#accept(stream, versions[index]!));
    return { kind: 'appended', events: events.length === 1 ? events[0]! : events.flat() };
  }

  /**
   * Takes over records of another log as they are, live or erased; they must be intact and continue this one. Throws
   * `STORAGE_VALUE_INVALID` naming the position at which they do not.
   */
  copy(records: readonly Bytes[]): void {
    const events = records.map((record, index) => copied(record, this.#frontier.size + 1 + index));
    this.#checkFollows(events);
    const runs: Run[] = [];
    for (const [index, event] of events.entries()) {
      const record = records[index]!;
      this.#add(event, { record, leaf: Uint8Array.from(leafOf(record)) });
      const { stream, version, position } = event;
      this.#versions.set(stream, version);
      const last = runs.at(-1);
      if (last?.stream === stream) runs[runs.length - 1] = { ...last, count: last.count + 1 };
      else runs.push({ stream, version, position, count: 1 });
    }
    this.changes.push(...runs.map(encodeRun));
  }

  /** The head record goes in last, once, when there is anything to commit. */
  seal(): readonly Change[] {
    if (this.changes.length === 0) return [];
    const value = encodeHead({ frontier: this.#frontier, newestId: this.#newestId });
    this.changes.push({ key: HEAD_KEY, value });
    return this.changes;
  }

  /** Makes the group's outcome the state of the log: its commit has resolved. */
  apply(): void {
    this.#state.frontier = this.#frontier.frozen();
    this.#state.newestId = this.#newestId;
    this.#state.at = this.events.at(-1)?.at ?? this.#state.at;
    for (const [stream, version] of this.#versions) this.#state.versions.set(stream, version);
    this.#tail.grow(this.#leaves);
    this.isApplied = true;
    this.#before = null;
  }

  /** An event of this group. */
  eventWith(id: string): RecordedEvent | undefined {
    for (; this.#indexed < this.events.length; this.#indexed += 1) {
      const event = this.events[this.#indexed]!;
      this.#ids.set(event.id, event);
    }
    return this.#ids.get(id);
  }

  /** What a stream has become by this group, if it has an event of it. */
  versionOf(stream: string): number | undefined {
    return this.#versions.get(stream);
  }

  /** The group before, until the log has it. */
  #pending(): Group | null {
    if (this.#before?.isApplied === true) this.#before = null;
    return this.#before;
  }

  /** The recorded events when every id is known, undefined when none is; a mixture is refused. */
  #knownEvents({ streams, events: count }: PreparedAppend): RecordedEvent[] | undefined {
    const seen = count > 1 ? new Set<string>() : null;
    let known: RecordedEvent[] | undefined;
    let fresh: string | undefined;
    for (const { stream, events } of streams) {
      for (const { event } of events) {
        const { id, type } = event;
        if (seen !== null) checkOnce(seen, id);
        const recorded = this.#recorded(id);
        if (recorded === undefined) {
          fresh = id;
          continue;
        }
        if (recorded.stream !== stream || recorded.type !== type) {
          throw refused(`Event id ${id} already belongs to another event, at position ${recorded.position}.`);
        }
        known ??= [];
        known.push(recorded);
      }
    }
    if (known === undefined || fresh === undefined) return known;
    throw refused(
      `Event ${known[0]!.id} of the append is recorded at position ${known[0]!.position} but ${fresh} is new; ` +
        'an append is retried whole or not at all.',
    );
  }

  #recorded(id: string): RecordedEvent | undefined {
    if (id > this.#newestId) return undefined;
    const pending = this.eventWith(id) ?? this.#pending()?.eventWith(id);
    if (pending !== undefined) return pending;
    const value = this.#reader.get(idKey(id));
    if (value === undefined) return undefined;
    const position = readNumber(value, 0);
    const record = this.#reader.get(eventKey(position));
    if (record === undefined) throw damaged(`event ${id} is indexed at position ${position}, which is missing`);
    return decodeEvent(record, position);
  }

  /** The version each of the streams has when its turn comes, or the conflict. */
  #versionsFor(streams: readonly PreparedStream[]): number[] | AppendResult {
    const grown = streams.length > 1 ? new Map<string, number>() : null;
    let conflict: AppendResult | undefined;
    const versions = streams.map(({ stream, expectedVersion, events }) => {
      const actual = grown?.get(stream) ?? this.#version(stream);
      const wanted = expectedVersion === 'none' ? 0 : expectedVersion;
      if (wanted !== 'any' && wanted !== actual) {
        conflict ??= { kind: 'conflict', stream, expected: expectedVersion, actual };
      }
      grown?.set(stream, actual + events.length);
      return actual;
    });
    return conflict ?? versions;
  }

  #version(stream: string): number {
    const pending = this.#versions.get(stream) ?? this.#pending()?.versionOf(stream);
    return pending ?? this.#state.versions.get(stream);
  }

  /** `version` is that of the stream so far. */
  #accept({ stream, events }: PreparedStream, version: number): RecordedEvent[] {
    if (events.length === 0) return [];
    const run = { stream, version: version + 1, position: this.#frontier.size + 1, count: events.length };
    const recorded = events.map((event, index) => this.#record(event, { stream, version: run.version + index }));
    this.changes.push(encodeRun(run));
    this.#versions.set(stream, version + events.length);
    return recorded;
  }

  #record(prepared: PreparedEvent, { stream, version }: { stream: string; version: number }): RecordedEvent {
    const position = this.#frontier.size + 1;
    const bytes = liveRecord(canonicalEvent(prepared, position, version));
    const recorded = recordedEvent(prepared.event, { position, stream, version, leafHash: toHex(bytes.leaf) });
    this.#add(recorded, bytes);
    return recorded;
  }

  /** Everything an event writes but its run. */
  #add(event: RecordedEvent, { record, leaf }: { readonly record: Bytes; readonly leaf: Hash }): void {
    const { id, position } = event;
    const index = Buffer.allocUnsafe(8);
    writeNumber(index, 0, position);
    this.changes.push({ key: eventKey(position), value: record }, { key: idKey(id), value: index });
    this.#addLeaf(leaf);
    this.events.push(event);
    if (id > this.#newestId) this.#newestId = id;
  }

  /** Every version is the next of its stream and every id is new; nothing is written before all of them are seen. */
  #checkFollows(events: readonly RecordedEvent[]): void {
    const reached = new Map<string, number>();
    const ids = new Set<string>();
    for (const { position, stream, version, id } of events) {
      const before = reached.get(stream) ?? this.#version(stream);
      if (version !== before + 1) {
        throw refused(`The event at position ${position} is version ${version} of ${stream}, which is at ${before}.`);
      }
      reached.set(stream, version);
      checkOnce(ids, id);
      if (this.#recorded(id) !== undefined) throw refused(`The event at position ${position} repeats the id ${id}.`);
    }
  }

  #addLeaf(leaf: Hash): void {
    this.#leaves.push(leaf);
    this.#frontier.append(leaf, this.#completed);
  }

  readonly #completed = (level: number, index: number, node: Hash): void => {
    if (level % TILE_LEVELS !== 0) return;
    this.changes.push({ key: nodeKey(level / TILE_LEVELS, index), value: node });
    if (level === TILE_LEVELS) {
      const before = this.#pending();
      const leaves = before === null ? this.#leaves : [...before.#leaves, ...this.#leaves];
      const value = this.#tail.lastLeaves(leaves, TILE_LEAVES);
      this.changes.push({ key: tileKey(index), value });
    }
  };
}

function refused(what: string): StorageError {
  return new StorageError('STORAGE_VALUE_INVALID', what);
}

function checkOnce(seen: Set<string>, id: string): void {
  if (seen.has(id)) throw refused(`Event id ${id} stands twice in one append.`);
  seen.add(id);
}

/** The event of a record that is to take `position`. */
function copied(record: Bytes, position: number): RecordedEvent {
  try {
    if (!isIntact(record)) throw refused('it does not match its leaf hash.');
    const event = decodeEvent(record, position);
    const fault = envelopeFault(record, event);
    if (fault === undefined) return event;
    throw refused(fault);
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    throw refused(`The event for position ${position} cannot be taken over: ${error.message}`);
  }
}
