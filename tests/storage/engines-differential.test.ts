/** All engines run the same random steps, with reopens, and must agree with the in-memory engine after every step. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openBackend } from '../../src/storage/backends.ts';
import type { Change, KeyValueEngine, RangeOptions, Reader } from '../../src/storage/engine.ts';
import { DISK_BACKENDS } from '../../src/storage/marker.ts';
import { openMemoryEngine } from '../../src/storage/memory-engine.ts';
import { byDepth } from '../support/depth.ts';
import { memoryFolder } from '../support/folders.ts';

const RUNS = byDepth({ sample: 4, dense: 12, long: 300 });

const key = fc.uint8Array({ minLength: 1, maxLength: 3, max: 5 });
const value = fc.oneof(fc.uint8Array({ maxLength: 8 }), fc.constant(new Uint8Array(5_000).fill(7)));
const change = fc.record({ key, value: fc.option(value, { nil: undefined }) });
const range = fc.record(
  { gte: key, gt: key, lte: key, lt: key, reverse: fc.boolean(), limit: fc.nat(20) },
  { requiredKeys: [] },
);
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('commit' as const),
      batch: fc.array(change, { maxLength: 30 }),
      durable: fc.boolean(),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('range' as const), options: range }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('snapshot' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('compact' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reopen' as const) }) },
);

it('all engines agree', { timeout: RUNS * 10_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const root = memoryFolder('differential');
      try {
        const reference = await run(steps, async () => openMemoryEngine(), { isKept: false });
        for (const backend of DISK_BACKENDS) {
          const directory = join(root, backend);
          mkdirSync(directory);
          const found = await run(steps, () => openBackend(backend, { directory, config: {} }), { isKept: true });
          expect(found, backend).toEqual(reference);
        }
      } finally {
        rmSync(root, { recursive: true, force: true });
      }
    }),
    { numRuns: RUNS },
  );
});

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** Everything readable after each step. */
async function run(
  steps: readonly Step[],
  open: () => Promise<KeyValueEngine>,
  { isKept }: { readonly isKept: boolean },
): Promise<string[]> {
  const said: string[] = [];
  let engine = await open();
  let snapshot: ReturnType<KeyValueEngine['snapshot']> | undefined;
  for (const step of steps) {
    if (step.kind === 'commit') await engine.commit(step.batch as Change[], { durable: step.durable });
    if (step.kind === 'range') said.push(read(engine, step.options as RangeOptions));
    if (step.kind === 'compact') await engine.compact();
    if (step.kind === 'snapshot') {
      snapshot?.release();
      snapshot = engine.snapshot();
    }
    if (step.kind === 'reopen') {
      snapshot?.release();
      snapshot = undefined;
      if (isKept) {
        await engine.close();
        engine = await open();
      }
    }
    if (snapshot !== undefined) said.push(read(snapshot, {}));
  }
  said.push(read(engine, {}), read(engine, { reverse: true }));
  expect(await engine.verify()).toEqual([]);
  snapshot?.release();
  await engine.close();
  return said;
}

function read(reader: Reader, options: RangeOptions): string {
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
  return [...reader.range(options)]
    .map((entry) => {
      expect(hex(reader.get(entry.key)!)).toBe(hex(entry.value));
      return `${hex(entry.key)}=${entry.value.length > 8 ? entry.value.length : hex(entry.value)}`;
    })
    .join(' ');
}
