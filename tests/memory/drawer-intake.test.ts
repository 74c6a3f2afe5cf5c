/**
 * Texts that are stored at the same time: what they share, what they wait for, and the effect of exclusive sections.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { joined } from '../../src/commands/memory/chunk.ts';
import { PLAIN_FINGERPRINTS } from '../../src/commands/memory/fingerprints.ts';
import type { Place } from '../../src/events/memory/drawers.ts';
import { createReadWriteLock, type ReadWriteLock } from '../../src/lib/read-write-lock.ts';
import { placesOf } from '../../src/projections/memory/drawers.ts';
import { memory } from '../../src/projections/memory/memory.ts';
import { openViews, type ViewsStore } from '../../src/projections/views.ts';
import type { StoredText } from '../../src/reactors/memory/drawer-comparison.ts';
import { DrawerIntake } from '../../src/reactors/memory/drawer-intake.ts';
import type { StreamAppend } from '../../src/storage/event-log.ts';
import { openStorage } from '../../src/storage/open.ts';
import { createCommandHandler } from '../../src/streams/command-handler.ts';
import { steadySystem } from '../support/steady-system.ts';

const OWNER = { actor: 'owner', correlation: null };

interface PendingAppend {
  readonly batch: readonly StreamAppend[];
  commit(): void;
  fail(error: Error): void;
}

let views: ViewsStore;
let lock: ReadWriteLock;
let pending: PendingAppend[];
let intake: DrawerIntake;
/** Milliseconds that each look at the clock takes. */
let lookMs: number;
/** Turns that others got while a text was compared. */
let turns: number;

beforeEach(async () => {
  views = openViews(null);
  views.exec(memory.create);
  lock = createReadWriteLock();
  pending = [];
  lookMs = 0;
  turns = 0;
  let clock = 0;
  const slicing = {
    now: () => {
      clock += lookMs;
      return clock;
    },
    turn: async () => {
      turns += 1;
    },
  };
  const { log: stored } = await openStorage({ directory: '', ephemeral: true });
  stored.onAppended((events) => {
    for (const event of events) memory.on[event.type]?.(views, event);
  });
  const log = Object.create(stored, {
    append: {
      value: (batch: readonly StreamAppend[]) => {
        const gate = Promise.withResolvers<void>();
        pending.push({ batch, commit: gate.resolve, fail: gate.reject });
        return gate.promise.then(() => stored.append(batch));
      },
    },
  }) as typeof stored;
  const system = steadySystem();
  const encryption = { cipher: () => null, fingerprints: () => PLAIN_FINGERPRINTS };
  const commandHandler = createCommandHandler({ log, ...system });
  intake = new DrawerIntake({
    ids: system.ids,
    views,
    commandHandler,
    lock,
    encryption,
    slicing,
    wing: () => 'at-all',
  });
});

afterEach(() => views.close());

/** Lets the oldest append through. */
async function commitOldest(): Promise<void> {
  pending.shift()!.commit();
  await settled();
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

const store = (content: string, source = content) => intake.store({ content, source, loop: undefined }, OWNER);

/** Stores two texts at once: the second waits for the first. */
async function storeBoth(
  ...texts: readonly [Promise<StoredText>, Promise<StoredText>]
): Promise<readonly StoredText[]> {
  await settled();
  expect(pending).toHaveLength(1);
  await commitOldest();
  await commitOldest();
  return Promise.all(texts);
}

/** Stores a text while no other one is stored. */
async function storeAlone(text: Promise<StoredText>): Promise<StoredText> {
  await settled();
  await commitOldest();
  return text;
}

/** 150 chunks, no two of which share words. */
const LONG = Array.from({ length: 150 }, (_, chunk) =>
  Array.from({ length: 50 }, (_, word) => `${String(chunk).padStart(3, '0')}word${String(word).padStart(6, '0')}`).join(
    ' ',
  ),
)
  .join(' ')
  .slice(0, 149 * 700 + 750);

/** Lets every append through until a text is stored. */
async function storeWhole(text: Promise<StoredText>) {
  const commits: string[][] = [];
  let isStored = false;
  void text.then(() => {
    isStored = true;
  });
  for (; !isStored; await settled()) {
    if (pending.length === 0) continue;
    commits.push(pending[0]!.batch.flatMap(({ events }) => events.map(({ type }) => type)));
    await commitOldest();
  }
  return { ...(await text), commits };
}

const kinds = (places: readonly Place[]): readonly string[] => places.map(({ kind }) => kind);

describe('a text', () => {
  it('is appended while another one is synced, also under the same source', async () => {
    const taken = Promise.all([
      store('The harbour master feeds his parrot.', 'log'),
      store('Compile the kernel with new flags.', 'log'),
    ]);
    await settled();
    expect(pending).toHaveLength(2);
    expect(pending.map(({ batch }) => batch.map(({ expectedVersion }) => expectedVersion))).toEqual([['any'], ['any']]);
    await commitOldest();
    await commitOldest();
    expect((await taken).map(({ places }) => kinds(places))).toEqual([['new'], ['new']]);
  });

  it('of many chunks is stored in commits of at most 64 places', async () => {
    const { places, commits } = await storeWhole(store(LONG));
    expect(commits.map((types) => types.filter((type) => type === 'DrawerStored').length)).toEqual([64, 64, 22]);
    expect(commits.flat().filter((type) => type !== 'DrawerStored')).toEqual(['TextChunked']);
    expect(joined(places)).toBe(LONG);
  });

  it('is cut and compared in slices: others get a turn after a few chunks', async () => {
    lookMs = 1;
    const chunks = 300;
    const storing = store('word '.repeat(chunks * 140));
    await settled();
    // Five looks are a slice; there is one for each chunk that is cut, and one for each that is compared.
    expect(turns).toBeGreaterThanOrEqual((2 * chunks) / 6);
    for (let left = Math.ceil(chunks / 64); left > 0; left -= 1) await commitOldest();
    await storing;
  });

  it('that is cut off is completed when it is offered again, and then it is there', async () => {
    const cut = store(LONG).catch((error: Error) => error.message);
    for (let commit = 0; commit < 2; commit += 1) {
      while (pending.length === 0) await settled();
      await commitOldest();
    }
    while (pending.length === 0) await settled();
    pending.shift()!.fail(new Error('the disk is full'));
    expect(await cut).toBe('the disk is full');
    const { places, text_id, commits } = await storeWhole(store(LONG));
    expect(commits).toEqual([Array.from({ length: 22 }, () => 'DrawerStored')]);
    const stored = placesOf(views, text_id);
    expect(stored.map(({ place, id }) => [place, id])).toEqual(places.map(({ index, id }) => [index, id]));
    expect(joined(stored)).toBe(LONG);
    const again = await storeWhole(store(LONG));
    expect([again.text_id, again.commits]).toEqual([text_id, [['TextRepeated']]]);
  });

  it('that a request stored before a crash is no repetition when the request is sent again', async () => {
    const keyed = (content: string) => intake.store({ content, loop: undefined, repeatId: 'a key' }, OWNER);
    const content = LONG.slice(0, 2_000);
    const { text_id, places } = await storeWhole(keyed(content));
    expect(await storeWhole(keyed(content))).toMatchObject({ text_id, places, commits: [] });
    const other = await storeWhole(keyed('The harbour master feeds his parrot.'));
    expect([other.text_id === text_id, kinds(other.places)]).toEqual([false, ['new']]);
  });

  it.each([
    ['the only place', 'The harbour master feeds his parrot.', [0]],
    ['a place in the middle', LONG.slice(0, 2_000), [1]],
    ['all places', LONG.slice(0, 2_000), [0, 1, 2]],
  ])('that lost %s by an erasure gets them again', async (_what, content, erased) => {
    const { text_id } = await storeAlone(store(content));
    // A rebuild of the views does not see erased payloads.
    await lock.exclusive(async () => {
      for (const at of erased) views.run('DELETE FROM memory_drawers WHERE text_id = ? AND place = ?', text_id, at);
    });
    const again = await storeWhole(store(content));
    expect([again.text_id, again.commits]).toEqual([text_id, [erased.map(() => 'DrawerStored')]]);
    expect(placesOf(views, text_id).map(({ place, kind }) => [place, kind])).toEqual(
      [...again.places.keys()].map((place) => [place, 'new']),
    );
    expect(joined(placesOf(views, text_id))).toBe(content);
    expect((await storeWhole(store(content))).commits).toEqual([['TextRepeated']]);
  });

  it('with words that are only on their way waits for them and points at them', async () => {
    const first = store('The harbour master feeds his parrot.', 'one');
    const second = store('The harbour master feeds his parrot.', 'two');
    const third = store('The harbour master feeds his parrot!', 'three');
    await settled();
    expect(pending).toHaveLength(1);
    await commitOldest();
    const [drawer] = (await first).places;
    while (pending.length > 0) await commitOldest();
    expect((await second).places).toMatchObject([{ kind: 'exact', of: drawer!.id }]);
    expect((await third).places).toMatchObject([{ kind: 'near', of: drawer!.id }]);
  });

  it('makes the drawer itself when the words it waited for were never kept', async () => {
    const first = store('The harbour master feeds his parrot.', 'one').catch((error: Error) => error.message);
    const second = store('The harbour master feeds his parrot.', 'two');
    await settled();
    pending.shift()!.fail(new Error('the disk is full'));
    await settled();
    expect(await first).toBe('the disk is full');
    await commitOldest();
    expect(kinds((await second).places)).toEqual(['new']);
  });

  it('that comes twice at once under one source is kept once', async () => {
    const [one, other] = await storeBoth(
      store('The harbour master feeds his parrot.', 'log'),
      store('The harbour master feeds his parrot.', 'log'),
    );
    expect(other!.text_id).toBe(one!.text_id);
    expect(kinds(other!.places)).toEqual(['exact']);
    expect(views.get('SELECT count(*) AS n, sum(repeated) AS repeated FROM memory_texts')).toEqual({
      n: 1,
      repeated: 1,
    });
  });

  it('that comes twice at once under one source is kept once, also when all of it is nearly kept elsewhere', async () => {
    await storeAlone(store('The harbour master feeds his parrot.', 'one'));
    const [one, other] = await storeBoth(
      store('The harbour master feeds his parrot!', 'log'),
      store('The harbour master feeds his parrot!', 'log'),
    );
    expect(other!.text_id).toBe(one!.text_id);
  });

  it('without a word waits for the same one on its way', async () => {
    const [one, other] = await storeBoth(store('?!', 'one'), store('?!', 'two'));
    expect(other!.places).toMatchObject([{ kind: 'exact', of: one!.places[0]!.id }]);
  });

  it('that is kept already makes nothing to point at, whatever its pieces would be now', async () => {
    const all = async <Taken>(work: readonly Promise<Taken>[]): Promise<readonly Taken[]> => {
      for (await settled(); pending.length > 0; await settled()) await commitOldest();
      return Promise.all(work);
    };
    const [, near] = await all([
      store('The cook feeds his parrot.', 'one'),
      store('The cook feeds his parrot!', 'two'),
    ]);
    expect(kinds(near!.places)).toEqual(['near']);
    await all(Array.from({ length: 20 }, (_, at) => store('abcdefghijklmnopqrst'[at]!.repeat(9), `other ${at}`)));
    const [again, third] = await all(['two', 'three'].map((source) => store('The cook feeds his parrot!', source)));
    expect([again, third].map((taken) => kinds(taken!.places))).toEqual([['exact'], ['new']]);
  });

  it('is compared with the drawers that an exclusive section left', async () => {
    const { places } = await storeAlone(store('The harbour master feeds his parrot.', 'one'));
    await lock.exclusive(async () => {
      const data = { id: places[0]!.id, text_ids: [], positions: [] };
      const envelope = { stream: 'drawer-x', position: 99, version: 1, at: 1, actor: 'owner' };
      memory.on.DrawerDeleted!(views, { ...envelope, type: 'DrawerDeleted', data });
    });
    const second = await storeAlone(store('The harbour master feeds his parrot!', 'two'));
    expect(kinds(second.places)).toEqual(['new']);
  });
});
