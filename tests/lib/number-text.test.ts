import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { numberText } from '../../src/lib/number-text.ts';

describe('a number that arrives as text', () => {
  const zDays = numberText(/^-?\d+$/, z.number('must be a whole number').max(5, 'must be at most 5'));

  it.each([
    ['4', 4],
    ['-4', -4],
    ['004', 4],
    [`-${'9'.repeat(400)}`, -Number.MAX_VALUE],
  ])('%s is read', (text, number) => {
    expect(zDays.parse(text)).toBe(number);
  });

  it.each([
    ['', 'must be a whole number'],
    ['4.0', 'must be a whole number'],
    [' 4', 'must be a whole number'],
    ['0x4', 'must be a whole number'],
    [['4', '4'], 'must be a whole number'],
    [undefined, 'must be a whole number'],
    ['6', 'must be at most 5'],
    ['9'.repeat(400), 'must be at most 5'],
  ])('%s is refused in one sentence', (given, message) => {
    expect(zDays.safeParse(given).error?.issues.map((issue) => issue.message)).toEqual([message]);
  });
});
