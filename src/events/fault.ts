/** Describes the fault of a value that fits no schema, for the sender of the value. */
import type { core } from 'zod';

/**
 * The predicate of a sentence about the value, without a full stop: `must have at most 10 characters`. Passed to a
 * parse as its `error`; a schema that words its own faults keeps them. The value itself is never repeated.
 */
export function faultOf(issue: core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `${issue.input === undefined ? 'is missing; it ' : ''}must be ${named(issue.expected)}`;
    case 'invalid_value':
      return mustBeOneOf(issue.values);
    case 'too_big':
      return `must ${bounded(issue, issue.maximum, issue.inclusive === false ? 'less than' : 'at most')}`;
    case 'too_small':
      if (issue.minimum === 1 && issue.inclusive !== false && issue.origin in UNITS) return 'must not be empty';
      return `must ${bounded(issue, issue.minimum, issue.inclusive === false ? 'more than' : 'at least')}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return 'has a field that is unknown';
    case 'invalid_key':
      return 'has a name that is not allowed';
    case 'invalid_format':
      return 'has the wrong form';
    case 'invalid_union':
      return Array.isArray(issue.options) ? mustBeOneOf(issue.options) : 'is not allowed';
    case 'invalid_element':
    case 'custom':
      return 'is not allowed';
  }
}

type Bounds = Pick<core.$ZodRawIssue<core.$ZodIssueTooBig>, 'origin' | 'exact'>;

const UNITS: Readonly<Record<string, string>> = {
  string: 'characters',
  array: 'items',
  set: 'items',
  map: 'entries',
  file: 'bytes',
};

function bounded({ origin, exact }: Bounds, bound: number | bigint, most: string): string {
  const unit = UNITS[origin];
  const amount = `${exact === true ? 'exactly' : most} ${bound}`;
  return unit === undefined ? `be ${amount}` : `have ${amount} ${unit}`;
}

function mustBeOneOf(values: readonly core.util.Primitive[]): string {
  return `must be ${values.length > 1 ? 'one of ' : ''}${values.map(String).join(', ')}`;
}

const NAMES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  undefined: 'left out',
};

function named(type: string): string {
  return NAMES[type] ?? type;
}
