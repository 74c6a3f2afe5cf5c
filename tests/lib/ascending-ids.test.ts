import { expect, test } from 'vitest';
import { ascendingIds } from '../../src/lib/ascending-ids.ts';
import { uuidV7 } from '../../src/storage/uuid.ts';

const AT = Date.UTC(2026, 0, 1);

test('ids of one process ascend, also those of one millisecond', () => {
  const idOf = ascendingIds();
  const ids = [0, 1, 2].flatMap((ms) => [0, 1, 4_095].map((sequence) => idOf(uuidV7(AT + ms, sequence))));
  expect(ids).toEqual(ids.toSorted());
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{16}$/);
});

test('processes whose UUIDs have other random digits generate different ids in the same milliseconds', () => {
  const idsOf = (digits: string): string[] => {
    const idOf = ascendingIds();
    return Array.from({ length: 1_000 }, (_, ms) => idOf(uuidV7(AT + ms, 0).slice(0, 24) + digits));
  };
  const made = new Set(idsOf('3f9a01c27be4'));
  expect(idsOf('04d1c8a6f2b9').filter((id) => made.has(id))).toEqual([]);
});
