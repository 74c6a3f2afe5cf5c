import { expect, it } from 'vitest';
import { roundedInteger } from '../../src/lib/json-text.ts';

it.each([
  ['{"id":9007199254740993}', '9007199254740993'],
  ['[1,{"a":[-12345678901234567891]}]', '-12345678901234567891'],
  ['{"\\"":"\\\\","id":1234567890123456789}', '1234567890123456789'],
  ['{"id":9007199254740992,"big":10000000000000000000000,"small":0.12345678901234567}', undefined],
  ['{"id":"9007199254740993","quoted":"\\"9007199254740993"}', undefined],
  [`{"text":"${'\\n'.repeat(1_000_000)}","id":9007199254740993}`, '9007199254740993'],
])('a whole number that a parser rounds: %.99s', (json, rounded) => expect(roundedInteger(json)).toBe(rounded));
