/**
 * Encryption of stored facts and texts that a crash interrupts between any two writes: the log alone still has every
 * one of them, and the next start completes the work.
 */
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { drawer } from '../../src/commands/memory/drawer.ts';
import { fact } from '../../src/commands/memory/fact.ts';
import { fingerprintsBy, PLAIN_FINGERPRINTS } from '../../src/commands/memory/fingerprints.ts';
import { RECALL_STREAM_ID, recalled } from '../../src/commands/memory/recalled.ts';
import type { Place } from '../../src/events/memory/drawers.ts';
import { textCiphers } from '../../src/integrations/vault/text-cipher.ts';
import { createReadWriteLock } from '../../src/lib/read-write-lock.ts';
import type { DrawerRow } from '../../src/projections/memory/drawers.ts';
import { memory } from '../../src/projections/memory/memory.ts';
import { MEMORY_TABLES } from '../../src/projections/memory/tables.ts';
import { searchTexts } from '../../src/projections/recall/recall.ts';
import { openViews, type ViewsStore } from '../../src/projections/views.ts';
import { factBody, factKey, listFacts } from '../../src/queries/memory/facts.ts';
import { drawerTexts } from '../../src/queries/memory/texts.ts';
import { deleteEntry } from '../../src/reactors/memory/deletion.ts';
import { DrawerIntake } from '../../src/reactors/memory/drawer-intake.ts';
import { eraseDue } from '../../src/reactors/memory/erasure.ts';
import { recordRecall } from '../../src/reactors/memory/recall-log.ts';
import { type SealingParts, sealEverything } from '../../src/reactors/memory/sealing.ts';
import { buildIndex, openSealedIndex, updateIndex } from '../../src/reactors/memory/text-index.ts';
import type { EventLog } from '../../src/storage/event-log.ts';
import { openStorage } from '../../src/storage/open.ts';
import { batchCommand, createCommandHandler } from '../../src/streams/command-handler.ts';
import { byDepth, firstRows, IS_DENSE } from '../support/depth.ts';
import { steadySystem } from '../support/steady-system.ts';

const SYSTEM = steadySystem();
const OWNER = { actor: 'owner', correlation: null };
const PLAIN = { cipher: () => null, fingerprints: () => PLAIN_FINGERPRINTS };
const CIPHER = textCiphers.withKey(Buffer.alloc(32, 7));
const SEALED = { cipher: () => CIPHER, fingerprints: () => fingerprintsBy(CIPHER) };

/** Views that hold what the log holds, as after a start without `views.db`. */
function viewsOf(log: EventLog, { areFollowing = true } = {}): ViewsStore {
  const views = openViews(null);
  onTestFinished(() => views.close());
  views.exec(memory.create);
  for (const event of log.readAll()) if (event.erased !== true) memory.on[event.type]?.(views, event);
  if (!areFollowing) return views;
  log.onAppended((events) => {
    for (const event of events) memory.on[event.type]?.(views, event);
  });
  return views;
}

/** A log that fails like a killed process: nothing is written after `writes` commits and erasures. */
function killedAfter(log: EventLog, writes: number): EventLog {
  let left = writes;
  return new Proxy(log, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (name !== 'append' && name !== 'erase') return value.bind(target);
      return async (...values: unknown[]): Promise<unknown> => {
        if (left === 0) throw new Error('killed');
        left -= 1;
        return Reflect.apply(value, target, values);
      };
    },
  });
}

function partsOf(log: EventLog, encryption: SealingParts['encryption'] = SEALED): SealingParts {
  return {
    log,
    views: viewsOf(log),
    commandHandler: createCommandHandler({ log, ...SYSTEM }),
    projector: { settle: () => undefined },
    encryption,
    storageControl: { start: () => ({ id: 'compaction' }), operation: async () => ({ state: 'done' }) },
    rebuildViews: async () => undefined,
    viewsUnavailable: () => null,
    announce: () => undefined,
  };
}

const wordsOf = (views: ViewsStore) =>
  [...listFacts(views, CIPHER, { limit: 100_000, offset: 0 }).facts]
    .map(({ object, valid_from, valid_to }) => `${object} ${valid_from} ${valid_to}`)
    .sort();

const FACT = { subject: 'Ada', predicate: 'balance' };

/** Facts of some subjects in turn and one predicate, each of which ends the one before it of its subject. */
async function logWithFacts(count: number, subjects = 1): Promise<EventLog> {
  const { log } = await openStorage({ directory: '', ephemeral: true });
  const commands = Array.from({ length: count }, (_, at) => {
    const about = { ...FACT, subject: subjects === 1 ? FACT.subject : `Ada ${at % subjects}` };
    const body = factBody(PLAIN, { ...about, object: `amount ${at}` }, { id: `f${at}`, valid_from: at, confidence: 1 });
    return batchCommand(fact, factKey(PLAIN, about), { type: 'AssertFact', fact: body, dated: true });
  });
  await createCommandHandler({ log, ...SYSTEM }).dispatchBatch(commands, OWNER);
  return log;
}

it.each(
  firstRows(3, [
    { count: 3, subjects: 1, kills: [0, 1, 2, 3] },
    { count: 5, subjects: 3, kills: [0, 1, 2] },
    // More facts than one commit seals.
    { count: 1_050, subjects: 300, kills: [1, 3] },
    { count: 1_050, subjects: 1, kills: [1, 2, 3] },
  ]),
)('$count facts of $subjects subjects outlive a kill after any write', async ({ count, subjects, kills }) => {
  for (const writes of kills) {
    const log = await logWithFacts(count, subjects);
    const before = wordsOf(viewsOf(log));
    expect(before).toHaveLength(count);
    await sealEverything(partsOf(killedAfter(log, writes)), OWNER).catch(() => undefined);
    expect(wordsOf(viewsOf(log))).toEqual(before);
    const next = partsOf(log);
    await eraseDue(next);
    await sealEverything(next, OWNER);
    expect(wordsOf(viewsOf(log))).toEqual(before);
    expect([...log.readAll()].filter(({ data }) => JSON.stringify(data).includes('amount'))).toEqual([]);
  }
});

it('facts of many subjects are sealed together', async () => {
  const log = await logWithFacts(400, 400);
  const [sealing, erasure, settling] = [1, 1, 1];
  await sealEverything(partsOf(killedAfter(log, sealing + erasure + settling)), OWNER);
  expect(wordsOf(viewsOf(log))).toHaveLength(400);
});

it('a fact that was shown and deleted leaves no trace in views that are folded after the encryption', async () => {
  const log = await logWithFacts(2);
  const commandHandler = createCommandHandler({ log, ...SYSTEM });
  const shown = { via: 'context' as const, memory_ids: [], drawer_ids: [], fact_ids: ['f0', 'f1'] };
  const loop = { store: 'fact', id: 'f0', kind: 'exact', similarity: 1, via: 'add' } as const;
  const commands = [
    batchCommand(recalled, RECALL_STREAM_ID, { type: 'RecordRecall', recalled: shown }),
    batchCommand(recalled, RECALL_STREAM_ID, { type: 'RecogniseLoops', loops: [loop] }),
    batchCommand(fact, factKey(PLAIN, FACT), { type: 'DeleteFact', id: 'f0', positions: [1] }),
  ];
  await commandHandler.dispatchBatch(commands, OWNER);
  await sealEverything(partsOf(log), OWNER);
  const views = viewsOf(log);
  expect(views.all('SELECT id FROM memory_recalls')).toEqual([{ id: 'f1' }]);
  expect(views.all('SELECT id FROM memory_loops')).toEqual([]);
});

it('an erasure that a crash prevented is done whatever number of positions was erased before its decision', async () => {
  const count = 1_001;
  const log = await logWithFacts(count);
  const asserted = [...log.readAll()].filter(({ type }) => type === 'FactAsserted').map(({ position }) => position);
  await log.erase(asserted.slice(0, -1));
  const command = { type: 'DeleteFact', id: `f${count - 1}`, positions: asserted } as const;
  await createCommandHandler({ log, ...SYSTEM }).dispatch(fact, factKey(PLAIN, FACT), command, { origin: OWNER });
  await eraseDue(partsOf(log));
  expect(asserted.filter((position) => log.at(position)?.erased !== true)).toEqual([]);
});

const place = (id: string, text_id: string, index: number): Place => ({
  ...{ id, text_id, index, start: index * 700, kind: 'new', of: null, sealed: null },
  ...{ content: `amount ${id}`, source: 'notes', content_key: id, line_key: id, source_key: 'notes' },
  ...{ wing: 'w', room: 'r' },
});

/** A text of these places, whose key is that of the first one. */
const storedText = (...places: readonly [Place, ...Place[]]) =>
  batchCommand(drawer, 'notes', {
    ...{ type: 'ChunkText', text_id: places[0].text_id, text_key: places[0].content_key, places, repeated: false },
  });

it('texts of one source are sealed together, as many as fit a commit', async () => {
  const { log } = await openStorage({ directory: '', ephemeral: true });
  const handler = createCommandHandler({ log, ...SYSTEM });
  for (let first = 0; first < 520; first += 260) {
    const texts = Array.from({ length: 260 }, (_, at) => storedText(place(`d${first + at}`, `t${first + at}`, 0)));
    await handler.dispatchBatch(texts, OWNER);
  }
  const [sealing, erasure, settling] = [2, 2, 1];
  await sealEverything(partsOf(killedAfter(log, sealing + erasure + settling)), OWNER);
  expect(entriesOf(viewsOf(log))).toHaveLength(520);
  expect([...log.readAll()].filter(({ data }) => JSON.stringify(data).includes('amount'))).toEqual([]);
});

it('the text index keeps a text that is sealed as it is', async () => {
  const { log } = await openStorage({ directory: '', ephemeral: true });
  const stored = storedText(place('d1', 't1', 0), place('d2', 't1', 1));
  await createCommandHandler({ log, ...SYSTEM }).dispatchBatch([stored], OWNER);
  const parts = partsOf(log);
  const index = openSealedIndex();
  onTestFinished(() => index.close());
  await buildIndex({ views: parts.views, index, cipher: CIPHER }, () => false);
  const opened: string[] = [];
  const open = (sealed: string, record: string): unknown => {
    opened.push(record);
    return CIPHER.open(sealed, record);
  };
  log.onAppended((events) => {
    updateIndex({ views: parts.views, index, cipher: { ...CIPHER, open } }, events);
  });
  await sealEverything(parts, OWNER);
  expect(opened).toEqual([]);
  expect(searchTexts(index, { text: 'amount d2', kind: 'drawer', k: 1 })).toMatchObject([{ key: 'd2' }]);
});

it.runIf(IS_DENSE)('texts of many places are sealed in commits that the log takes', async () => {
  const { log } = await openStorage({ directory: '', ephemeral: true });
  const handler = createCommandHandler({ log, ...SYSTEM });
  for (const text of ['t1', 't2']) {
    const blank = { kind: 'blank', content: '' } as const;
    const others = Array.from({ length: 5_000 }, (_, at) => ({ ...place(`${text} ${at}`, text, at + 1), ...blank }));
    await handler.dispatchBatch([storedText(place(text, text, 0), ...others)], OWNER);
  }
  await sealEverything(partsOf(log), OWNER);
  expect(viewsOf(log).all('SELECT id FROM memory_drawers WHERE sealed IS NOT NULL')).toHaveLength(10_002);
});

/** A text that lost a drawer, and the same text stored again. */
async function logWithTextTwice(): Promise<EventLog> {
  const { log } = await openStorage({ directory: '', ephemeral: true });
  const text = (text_id: string, ...places: readonly Place[]) =>
    batchCommand(drawer, 'notes', { type: 'ChunkText', text_id, text_key: 'key', places, repeated: false });
  const deletion = { type: 'DeleteDrawer', id: 'd1', text_ids: ['t2'], positions: [] } as const;
  const commands = [
    text('t2', place('d1', 't2', 0), place('d2', 't2', 1)),
    batchCommand(drawer, 'notes', deletion),
    text('t1', place('d3', 't1', 0)),
  ];
  await createCommandHandler({ log, ...SYSTEM }).dispatchBatch(commands, OWNER);
  await log.erase([2]);
  return log;
}

it.each([0, 1, 2, 3, 4])(
  'a text that was stored again after a deletion outlives a kill after %i writes',
  async (writes) => {
    const log = await logWithTextTwice();
    await sealEverything(partsOf(killedAfter(log, writes)), OWNER).catch(() => undefined);
    const next = partsOf(log);
    await eraseDue(next);
    await sealEverything(next, OWNER);
    const rows = viewsOf(log).all('SELECT id FROM memory_drawers WHERE sealed IS NOT NULL ORDER BY id');
    expect(rows).toEqual([{ id: 'd2' }, { id: 'd3' }]);
    expect([...log.readAll()].filter(({ data }) => JSON.stringify(data).includes('amount'))).toEqual([]);
  },
);

it('a text that lost a drawer is another one than the text of the words that are left', async () => {
  const { log } = await openStorage({ directory: '', ephemeral: true });
  const text = (text_id: string, text_key: string, ...places: readonly Place[]) =>
    batchCommand(drawer, 'notes', { type: 'ChunkText', text_id, text_key, places, repeated: false });
  const deletion = { type: 'DeleteDrawer', id: 'd2', text_ids: ['t1'], positions: [] } as const;
  const words = { ...place('d3', 't2', 0), kind: 'exact', of: 'd1', content: '' } as const;
  const commands = [
    text('t1', 'both', place('d1', 't1', 0), place('d2', 't1', 1)),
    batchCommand(drawer, 'notes', deletion),
    text('t2', 'the first', words),
  ];
  await createCommandHandler({ log, ...SYSTEM }).dispatchBatch(commands, OWNER);
  const parts = partsOf(log);
  await sealEverything(parts, OWNER);
  const keys = viewsOf(log).all<{ text_key: string }>('SELECT text_key FROM memory_texts ORDER BY text_id');
  expect(keys).toEqual([{ text_key: 'not whole t1' }, { text_key: SEALED.fingerprints().exact('amount d1') }]);
});

it('a text that was stored again before its plain copy is sealed is there twice', async () => {
  const { log } = await openStorage({ directory: '', ephemeral: true });
  const { exact } = SEALED.fingerprints();
  const words = 'amount d1';
  const again = { ...place('d2', 't2', 0), content: '', source: '', sealed: CIPHER.seal({ content: words }, 'd2') };
  const text = (source_key: string, text_key: string, only: Place) =>
    batchCommand(drawer, source_key, {
      ...{ type: 'ChunkText', text_id: only.text_id, text_key, places: [only], repeated: false },
    });
  const commands = [text('notes', 'plain', place('d1', 't1', 0)), text(exact('notes'), exact(words), again)];
  await createCommandHandler({ log, ...SYSTEM }).dispatchBatch(commands, OWNER);
  await sealEverything(partsOf(log), OWNER);
  const texts = viewsOf(log).all('SELECT text_id, text_key FROM memory_texts ORDER BY text_id');
  expect(texts).toEqual([
    { text_id: 't1', text_key: 'not whole t1' },
    { text_id: 't2', text_key: exact(words) },
  ]);
  expect(viewsOf(log).all('SELECT id FROM memory_drawers ORDER BY id')).toEqual([{ id: 'd1' }, { id: 'd2' }]);
});

it('nothing more is sealed while the views do not follow the log', async () => {
  const log = await logWithFacts(1);
  await createCommandHandler({ log, ...SYSTEM }).dispatchBatch([storedText(place('d1', 't1', 0))], OWNER);
  const views = viewsOf(log, { areFollowing: false });
  const before = log.head().position;
  const viewsUnavailable = () => (log.head().position === before ? null : 'The disk is full.');
  const parts = { ...partsOf(log), views, viewsUnavailable };
  await expect(sealEverything(parts, OWNER)).rejects.toThrow('The disk is full.');
  const types = [...log.readAll()].map(({ type }) => type);
  expect([types.includes('FactSealed'), types.includes('TextSealed')]).toEqual([true, false]);
});

interface Operation {
  readonly kind: 'text' | 'fact' | 'show' | 'delete';
  readonly words: string;
  readonly source: string;
  readonly number: number;
}

const operations: fc.Arbitrary<readonly Operation[]> = fc.array(
  fc.record({
    kind: fc.constantFrom('text', 'fact', 'show', 'delete'),
    words: fc.constantFrom('amount one', 'amount two', 'amount three. '.repeat(90)),
    source: fc.constantFrom('notes', 'mail'),
    number: fc.nat(9),
  }),
  { maxLength: 8 },
);

async function perform(parts: SealingParts, { kind, words, source, number }: Operation): Promise<unknown> {
  const { log, views, commandHandler, encryption } = parts;
  const idsOf = (table: string) => views.all<{ id: string }>(`SELECT id FROM ${table} ORDER BY id`).map(({ id }) => id);
  const [fact_ids, drawer_ids] = [idsOf('memory_facts'), idsOf('memory_drawers')];
  if (kind === 'show') {
    return recordRecall(
      { ...SYSTEM, log, views, commandHandler },
      { via: 'query', memory_ids: [], drawer_ids, fact_ids },
      OWNER,
    );
  }
  if (kind === 'text') {
    const intake = new DrawerIntake({ ...parts, ...SYSTEM, wing: () => 'w', lock: createReadWriteLock() });
    return intake.store({ content: words, source, loop: undefined }, OWNER);
  }
  if (kind === 'delete') {
    const id = [...fact_ids, ...drawer_ids][number] ?? '';
    return deleteEntry(parts, id, (decider, stream, command, options) =>
      commandHandler.dispatch(decider, stream, command, { origin: OWNER, ...options }),
    );
  }
  const texts = { ...FACT, object: words };
  const body = factBody(encryption, texts, { id: SYSTEM.ids.uuid(), valid_from: number, confidence: 1 });
  const command = { type: 'AssertFact', fact: body, dated: true } as const;
  return commandHandler.dispatch(fact, factKey(encryption, texts), command, { origin: OWNER });
}

/** Every entry with its words. */
const entriesOf = (views: ViewsStore) => [
  ...[...listFacts(views, CIPHER, { limit: 1_000, offset: 0 }).facts]
    .map(({ id, object, valid_from }) => ({ id, object, valid_from }))
    .sort((one, other) => one.id.localeCompare(other.id)),
  ...views
    .all<DrawerRow>('SELECT * FROM memory_drawers ORDER BY id')
    .map((row) => ({ id: row.id, of: row.of_id, ...drawerTexts(CIPHER, row) })),
];

const rowsOf = (views: ViewsStore) =>
  MEMORY_TABLES.map((table) => [
    table,
    views
      .all(`SELECT * FROM ${table}`)
      .map((row) => JSON.stringify(row))
      .sort(),
  ]);

it('what is stored and deleted before an interrupted encryption and after it is what is there', async () => {
  await fc.assert(
    fc.asyncProperty(operations, fc.nat(9), operations, async (before, writes, after) => {
      const { log } = await openStorage({ directory: '', ephemeral: true });
      const plain = partsOf(log, PLAIN);
      for (const each of before) await perform(plain, each);
      const stored = entriesOf(plain.views);
      await sealEverything(partsOf(killedAfter(log, writes)), OWNER).catch(() => undefined);
      const next = partsOf(log);
      await eraseDue(next);
      expect(entriesOf(next.views)).toEqual(stored);
      for (const each of after) await perform(next, each);
      const all = entriesOf(next.views);
      await sealEverything(next, OWNER);
      expect(entriesOf(next.views)).toEqual(all);
      expect(rowsOf(viewsOf(log))).toEqual(rowsOf(next.views));
      expect([...log.readAll()].filter(({ data }) => JSON.stringify(data).includes('amount'))).toEqual([]);
    }),
    { numRuns: byDepth({ sample: 30, dense: 100 }) },
  );
});
