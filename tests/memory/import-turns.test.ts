/** How much of an import, and of a text of many lines, is done in one turn of the event loop. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PLAIN_FINGERPRINTS } from '../../src/commands/memory/fingerprints.ts';
import { SLICE_MS, type Slicing } from '../../src/lib/slices.ts';
import { memoryRow } from '../../src/projections/memory/memories.ts';
import { memory } from '../../src/projections/memory/memory.ts';
import { openViews, type ViewsStore } from '../../src/projections/views.ts';
import { recallLoopOf } from '../../src/queries/memory/loops.ts';
import { type ImportParts, importMemories } from '../../src/reactors/memory/import.ts';
import type { EventLog } from '../../src/storage/event-log.ts';
import { openStorage } from '../../src/storage/open.ts';
import { createCommandHandler } from '../../src/streams/command-handler.ts';
import { steadySystem } from '../support/steady-system.ts';

const OWNER = { actor: 'owner', correlation: null };
/** Pieces of work that fit a slice when each takes a millisecond. */
const PIECES_MAX = SLICE_MS;

let views: ViewsStore;
let log: EventLog;
let parts: ImportParts;
let turns: number;
/** Texts whose fingerprint was taken, by turn. */
let pieces: number[];
/** What others do between two turns. */
let between: () => void;

beforeEach(async () => {
  views = openViews(null);
  views.exec(memory.create);
  ({ log } = await openStorage({ directory: '', ephemeral: true }));
  log.onAppended((events) => {
    for (const event of events) memory.on[event.type]?.(views, event);
  });
  turns = 0;
  pieces = [];
  let clock = 0;
  const turn = async (): Promise<void> => {
    turns += 1;
    between();
  };
  const slicing: Slicing = { now: () => clock, turn };
  between = () => undefined;
  const exact = (text: string): string => {
    clock += 1;
    pieces[turns] = (pieces[turns] ?? 0) + 1;
    return PLAIN_FINGERPRINTS.exact(text);
  };
  const fingerprints = { ...PLAIN_FINGERPRINTS, exact };
  const encryption = { cipher: () => null, fingerprints: () => fingerprints, index: () => views };
  const system = steadySystem();
  parts = {
    ...{ views, encryption, slicing, ids: system.ids, clock: system.clock, wing: () => 'here' },
    ...{ commandHandler: createCommandHandler({ log, ...system }), reservedIds: new Set<string>() },
  };
});

afterEach(() => views.close());

/** A context block showed this memory. */
async function show(...facts: readonly string[]): Promise<void> {
  const content = JSON.stringify(facts.map((fact, at) => ({ content: fact, id: `shown-${at}` })));
  await importMemories(parts, { content, format: 'openmemory' }, OWNER);
  const memory_ids = facts.map((_, at) => `shown-${at}`);
  const data = { via: 'context', memory_ids, drawer_ids: [], fact_ids: [] };
  memory.on.MemoriesRecalled!(views, { type: 'MemoriesRecalled', stream: 'recall-store', data, ...SEEN });
}

const SEEN = { position: 1_000_000, at: 1, actor: 'owner' };

describe('an import', () => {
  it('after a block was shown compares few entries a turn with what was shown, and stores few in one commit', async () => {
    await show('The harbour master feeds his parrot.');
    pieces = [];
    const before = log.head().position;
    const content = JSON.stringify(
      Array.from({ length: 600 }, (_, at) => ({ fact: `Berth ${at} is let to ship ${at}.` })),
    );
    const { imported } = await importMemories(parts, { content, format: 'facts' }, OWNER);
    expect(imported).toBe(600);
    expect(pieces.reduce((sum, count) => sum + (count ?? 0), 0)).toBeGreaterThanOrEqual(600);
    // An entry of one line is looked up whole and by its line.
    expect(Math.max(...pieces.filter((count) => count !== undefined))).toBeLessThanOrEqual(PIECES_MAX + 1);
    const commits = Map.groupBy([...log.readAll({ after: before })], ({ causation }) => causation);
    expect(Math.max(...[...commits.values()].map((events) => events.length))).toBeLessThanOrEqual(40);
  });
});

describe('a text of many lines that were shown', () => {
  const lines = Array.from({ length: 200 }, (_, at) => `Berth ${at} is let to the good ship ${at}.`);

  it('is compared few lines a turn, and recognised', async () => {
    await show(...lines);
    pieces = [];
    const found = await recallLoopOf(parts, lines.join('\n'), 'add');
    expect(found?.loop).toMatchObject({ kind: 'exact', id: 'shown-0' });
    expect(Math.max(...pieces.filter((count) => count !== undefined))).toBeLessThanOrEqual(PIECES_MAX + 1);
  });

  it('is recognised also when the first of its entries is deleted meanwhile', async () => {
    await show(...lines);
    const gone = { type: 'MemoryDeleted', stream: 'memory-shown-0', data: { positions: [] }, ...SEEN };
    between = () => memory.on.MemoryDeleted!(views, gone);
    const found = await recallLoopOf(parts, lines.join('\n'), 'add');
    expect(memoryRow(views, 'shown-0', 0)).toBeUndefined();
    expect(found?.original).toMatchObject({ id: 'shown-0', sector: 'semantic' });
  });
});
