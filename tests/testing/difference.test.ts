/** `assertSame`: values that differ are told apart, with the place of the difference. */
import { describe, expect, it } from 'vitest';
import { assertSame } from '../../src/testing/testing.ts';

class Point {
  readonly x = 1;
}

describe('assertSame', () => {
  it.each<[unknown, unknown, string]>([
    [new Date(0), new Date(1), '"1970-01-01T00:00:00.000Z" instead of "1970-01-01T00:00:00.001Z"'],
    [{}, new Date(0), '{} instead of "1970-01-01T00:00:00.000Z"'],
    [/a/, /b/, '"/a/" instead of "/b/"'],
    [/a/, /a/i, '"/a/" instead of "/a/i"'],
    [new URL('http://a'), new URL('http://b'), '"http://a/" instead of "http://b/"'],
    [new Error('one'), new Error('two'), 'message: "one" instead of "two"'],
    [Uint8Array.of(1).buffer, Uint8Array.of(2).buffer, '{} instead of {}'],
  ])('%o is not %o', (actual, expected, difference) => {
    expect(() => assertSame(actual, expected, 'Other')).toThrow(`Other:\n  ${difference}`);
    expect(() => assertSame([{ at: actual }], [{ at: expected }], 'Other')).toThrow('Other:\n  [0].at');
  });

  it.each([
    new Date(0),
    new Date(Number.NaN),
    /a/g,
    new Error('one'),
    Uint8Array.of(1).buffer,
    new Map([['a', new Set([1n])]]),
    new Point(),
  ])('%o is its copy', (value) => expect(() => assertSame(value, structuredClone(value), 'Other')).not.toThrow());

  it('takes a missing field for an undefined one', () => {
    expect(() => assertSame({ a: undefined }, {}, 'Other')).not.toThrow();
    expect(() => assertSame({ a: null }, {}, 'Other')).toThrow('Other:\n  a: null instead of nothing');
  });
});
