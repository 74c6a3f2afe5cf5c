/**
 * The second half of `verify`: runs, ids, tiles and nodes are just those the events ask for, and nothing else is there.
 */
import type { RangeOptions, Reader } from '../engine.ts';
import type { Note } from './damage.ts';
import { TAGS } from './keys.ts';
import { decodeRun, type Run } from './run.ts';
import { TILE_LEAVES } from './tree.ts';
import type { EventCheck } from './verify-events.ts';

export function* checkIndexes(reader: Reader, events: EventCheck, note: Note): Generator<number> {
  yield* checkRuns(reader, events, note);
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

/** Runs come by stream name, then version: each must begin where the one before it ended. */
function* checkRuns(reader: Reader, events: EventCheck, note: Note): Generator<number> {
  const reached = new Map<string, number>();
  let covered = 0;
  for (const entry of reader.range(tagBounds(TAGS.run))) {
    const run = decodeRun(entry);
    const version = reached.get(run.stream) ?? 0;
    if (run.version !== version + 1) note(`a run of ${run.stream} begins at version ${run.version} after ${version}`);
    reached.set(run.stream, run.version + run.count - 1);
    checkRun(run, events, note);
    covered += run.count;
    yield covered;
  }
  for (const [number, stream] of events.streams.entries()) {
    const version = events.versions[number]!;
    if (reached.get(stream) !== version)
      note(`the runs of ${stream} end at ${reached.get(stream) ?? 0}, not ${version}`);
  }
  if (covered !== events.frontier.size) note(`its runs cover ${covered} events of ${events.frontier.size}`);
}

function checkRun({ stream, version, position, count }: Run, events: EventCheck, note: Note): void {
  const end = Math.min(position + count - 1, events.frontier.size);
  for (let at = position; at <= end; at += 1) {
    const isRight =
      events.streams[events.streamOf[at - 1]!] === stream && events.versionOf[at - 1] === version + at - position;
    if (!isRight) note(`a run of ${stream} claims position ${at}, which is another stream's or version's`);
  }
}

function tagBounds(tag: number): RangeOptions {
  return { gte: Buffer.of(tag), lt: Buffer.of(tag + 1) };
}

/** The gaps between the tags, where no record of the log lies. */
function foreignBounds(): RangeOptions[] {
  const tags = Object.values(TAGS).sort((a, b) => a - b);
  const gaps = tags.slice(1).map((tag, index) => ({ gte: Buffer.of(tags[index]! + 1), lt: Buffer.of(tag) }));
  return [{ lt: Buffer.of(tags[0]!) }, ...gaps, { gte: Buffer.of(tags.at(-1)! + 1) }];
}
