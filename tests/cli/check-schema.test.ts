/** `daybook log check-schema` finds upcasts, unknown types, erased payloads, and events that fit no schema. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { examined } from '../../src/cli/log/check-schema.ts';
import { define, from } from '../../src/events/define.ts';
import type { Envelope, Json } from '../../src/events/envelope.ts';

const table = {
  ThingCounted: define('ThingCounted', {
    version: 2,
    data: z.object({ counts: z.array(z.number()) }),
    upcast: { 1: from(z.object({ count: z.number() }), ({ count }) => ({ counts: [count] })) },
  }),
};

const categories = new Map([['thing', new Set<string>()]]);

function event(position: number, schema: number, data: Json, type = 'ThingCounted', stream = 'thing-a'): Envelope {
  return {
    ...{ position, stream, version: position, id: `id-${position}`, type, schema, at: 1, actor: 'owner' },
    ...{ correlation: null, causation: null, data, leaf_hash: '0'.repeat(64) },
  };
}

async function report(...events: readonly Envelope[]) {
  const each = (async function* () {
    yield* events;
  })();
  return examined(each, { table, categories, progress: { at: () => undefined }, total: events.length });
}

it('a log of the newest schemas is right', async () => {
  expect(await report(event(1, 2, { counts: [1] }))).toEqual({
    ...{ ok: true, events: 1, erased: 0, misfit_count: 0 },
    ...{ upcast: [], unknown: [], misfits: [] },
  });
});

it('events to be upcast, erased ones and unknown types are counted, and are no fault', async () => {
  const found = await report(
    event(1, 1, { count: 1 }),
    event(2, 1, { count: 2 }),
    event(3, 1, null, 'FoodEaten', 'food-a'),
    {
      ...event(4, 2, null),
      erased: true,
    },
  );
  expect(found).toMatchObject({ ok: true, events: 4, erased: 1 });
  expect(found.upcast).toEqual([{ type: 'ThingCounted', schema: 1, to: 2, events: 2 }]);
  expect(found.unknown).toEqual([{ type: 'FoodEaten', schema: 1, events: 1 }]);
});

// A daemon answers nothing about the resource then, so an upgrade or downgrade is not safe.
it('an unknown type in a category of this program is a fault', async () => {
  const found = await report(event(1, 2, { counts: [1] }), event(2, 1, null, 'ThingEaten'));
  expect(found).toMatchObject({ ok: false, misfit_count: 1, unknown: [] });
  expect(found.misfits).toEqual([
    {
      ...{ position: 2, stream: 'thing-a', type: 'ThingEaten', schema: 1, field: '' },
      fault: 'a newer program wrote it; this one does not know the type',
    },
  ]);
});

it('events that fit no schema are named, the first hundred of them', async () => {
  const wrong = Array.from({ length: 120 }, (_, index) => event(index + 1, 2, { counts: [1, 'many'] }));
  const found = await report(...wrong);
  expect([found.ok, found.misfit_count, found.misfits.length]).toEqual([false, 120, 100]);
  expect(found.misfits[0]).toEqual({
    ...{ position: 1, stream: 'thing-a', type: 'ThingCounted', schema: 2, field: 'counts.1' },
    fault: 'must be a number',
  });
});
