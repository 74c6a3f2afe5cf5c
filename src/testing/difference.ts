/** The differences between two values, with their places, for readable errors. */
import { isDeepStrictEqual, types } from 'node:util';

const DIFFERENCES_MAX = 10;
const SHOWN_CHARACTERS_MAX = 120;

/** Throws an Error that names the places where `actual` differs from `expected`. Its message begins with `what`. */
export function assertSame(actual: unknown, expected: unknown, what: string): void {
  const found = differences(actual, expected, '');
  if (found.length === 0) return;
  const more = found.length > DIFFERENCES_MAX ? [`… and ${found.length - DIFFERENCES_MAX} more`] : [];
  throw new Error([`${what}:`, ...found.slice(0, DIFFERENCES_MAX), ...more].join('\n  '));
}

/** A value for an error message, as JSON of limited length. */
export function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : (JSON.stringify(value, plain) ?? String(value));
  return text.length > SHOWN_CHARACTERS_MAX ? `${text.slice(0, SHOWN_CHARACTERS_MAX)}…` : text;
}

function plain(_key: string, value: unknown): unknown {
  if (value instanceof Map) return Object.fromEntries(value);
  if (value instanceof Set) return [...value];
  if (value instanceof RegExp) return String(value);
  return typeof value === 'bigint' ? `${value}n` : value;
}

/** A missing field equals an undefined one, as in JSON. */
function differences(actual: unknown, expected: unknown, place: string): readonly string[] {
  if (Object.is(actual, expected)) return [];
  const [left, right] = [partsOf(actual), partsOf(expected)];
  if (left === null || right === null || Array.isArray(actual) !== Array.isArray(expected)) {
    if (isDeepStrictEqual(actual, expected)) return [];
    return [`${place === '' ? '' : `${place}: `}${shown(actual)} instead of ${shown(expected)}`];
  }
  const names = [...new Set([...left.keys(), ...right.keys()])];
  return names.flatMap((name) => {
    const inside = Array.isArray(actual) ? `${place}[${name}]` : `${place}${place === '' ? '' : '.'}${name}`;
    return differences(left.get(name), right.get(name), inside);
  });
}

/** Null for a value that has no parts to compare. */
function partsOf(value: unknown): Map<unknown, unknown> | null {
  if (typeof value !== 'object' || value === null || isWhole(value)) return null;
  if (value instanceof Map) return value;
  if (value instanceof Set) return new Map([...value].entries());
  if (Array.isArray(value)) return new Map(value.entries());
  if (value instanceof Error) return new Map(Object.entries({ ...value, message: value.message }));
  return new Map(Object.entries(value));
}

/** Whether the content of an object is in none of its fields. */
function isWhole(value: object): boolean {
  return types.isDate(value) || types.isRegExp(value) || types.isAnyArrayBuffer(value) || value instanceof URL;
}
