/** Texts that come at once: what they share, what they wait for, and who may write beside them. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Place } from '../../src/events/memory/drawers.ts';
import { systemClock, systemIds } from '../../src/integrations/system.ts';
import { PLAIN_MARKS } from '../../src/integrations/vault/text-cipher.ts';
import { memory } from '../../src/projections/memory/memory.ts';
import { openViews, type ViewsStore } from '../../src/projections/views.ts';
import { createIntake, type Intake } from '../../src/reactors/memory/intake.ts';
import type { EventLog, StreamAppend } from '../../src/storage/event-log.ts';
import { createCommandHandler } from '../../src/streams/command-handler.ts';
import { createMemoryTurns, type MemoryTurns } from '../../src/streams/read-write-lock.ts';

const OWNER = { actor: 'owner', correlation: null };

interface Waiting {
  readonly batch: readonly StreamAppend[];
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

let views: ViewsStore;
let turns: MemoryTurns;
let waiting: Waiting[];
let intake: Intake;
let position: number;

beforeEach(() => {
  views = openViews(null);
  views.exec(memory.create);
  turns = createMemoryTurns();
  waiting = [];
  position = 0;
  const log = {
    streamVersion: () => 0,
    append: (batch: readonly StreamAppend[]) =>
      new Promise((resolve, reject) => {
        waiting.push({ batch, resolve, reject });
      }),
  };
  const system = { clock: systemClock, ids: systemIds };
  const dispatcher = createCommandHandler({ log: log as unknown as EventLog, ...system });
  const deps = {
    ...{ views, log, ...system, dispatcher, config: { workspace: '/nowhere/at-all' } },
    memory: { ...turns, marks: () => PLAIN_MARKS, vault: () => null },
  };
  intake = createIntake(deps as never);
});

afterEach(() => views.close());

/** The oldest commit is synced: folded, then answered. */
async function land(): Promise<void> {
  const { batch, resolve } = waiting.shift()!;
  for (const { stream, events } of batch) {
    for (const event of events) {
      position += 1;
      memory.on[event.type]!(views, { ...event, stream, position, version: position } as never);
    }
  }
  resolve({ kind: 'appended', events: [] });
  await settled();
}

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const take = (content: string, source = content) => intake.take({ content, source, loop: undefined }, OWNER);

const kinds = (places: readonly Place[]): readonly string[] => places.map(({ kind }) => kind);

describe('a text', () => {
  it('is appended while another one is synced, also under the same source', async () => {
    const taken = Promise.all([
      take('The harbour master feeds his parrot.', 'log'),
      take('Compile the kernel with new flags.', 'log'),
    ]);
    await settled();
    expect(waiting).toHaveLength(2);
    expect(waiting.map(({ batch }) => batch.map(({ expectedVersion }) => expectedVersion))).toEqual([['any'], ['any']]);
    await land();
    await land();
    expect((await taken).map(({ places }) => kinds(places))).toEqual([['new'], ['new']]);
  });

  it('with words that are only on their way waits for them and points at them', async () => {
    const first = take('The harbour master feeds his parrot.', 'one');
    const second = take('The harbour master feeds his parrot.', 'two');
    const third = take('The harbour master feeds his parrot!', 'three');
    await settled();
    expect(waiting).toHaveLength(1);
    await land();
    const [drawer] = (await first).places;
    while (waiting.length > 0) await land();
    expect((await second).places).toMatchObject([{ kind: 'exact', of: drawer!.id }]);
    expect((await third).places).toMatchObject([{ kind: 'near', of: drawer!.id }]);
  });

  it('makes the drawer itself when the words it waited for were never kept', async () => {
    const first = take('The harbour master feeds his parrot.', 'one').catch((error: Error) => error.message);
    const second = take('The harbour master feeds his parrot.', 'two');
    await settled();
    waiting.shift()!.reject(new Error('the disk is full'));
    await settled();
    expect(await first).toBe('the disk is full');
    await land();
    expect(kinds((await second).places)).toEqual(['new']);
  });

  it('that comes twice at once under one source is kept once', async () => {
    const both = [
      take('The harbour master feeds his parrot.', 'log'),
      take('The harbour master feeds his parrot.', 'log'),
    ];
    await settled();
    expect(waiting).toHaveLength(1);
    await land();
    await land();
    const [one, other] = await Promise.all(both);
    expect(other!.text_id).toBe(one!.text_id);
    expect(kinds(other!.places)).toEqual(['exact']);
    expect(views.get('SELECT count(*) AS n, sum(repeated) AS repeated FROM memory_texts')).toEqual({
      n: 1,
      repeated: 1,
    });
  });

  it('that comes twice at once under one source is kept once, also when all of it is nearly kept elsewhere', async () => {
    const first = take('The harbour master feeds his parrot.', 'one');
    await settled();
    await land();
    await first;
    const both = [
      take('The harbour master feeds his parrot!', 'log'),
      take('The harbour master feeds his parrot!', 'log'),
    ];
    await settled();
    expect(waiting).toHaveLength(1);
    await land();
    await land();
    const [one, other] = await Promise.all(both);
    expect(other!.text_id).toBe(one!.text_id);
  });

  it('without a word waits for the same one on its way', async () => {
    const both = [take('?!', 'one'), take('?!', 'two')];
    await settled();
    expect(waiting).toHaveLength(1);
    await land();
    await land();
    const [one, other] = await Promise.all(both);
    expect(other!.places).toMatchObject([{ kind: 'exact', of: one!.places[0]!.id }]);
  });

  it('that is kept already makes nothing to point at, whatever its pieces would be now', async () => {
    const all = async <Taken>(work: readonly Promise<Taken>[]): Promise<readonly Taken[]> => {
      for (await settled(); waiting.length > 0; await settled()) await land();
      return Promise.all(work);
    };
    const [, near] = await all([take('The cook feeds his parrot.', 'one'), take('The cook feeds his parrot!', 'two')]);
    expect(kinds(near!.places)).toEqual(['near']);
    await all(Array.from({ length: 20 }, (_, at) => take('abcdefghijklmnopqrst'[at]!.repeat(9), `other ${at}`)));
    const [again, third] = await all(['two', 'three'].map((source) => take('The cook feeds his parrot!', source)));
    expect([again, third].map((taken) => kinds(taken!.places))).toEqual([['exact'], ['new']]);
  });

  it('is compared with the drawers that are left after a turn', async () => {
    const first = take('The harbour master feeds his parrot.', 'one');
    await settled();
    await land();
    const { places } = await first;
    await turns.inTurn(async () => {
      const data = { id: places[0]!.id, text_ids: [], positions: [] };
      memory.on.DrawerDeleted!(views, { type: 'DrawerDeleted', stream: 'drawer-x', data } as never);
    });
    const second = take('The harbour master feeds his parrot!', 'two');
    await settled();
    await land();
    expect(kinds((await second).places)).toEqual(['new']);
  });
});

describe('turns', () => {
  it('let work go on beside its like, and never beside work in turn', async () => {
    const steps: string[] = [];
    const gates = new Map<string, () => void>();
    const work = (name: string) => async (): Promise<void> => {
      steps.push(`${name} begins`);
      await new Promise<void>((resolve) => gates.set(name, resolve));
      steps.push(`${name} ends`);
    };
    const all = [turns.beside(work('a')), turns.beside(work('b')), turns.inTurn(work('turn')), turns.beside(work('c'))];
    for (const name of ['b', 'a', 'turn', 'c']) {
      await settled();
      gates.get(name)!();
    }
    await Promise.all(all);
    expect(steps).toEqual([
      ...['a begins', 'b begins', 'b ends', 'a ends', 'turn begins', 'turn ends', 'c begins', 'c ends'],
    ]);
  });

  it('are counted when they begin, and go on after work that failed', async () => {
    const failed = turns.beside(() => Promise.reject(new Error('no'))).catch(() => 'failed');
    const counts = turns.inTurn(async () => turns.turns());
    expect(turns.turns()).toBe(0);
    expect(await failed).toBe('failed');
    expect(await counts).toBe(1);
    await turns.inTurn(() => Promise.reject(new Error('no'))).catch(() => undefined);
    expect(await turns.beside(async () => turns.turns())).toBe(2);
  });
});
