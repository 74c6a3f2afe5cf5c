/**
 * The appends that share one commit: decided in the order of arrival, with the changes that the commit writes.
 *
 * - An append is decided on the state that the accepted appends before it leave; a refused one changes nothing.
 * - Ids are checked before versions: a writer that retries gets its first answer, not a conflict with itself.
 * - The state of the log changes only in `apply`, after the commit has resolved.
 */
import type { Bytes, Change, Reader } from '../engine.ts';
import { valueInvalid } from '../errors.ts';
import type { AppendResult, Fence, RecordedEvent } from '../event-log.ts';
import { frontierHash, GrowingFrontier, type Hash } from '../merkle.ts';
import { checkCopied, intactPlace } from './copied-records.ts';
import { damaged } from './damage.ts';
import { eventKey, HEAD_KEY, idKey, nodeKey, readNumber, tileKey, writeNumber } from './keys.ts';
import { canonicalEvent, type PreparedAppend, type PreparedEvent, type PreparedStream } from './prepare.ts';
import type { Tombstone } from './primary.ts';
import { decodeEvent, encodeHead, leafOf, liveRecord, type RecordPlace, recordedEvent, toHex } from './record.ts';
import type { LogState } from './state.ts';
import { encodeIndexEntry, type StreamIndexEntry } from './stream-index.ts';
import { type PartialTile, TILE_LEVELS } from './tiles.ts';

interface LogParts {
  readonly reader: Reader;
  readonly state: LogState;
  readonly partialTile: PartialTile;
}

/** The appends of one commit, and the changes that they make. */
export class AppendBatch {
  readonly changes: Change[] = [];
  /** The records of the events. */
  readonly records: Bytes[] = [];
  /** The records that replace those of erased payloads. */
  readonly tombstones: Tombstone[] = [];
  readonly fences: Fence[] = [];
  /** Whether an append expects a version that its stream has not reached here. */
  isAheadOfState = false;
  /** When not null, the batch takes no appends: the log follows its primary and reports the progress here. */
  followProgress: ((done: number, total: number) => void) | null = null;
  readonly #reader: Reader;
  readonly #state: LogState;
  readonly #partialTile: PartialTile;
  readonly #versions = new Map<string, number>();
  /** The first `#indexed` events by id. Filled on demand: ids mostly ascend, and then no look-up is needed. */
  readonly #ids = new Map<string, RecordedEvent>();
  #indexed = 0;
  readonly #events: RecordedEvent[] = [];
  readonly #leaves: Hash[] = [];
  readonly #frontier: GrowingFrontier;
  /** The root hash of the frontier; null until it is computed. */
  #tree: Hash | null = null;
  #newestId: string;

  constructor({ reader, state, partialTile }: LogParts) {
    this.#reader = reader;
    this.#state = state;
    this.#partialTile = partialTile;
    this.#frontier = new GrowingFrontier(state.frontier);
    this.#newestId = state.newestId;
  }

  /** The events, in order. Followed records are decoded on first use. */
  get events(): readonly RecordedEvent[] {
    const before = this.#frontier.size - this.records.length;
    for (let at = this.#events.length; at < this.records.length; at += 1) {
      this.#events.push(decodeEvent(this.records[at]!, before + at + 1));
    }
    return this.#events;
  }

  /**
   * Decides one append and adds it when it is accepted. Throws `STORAGE_VALUE_INVALID` for an append whose ids are
   * partly known, repeated, or taken by other events.
   */
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
   * Adds records of another log unchanged, live or erased. They must be intact and continue this log; otherwise throws
   * `STORAGE_VALUE_INVALID` with the first position that does not.
   */
  copy(records: readonly Bytes[]): void {
    const events = records.map((record, index) => checkCopied(record, this.#frontier.size + 1 + index));
    this.#continue(events, records);
    for (const event of events) this.#events.push(event);
  }

  /** Like `copy`, for records of the primary, which has checked their envelopes. */
  follow(records: readonly Bytes[]): void {
    const places = records.map((record, index) => intactPlace(record, this.#frontier.size + 1 + index));
    this.#continue(places, records);
  }

  /** Replaces records of events before this batch. */
  replace(tombstones: readonly Tombstone[]): void {
    for (const tombstone of tombstones) {
      this.changes.push({ key: eventKey(tombstone.position), value: tombstone.record });
      this.tombstones.push(tombstone);
    }
  }

  /** The event of this batch with the id. */
  #findEvent(id: string): RecordedEvent | undefined {
    const { events } = this;
    for (; this.#indexed < events.length; this.#indexed += 1) {
      const event = events[this.#indexed]!;
      this.#ids.set(event.id, event);
    }
    return this.#ids.get(id);
  }

  /** The version of a stream after this batch, undefined when the batch has no event of the stream. */
  versionOf(stream: string): number | undefined {
    return this.#versions.get(stream);
  }

  /** The root hash with the events of the batch. */
  tree(): Hash {
    this.#tree ??= frontierHash(this.#frontier);
    return this.#tree;
  }

  /** Adds the head record and returns all changes to commit, none for an empty batch. Called once, at the end. */
  seal(): readonly Change[] {
    if (this.changes.length === 0) return [];
    const value = encodeHead({ frontier: this.#frontier, newestId: this.#newestId });
    this.changes.push({ key: HEAD_KEY, value });
    return this.changes;
  }

  /** Updates the state of the log, after the commit has resolved. */
  apply(): void {
    this.#state.frontier = this.#frontier.frozen();
    this.#state.tree = this.#tree;
    this.#state.newestId = this.#newestId;
    this.#state.at = this.#lastEvent()?.at ?? this.#state.at;
    for (const [stream, version] of this.#versions) this.#state.versions.set(stream, version);
    this.#partialTile.append(this.#leaves);
  }

  /** Adds records with the places of their events. */
  #continue(places: readonly RecordPlace[], records: readonly Bytes[]): void {
    this.#checkFollows(places);
    const entries: StreamIndexEntry[] = [];
    for (const [index, place] of places.entries()) {
      const record = records[index]!;
      this.#add(place, { record, leaf: new Uint8Array(leafOf(record)) });
      const { stream, version, position } = place;
      this.#versions.set(stream, version);
      const last = entries.at(-1);
      if (last?.stream === stream) entries[entries.length - 1] = { ...last, count: last.count + 1 };
      else entries.push({ stream, version, position, count: 1 });
    }
    this.changes.push(...entries.map(encodeIndexEntry));
  }

  #lastEvent(): RecordedEvent | undefined {
    const last = this.records.at(-1);
    if (last === undefined || this.#events.length === this.records.length) return this.#events.at(-1);
    return decodeEvent(last, this.#frontier.size);
  }

  /** The recorded events when every id is known, undefined when none is. Throws for a mixture. */
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
          throw valueInvalid(`Event id ${id} already belongs to another event, at position ${recorded.position}.`);
        }
        known ??= [];
        known.push(recorded);
      }
    }
    if (known === undefined || fresh === undefined) return known;
    throw valueInvalid(
      `Event ${known[0]!.id} of the append is recorded at position ${known[0]!.position} but ${fresh} is new; ` +
        'an append is retried whole or not at all.',
    );
  }

  #recorded(id: string): RecordedEvent | undefined {
    if (id > this.#newestId) return undefined;
    const pending = this.#findEvent(id);
    if (pending !== undefined) return pending;
    const value = this.#reader.get(idKey(id));
    if (value === undefined) return undefined;
    const position = readNumber(value, 0);
    const record = this.#reader.get(eventKey(position));
    if (record === undefined) throw damaged(`event ${id} is indexed at position ${position}, which is missing`);
    return decodeEvent(record, position);
  }

  /** The version of each stream just before its part of the append is added, or the first conflict. */
  #versionsFor(streams: readonly PreparedStream[]): number[] | AppendResult {
    const grown = streams.length > 1 ? new Map<string, number>() : null;
    let conflict: AppendResult | undefined;
    const versions = streams.map(({ stream, expectedVersion, events }) => {
      const actual = grown?.get(stream) ?? this.#version(stream);
      const wanted = expectedVersion === 'none' ? 0 : expectedVersion;
      if (wanted !== 'any' && wanted !== actual) {
        if (wanted > actual) this.isAheadOfState = true;
        conflict ??= { kind: 'conflict', stream, expected: expectedVersion, actual };
      }
      grown?.set(stream, actual + events.length);
      return actual;
    });
    return conflict ?? versions;
  }

  #version(stream: string): number {
    return this.#versions.get(stream) ?? this.#state.versions.get(stream);
  }

  /** Adds the events to a stream that is at `version`. */
  #accept({ stream, events }: PreparedStream, version: number): RecordedEvent[] {
    if (events.length === 0) return [];
    const entry = { stream, version: version + 1, position: this.#frontier.size + 1, count: events.length };
    const recorded = events.map((event, index) => this.#record(event, { stream, version: entry.version + index }));
    this.changes.push(encodeIndexEntry(entry));
    this.#versions.set(stream, version + events.length);
    return recorded;
  }

  #record(prepared: PreparedEvent, { stream, version }: { stream: string; version: number }): RecordedEvent {
    const position = this.#frontier.size + 1;
    const bytes = liveRecord(canonicalEvent(prepared, position, version));
    const recorded = recordedEvent(prepared.event, { position, stream, version, leafHash: toHex(bytes.leaf) });
    this.#add(recorded, bytes);
    this.#events.push(recorded);
    return recorded;
  }

  /** Adds all that an event writes except its stream index entry. */
  #add({ id, position }: RecordPlace, { record, leaf }: { readonly record: Bytes; readonly leaf: Hash }): void {
    const index = Buffer.allocUnsafe(8);
    writeNumber(index, 0, position);
    this.changes.push({ key: eventKey(position), value: record }, { key: idKey(id), value: index });
    this.#addLeaf(leaf);
    this.records.push(record);
    if (id > this.#newestId) this.#newestId = id;
  }

  /** Checks all copied events before any is added: each version must follow, each id must be new. */
  #checkFollows(places: readonly RecordPlace[]): void {
    const reached = new Map<string, number>();
    const ids = new Set<string>();
    for (const { position, stream, version, id } of places) {
      const before = reached.get(stream) ?? this.#version(stream);
      if (version !== before + 1) {
        throw valueInvalid(
          `The event at position ${position} is version ${version} of ${stream}, which is at ${before}.`,
        );
      }
      reached.set(stream, version);
      checkOnce(ids, id);
      if (this.#recorded(id) !== undefined)
        throw valueInvalid(`The event at position ${position} repeats the id ${id}.`);
    }
  }

  #addLeaf(leaf: Hash): void {
    this.#leaves.push(leaf);
    this.#tree = null;
    this.#frontier.append(leaf, this.#completed);
  }

  readonly #completed = (level: number, index: number, node: Hash): void => {
    if (level % TILE_LEVELS !== 0) return;
    this.changes.push({ key: nodeKey(level / TILE_LEVELS, index), value: node });
    if (level === TILE_LEVELS) {
      this.changes.push({ key: tileKey(index), value: this.#partialTile.completedBy(this.#leaves) });
    }
  };
}

/** Adds the id to those seen; throws when it is one of them. */
function checkOnce(seen: Set<string>, id: string): void {
  if (seen.has(id)) throw valueInvalid(`Event id ${id} stands twice in one append.`);
  seen.add(id);
}
