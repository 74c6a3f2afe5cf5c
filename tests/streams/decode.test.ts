/** Decoding of stored events for folds. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { decodeEvent, decodeEvents, EventSchemaError } from '../../src/events/decode.ts';
import { define, from } from '../../src/events/define.ts';
import { eventTable } from '../../src/resources.ts';

const zV1 = z.object({ name: z.string() });
const zV2 = z.object({ first: z.string(), last: z.string() });
const table = {
  PersonNamed: define('PersonNamed', {
    version: 3,
    data: z.object({ names: z.array(z.string()) }),
    upcast: {
      1: from(zV1, ({ name }) => ({ first: name.split(' ')[0], last: name.split(' ')[1] })),
      2: from(zV2, ({ first, last }) => ({ names: [first, last] })),
    },
  }),
};
const stored = (schema: number, data: unknown, type = 'PersonNamed') => ({
  ...{ position: 4, stream: 'person-a', version: 2, at: 7, type, schema, data },
});

describe('a stored event', () => {
  it('is upcast one step at a time; everything around its data stays', () => {
    expect(decodeEvent(table, stored(1, { name: 'Ada Lovelace' }))).toEqual({
      kind: 'event',
      event: stored(3, { names: ['Ada', 'Lovelace'] }),
    });
    expect(decodeEvent(table, stored(2, { first: 'Ada', last: 'Lovelace' }))).toMatchObject({
      event: { data: { names: ['Ada', 'Lovelace'] } },
    });
  });

  it('of the newest version is returned as it is', () => {
    const event = stored(3, { names: [] });
    const decoded = decodeEvent(table, event);
    expect(decoded.kind === 'event' && decoded.event).toBe(event);
  });

  it('of an unknown type, also one that objects inherit, or without its payload is a result of its own', () => {
    expect(decodeEvent(table, stored(1, {}, 'PersonEaten')).kind).toBe('unknown');
    expect(decodeEvent(table, stored(1, {}, 'toString')).kind).toBe('unknown');
    expect(decodeEvent(table, { ...stored(3, null), erased: true }).kind).toBe('erased');
  });

  it('without its payload has the data that its definition names for that case', () => {
    const zLeft = z.object({ reason: z.string() });
    const ends = { PersonLeft: define('PersonLeft', zLeft, { whenErased: { reason: '(erased)' } }) };
    const event = { ...stored(1, null, 'PersonLeft'), erased: true as const };
    const left = { ...event, data: { reason: '(erased)' } };
    expect(decodeEvent(ends, event)).toEqual({ kind: 'event', event: left });
    expect([...decodeEvents(ends, [event])]).toEqual([left]);
  });

  it('without its payload is as before when it has no fields', () => {
    const ends = { PersonLeft: define('PersonLeft', z.object({})) };
    const event = { ...stored(1, null, 'PersonLeft'), erased: true as const };
    expect(decodeEvent(ends, event)).toEqual({ kind: 'event', event: { ...event, data: {} } });
  });

  it.each([
    [stored(1, { name: 7 }), 'name'],
    // The step from 1 makes data that version 2 does not allow.
    [stored(1, { name: 'Ada' }), 'last'],
    [stored(3, { names: ['Ada', 7] }), 'names.1'],
    [stored(3, null), ''],
    [stored(4, { names: [] }), ''],
  ])('that fits no schema is an error with its place (%#)', (event, field) => {
    const decode = () => decodeEvent(table, event);
    expect(decode).toThrow(EventSchemaError);
    expect(decode).toThrow(
      expect.objectContaining({ position: 4, stream: 'person-a', type: 'PersonNamed', schema: event.schema, field }),
    );
  });

  it('is skipped in a stream when its type is not in the table or its payload is erased', () => {
    const events = [
      stored(1, {}, 'PersonEaten'),
      { ...stored(3, null), erased: true as const },
      stored(3, { names: [] }),
    ];
    expect([...decodeEvents(table, events)]).toEqual([events[2]]);
  });
});

describe('a definition', () => {
  it('has a step from every older version', () => {
    const upcast = { 2: from(zV2, (v2) => v2) };
    expect(() => define('PersonNamed', { version: 3, data: zV2, upcast })).toThrow(
      'PersonNamed has no upcast from version 1 to 2.',
    );
  });

  it('names data for an erased payload that fits its schema', () => {
    const withData = Object.values(eventTable).filter(({ whenErased }) => whenErased !== undefined);
    expect(withData.length).toBeGreaterThan(0);
    for (const { data, whenErased } of withData) expect(data.parse(whenErased)).toEqual(whenErased);
  });

  it('is in the event table under its own type', () => {
    for (const [type, definition] of Object.entries(eventTable)) expect(definition.type).toBe(type);
  });
});
