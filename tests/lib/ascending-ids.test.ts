import { expect, test } from 'vitest';
import { ascendingIds } from '../../src/lib/ascending-ids.ts';
import { uuidV7 } from '../../src/storage/uuid.ts';

const AT = Date.UTC(2026, 0, 1);

test('ids of one process ascend, also those of one millisecond', () => {
  const idOf = ascendingIds(() => 'salt');
  const ids = [0, 1, 2].flatMap((ms) => [0, 1, 4_095].map((sequence) => idOf(uuidV7(AT + ms, sequence))));
  expect(ids).toEqual(ids.toSorted());
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{16}$/);
});

test('two processes generate different ids in the same milliseconds', () => {
  const [a, b] = [ascendingIds(() => 'a'), ascendingIds(() => 'b')];
  const uuids = Array.from({ length: 1_000 }, (_, ms) => uuidV7(AT + ms, 0));
  const made = new Set(uuids.map(a));
  expect(uuids.map(b).filter((id) => made.has(id))).toEqual([]);
});
