/** Audit paths from tiles, against those of the log. */
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

describe('TreePaths', () => {
  it.each([1, 2, 3, 255, 256, 257, 511, 513, 768, 1_000, EVENTS])('of %i leaves are those of the log', (size) => {
    const paths = new TreePaths((range) => log.treeHashes(range), size);
    for (let position = 1; position <= size; position += 1) {
      const path = paths.path(position - 1).map((hash) => Buffer.from(hash).toString('hex'));
      expect(path).toEqual(log.inclusionProof(position, size).path);
    }
  });
});
