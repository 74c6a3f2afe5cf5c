/** Iterators, seeks, `clear` and reads of random entries, compared with a sorted list. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DaybookLevel, DaybookMemoryLevel, type EngineLevel } from '../../src/level.ts';
import { byDepth } from '../support/depth.ts';
import { memoryFolder } from '../support/folders.ts';

const key = fc.string({ unit: fc.constantFrom('\0', 'a', 'b', 'ä', '🙂'), maxLength: 3 });

const bounds = fc.record(
  { gte: key, gt: key, lte: key, lt: key, reverse: fc.boolean(), limit: fc.integer({ min: -1, max: 4 }) },
  { requiredKeys: ['reverse', 'limit'] },
);

const step = fc.oneof(fc.record({ seek: key }), fc.record({ take: fc.integer({ min: 1, max: 3 }) }));

const question = fc.record({
  entries: fc.array(key, { maxLength: 12 }),
  bounds,
  steps: fc.array(step, { maxLength: 8 }),
});

type Question = typeof question extends fc.Arbitrary<infer Value> ? Value : never;
type Bounds = Question['bounds'];
type Entries = readonly (readonly [string, string])[];

async function answers(
  db: EngineLevel<string, string>,
  { entries, bounds, steps }: Question,
): Promise<readonly unknown[]> {
  await db.clear();
  await db.batch(entries.map((each, index) => ({ type: 'put', key: each, value: String(index) })));
  const found: unknown[] = [await db.getMany([...entries, 'absent']), await db.hasMany([...entries, 'absent'])];
  const iterator = db.iterator(bounds);
  for (const each of steps) {
    if ('seek' in each) iterator.seek(each.seek);
    else found.push(each.take === 1 ? [await iterator.next()] : await iterator.nextv(each.take));
  }
  found.push(await iterator.all());
  await db.clear(bounds);
  return [...found, await db.iterator().all()];
}

const before = (a: string, b: string): boolean => Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0;

/** An inclusive bound goes before an exclusive one. */
function isWithin(each: string, { gte, gt, lte, lt }: Bounds): boolean {
  const isAfterStart = gte !== undefined ? !before(each, gte) : gt === undefined || before(gt, each);
  const isBeforeEnd = lte !== undefined ? !before(lte, each) : lt === undefined || before(each, lt);
  return isAfterStart && isBeforeEnd;
}

function expected({ entries, bounds, steps }: Question): readonly unknown[] {
  const { reverse, limit } = bounds;
  const values = new Map(entries.map((each, index) => [each, String(index)]));
  const sorted: Entries = [...values].sort(([a], [b]) => (before(a, b) ? -1 : 1));
  const within = sorted.filter(([each]) => isWithin(each, bounds));
  const list = reverse ? within.reverse() : within;
  const found: unknown[] = [
    [...entries.map((each) => values.get(each)), undefined],
    [...entries.map(() => true), false],
  ];
  let left = limit < 0 ? Number.POSITIVE_INFINITY : limit;
  let rest = list;
  const take = (count: number): Entries => {
    const taken = rest.slice(0, Math.min(count, left));
    rest = rest.slice(taken.length);
    left -= taken.length;
    return taken;
  };
  for (const each of steps) {
    if ('seek' in each) {
      const from = list.findIndex(([at]) => (reverse ? !before(each.seek, at) : !before(at, each.seek)));
      rest = isWithin(each.seek, bounds) && from >= 0 ? list.slice(from) : [];
    } else if (each.take === 1) found.push([take(1)[0]]);
    else found.push(take(each.take));
  }
  found.push(take(Number.POSITIVE_INFINITY));
  const cleared = new Set((limit < 0 ? list : list.slice(0, limit)).map(([each]) => each));
  return [...found, sorted.filter(([each]) => !cleared.has(each))];
}

it.each(['memory', 'cow', 'lsm', 'embedded_kv'] as const)('%s answers as the list does', async (engine) => {
  const location = memoryFolder('level');
  await using db = engine === 'memory' ? new DaybookMemoryLevel() : new DaybookLevel(location, { engine });
  await fc.assert(
    fc.asyncProperty(question, async (each) => {
      expect(await answers(db, each)).toEqual(expected(each));
    }),
    { numRuns: byDepth({ sample: 30, dense: 150 }) },
  );
});
