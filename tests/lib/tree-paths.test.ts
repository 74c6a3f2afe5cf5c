/** Audit paths computed from tiles, compared with those of the log. */
import { beforeAll, describe, expect, it } from 'vitest';
import { TreePaths } from '../../src/lib/tlog/tree-paths.ts';
import type { EventLog } from '../../src/storage/event-log.ts';
import { openStorage } from '../../src/storage/open.ts';
import { event, to } from '../storage/log-helpers.ts';

const EVENTS = 1_030;
let log: EventLog;

beforeAll(async () => {
  ({ log } = await openStorage({ directory: '', ephemeral: true }));
  await log.append([
    to(
      'stream-1',
      Array.from({ length: EVENTS }, (_, at) => event(at + 1)),
    ),
  ]);
});

/** Every leaf of a tree of up to two tiles; of larger ones every seventh, and those around the ends of tiles and of the tree. */
function isTried(position: number, size: number): boolean {
  return size <= 257 || position % 7 === 0 || (position + 2) % 256 < 5 || position > size - 3;
}

describe('TreePaths', () => {
  it.each([1, 2, 3, 255, 256, 257, 511, 513, 768, 1_000, EVENTS])('of %i leaves are those of the log', (size) => {
    const paths = new TreePaths((range) => log.treeHashes(range), size);
    const positions = Array.from({ length: size }, (_, at) => at + 1).filter((each) => isTried(each, size));
    const found = positions.map((position) =>
      paths
        .path(position - 1)
        .map((hash) => Buffer.from(hash).toString('hex'))
        .join(' '),
    );
    expect(found).toEqual(positions.map((position) => log.inclusionProof(position, size).path.join(' ')));
  });
});
