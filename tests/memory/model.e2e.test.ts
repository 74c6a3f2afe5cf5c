/**
 * Random sequences of additions, pins, decays, consolidations, facts, drawers, deletions and imports, compared with a
 * model. Then the views are deleted and rebuilt, and must be equal, vectors included.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { movableClock } from '../http/clock.ts';
import { removeFolder, temporaryFolder } from '../support/folders.ts';
import { dumpViews } from './dump.ts';
import { type MemoryClient, memoryDaemon } from './support.ts';

const RUNS = process.env.DAYBOOK_LONG === undefined ? 6 : 200;
/** Before the test is taken for hung; a run takes a fraction of a second. */
const SECONDS_A_RUN_MAX = 10;
const DAY_MS = 86_400_000;

const WORDS = 'amber basket copper dolphin ember falcon garnet harbour island jungle kettle lantern'.split(' ');
const text = fc.array(fc.constantFrom(...WORDS), { minLength: 2, maxLength: 7 }).map((words) => words.join(' '));
const which = fc.nat({ max: 50 });

type Step =
  | { readonly kind: 'add' | 'chunk'; readonly text: string }
  | { readonly kind: 'import'; readonly texts: readonly string[]; readonly salience: number }
  | { readonly kind: 'pin' | 'unpin' | 'delete'; readonly which: number }
  | { readonly kind: 'fact'; readonly subject: string; readonly object: string; readonly from: number }
  | { readonly kind: 'decay' | 'consolidate' | 'context' | 'auto-tunnel' }
  | { readonly kind: 'wait'; readonly days: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constantFrom('add' as const, 'chunk' as const), text }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('import' as const),
      texts: fc.array(text, { maxLength: 4 }),
      salience: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constantFrom('pin' as const, 'unpin' as const, 'delete' as const), which }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('fact' as const),
      subject: fc.constantFrom(...WORDS.slice(0, 3)),
      object: fc.constantFrom(...WORDS),
      from: fc.integer({ min: 1, max: 50 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('decay' as const, 'consolidate' as const, 'context' as const, 'auto-tunnel' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('wait' as const), days: fc.integer({ min: 1, max: 200 }) }) },
);

interface Model {
  /** Id → pinned. */
  readonly memories: Map<string, boolean>;
  facts: { subject: string; object: string; from: number }[];
}

describe('any sequence', () => {
  it(
    `leaves what a model says, and views that a rebuild gives back (${RUNS} sequences)`,
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30 }), async (steps) => {
          const home = temporaryFolder('memory-model');
          const clock = movableClock();
          const daemon = await memoryDaemon({ home, clock: clock.clock });
          const model: Model = { memories: new Map(), facts: [] };
          for (const each of steps) {
            if (each.kind === 'wait') clock.advance(each.days * DAY_MS);
            else await take(daemon, model, each);
          }
          await agree(daemon, model);
          await daemon.stop();
          const before = dumpViews(home);
          for (const suffix of ['', '-wal', '-shm']) rmSync(join(home, `views.db${suffix}`), { force: true });
          const again = await memoryDaemon({ home, clock: clock.clock });
          await agree(again, model);
          await again.stop();
          expect(dumpViews(home)).toEqual(before);
          removeFolder(home);
        }),
        { numRuns: RUNS, endOnFailure: true },
      );
    },
    SECONDS_A_RUN_MAX * RUNS * 1_000,
  );
});

async function take(client: MemoryClient, model: Model, step: Exclude<Step, { kind: 'wait' }>): Promise<void> {
  const { memories } = model;
  switch (step.kind) {
    case 'add': {
      const { status, body } = await client.post('/memory/add', { content: step.text });
      if (status === 201) memories.set(body.id, false);
      return;
    }
    case 'chunk':
      return void (await client.post('/memory/chunk', { content: step.text, source: step.text.slice(0, 3) }));
    case 'import': {
      const entries = step.texts.map((content) => ({ content, salience: step.salience, primary_sector: 'semantic' }));
      const { body } = await client.post('/memory/import', { content: JSON.stringify(entries), format: 'openmemory' });
      expect(body.errors).toEqual([]);
      await learn(client, model, body.imported);
      return;
    }
    case 'pin':
    case 'unpin':
    case 'delete':
      return mark(client, model, step);
    case 'fact': {
      const { subject, object, from } = step;
      const { status } = await client.post('/memory/fact', { subject, predicate: 'is', object, valid_from: from });
      if (status === 201) model.facts.push({ subject, object, from });
      return;
    }
    case 'decay':
    case 'consolidate': {
      const pinned = [...memories].filter(([, isPinned]) => isPinned).map(([id]) => id);
      await client.post(`/memory/${step.kind}`);
      await relearn(client, model, pinned);
      return;
    }
    case 'context':
      return void (await client.post('/memory/context', { query: 'amber' }));
    case 'auto-tunnel':
      return void (await client.post('/memory/auto-tunnel', { threshold: 0.5 }));
  }
}

async function mark(
  client: MemoryClient,
  { memories }: Model,
  { kind, which: number }: Extract<Step, { which: number }>,
): Promise<void> {
  const id = [...memories.keys()][number] ?? 'nobody';
  const before = new Set(memories.keys());
  const { body } = await client.post(`/memory/${kind}`, { id });
  expect(body.ok).toBe(before.has(id));
  if (!before.has(id)) return;
  if (kind !== 'delete') memories.set(id, kind === 'pin');
  // A reflection on a deleted memory goes with it; everything else stays.
  else {
    memories.delete(id);
    const left = await listed(client);
    for (const other of before) if (other !== id && !left.has(other)) memories.delete(other);
  }
}

async function listed(client: MemoryClient): Promise<Map<string, boolean>> {
  const { memories } = (await client.get('/memory/list?limit=10000')).body;
  return new Map(memories.map(({ id, pinned }) => [id, pinned]));
}

/** New memories, as many as were said to be. */
async function learn(client: MemoryClient, { memories }: Model, count: number): Promise<void> {
  const now = await listed(client);
  const fresh = [...now].filter(([id]) => !memories.has(id));
  expect(fresh).toHaveLength(count);
  for (const [id, pinned] of fresh) memories.set(id, pinned);
}

/** After tending only what is pinned is sure to be there. */
async function relearn(client: MemoryClient, { memories }: Model, pinned: readonly string[]): Promise<void> {
  const now = await listed(client);
  for (const id of pinned) expect(now.has(id)).toBe(true);
  memories.clear();
  for (const [id, isPinned] of now) memories.set(id, isPinned);
}

async function agree(client: MemoryClient, { memories, facts }: Model): Promise<void> {
  expect(await listed(client)).toEqual(memories);
  const stats = (await client.get('/memory/stats')).body;
  expect([stats.total_memories, stats.total_facts]).toEqual([memories.size, facts.length]);
  for (const moment of [0, 10, 25, 60]) {
    const held = (await client.get(`/memory/facts?valid_at=${moment}`)).body.facts;
    const seen = held.map(({ subject, object }) => `${subject}=${object}`).sort();
    expect(seen).toEqual(heldAt(facts, moment));
  }
}

function heldAt(facts: Model['facts'], moment: number): readonly string[] {
  const subjects = [...new Set(facts.map(({ subject }) => subject))];
  const held = subjects.flatMap((subject) => {
    const begun = facts.filter((fact) => fact.subject === subject && fact.from <= moment);
    const latest = Math.max(...begun.map(({ from }) => from));
    const winner = begun.findLast(({ from }) => from === latest);
    return winner === undefined ? [] : [`${subject}=${winner.object}`];
  });
  return held.sort();
}
