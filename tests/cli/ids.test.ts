/** Which of several things a typed id, name or beginning of one means. */
import { expect, test } from 'vitest';
import { type Kind, pickId } from '../../src/cli/ids.ts';

const ROOMS: Kind = { one: 'room', many: 'rooms', list: 'daybook room list --all' };
const pick = (typed: string, ids: readonly string[]): string =>
  pickId(
    typed,
    ids.map((id) => ({ id, names: [id] })),
    ROOMS,
  );

test.each(['room', 'Room', 'ROOM', ' room', 'room '])(
  'of ids that differ in case or spaces %j means exactly this one',
  (id) => {
    expect(pick(id, ['ROOM', 'Room', 'room', ' room', 'room '])).toBe(id);
  },
);

test('an id that nothing is called exactly is found in any case and by its beginning', () => {
  expect(pick('ROOM', ['Room', 'other'])).toBe('Room');
  expect(pick(' roo ', ['Room', 'other'])).toBe('Room');
  expect(() => pick('ROOM', ['Room', 'room'])).toThrow(
    "'ROOM' means 2 rooms: Room (Room), room (room). Type more of it, or an id.",
  );
});
