/** The time axis of the facts. */
import { expect, it } from 'vitest';
import { factAxis } from '../../web/views/memory/axis.ts';

const YEAR = 31_557_600;
const DAY = 86_400;

it('the axis of facts is linear while their changes are about as far from each other', () => {
  const { at, isShortened } = factAxis([2 * YEAR, 0, 5 * YEAR, 10 * YEAR, 10 * YEAR + 3]);
  expect(isShortened).toBe(false);
  expect([0, 5, 7.5].map((years) => at(years * YEAR))).toEqual([0, expect.closeTo(0.5), expect.closeTo(0.75)]);
});

it('the axis of facts draws one old time near to the others, which stay apart', () => {
  const born = -40 * YEAR;
  const days = [0, 1, 2, 3, 4].map((each) => each * DAY);
  const { at, isShortened } = factAxis([...days, born]);
  expect(isShortened).toBe(true);
  expect(days.map((each) => at(each))).toEqual([10, 11, 12, 13, 14].map((each) => expect.closeTo(each / 14)));
  expect([born, born + 20 * YEAR].map(at)).toEqual([0, expect.closeTo(5 / 14)]);
});

it('the axis of facts has a place also for one time, and for times within a day', () => {
  expect(factAxis([7]).at(7)).toBe(0);
  expect(factAxis([0, 60, 120]).at(60)).toBe(0.5);
});
