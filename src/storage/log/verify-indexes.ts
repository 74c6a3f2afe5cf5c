/**
 * The second half of `verify`: checks that stream index, ids, tiles and nodes match the events, and that the engine
 * holds no other key.
 */
import type { RangeOptions, Reader } from '../engine.ts';
import type { Note } from './damage.ts';
import { TAGS } from './keys.ts';
import { decodeIndexEntry, type StreamIndexEntry } from './stream-index.ts';
import { TILE_LEAVES } from './tiles.ts';
import type { EventCheck } from './verify-events.ts';

/** Yields a running count of the records checked. */
export function* checkIndexes(reader: Reader, events: EventCheck, note: Note): Generator<number> {
  yield* checkStreamIndex(reader, events, note);
  const size = events.frontier.size;
  const expected = [
    { name: 'ids', tag: TAGS.id, count: size },
    { name: 'tiles', tag: TAGS.tile, count: Math.floor(size / TILE_LEAVES) },
    { name: 'tree nodes', tag: TAGS.node, count: events.nodes },
    { name: 'heads', tag: TAGS.head, count: size === 0 ? 0 : 1 },
  ];
  for (const { name, tag, count } of expected) {
    let found = 0;
    for (const _ of reader.range(tagBounds(tag))) {
      found += 1;
      yield found;
    }
    if (found !== count) note(`it holds ${found} ${name}, expected ${count}`);
  }
  for (const bounds of foreignBounds()) {
    for (const { key } of reader.range({ ...bounds, limit: 1 })) {
      note(`the key ${Buffer.from(key).toString('hex').slice(0, 64)} belongs to no record of it`);
    }
  }
}

/** Entries are ordered by stream name, then version: each must begin where the one before it ended. */
function* checkStreamIndex(reader: Reader, events: EventCheck, note: Note): Generator<number> {
  const reached = new Map<string, number>();
  let covered = 0;
  for (const entry of reader.range(tagBounds(TAGS.streamIndex))) {
    const indexed = decodeIndexEntry(entry);
    const { stream, version, count } = indexed;
    const before = reached.get(stream) ?? 0;
    if (version !== before + 1) note(`an index entry of ${stream} begins at version ${version} after ${before}`);
    reached.set(stream, version + count - 1);
    checkIndexEntry(indexed, events, note);
    covered += count;
    yield covered;
  }
  for (const [number, stream] of events.streams.entries()) {
    const version = events.versions[number]!;
    if (reached.get(stream) !== version)
      note(`the index of ${stream} ends at ${reached.get(stream) ?? 0}, not ${version}`);
  }
  if (covered !== events.frontier.size) note(`its stream index covers ${covered} events of ${events.frontier.size}`);
}

function checkIndexEntry({ stream, version, position, count }: StreamIndexEntry, events: EventCheck, note: Note): void {
  const end = Math.min(position + count - 1, events.frontier.size);
  for (let at = position; at <= end; at += 1) {
    const isRight =
      events.streams[events.streamOf[at - 1]!] === stream && events.versionOf[at - 1] === version + at - position;
    if (!isRight) note(`an index entry of ${stream} claims position ${at}, which belongs to another stream or version`);
  }
}

function tagBounds(tag: number): RangeOptions {
  return { gte: Buffer.of(tag), lt: Buffer.of(tag + 1) };
}

/** The key ranges between the tags: no record of the log lies there. */
function foreignBounds(): RangeOptions[] {
  const tags = Object.values(TAGS).sort((a, b) => a - b);
  const gaps = tags.slice(1).map((tag, index) => ({ gte: Buffer.of(tags[index]! + 1), lt: Buffer.of(tag) }));
  return [{ lt: Buffer.of(tags[0]!) }, ...gaps, { gte: Buffer.of(tags.at(-1)! + 1) }];
}
