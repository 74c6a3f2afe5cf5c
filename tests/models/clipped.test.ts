/** What a provider says about an error, as it is repeated to people: one line of bounded length. */
import { expect, test } from 'vitest';
import { clipped } from '../../src/integrations/models/failures.ts';

test.each([
  ['short', 'short'],
  [' 2\r\nlines\t', '2 lines'],
  ['12345678', '12345678'],
  ['123456789', '12345678…'],
  ['😀😀😀😀😀😀😀😀', '😀😀😀😀😀😀😀😀'],
  ['1😀😀😀😀😀😀😀😀', '1😀😀😀😀😀😀😀…'],
  ['\u001b[31mred\u001b[0m', 'red'],
  ['a\u0000b\u0007c', 'a b c'],
  ['lone \ud83d', 'lone \ufffd'],
])('%j is %j', (said, repeated) => {
  expect(clipped(said, 8)).toBe(repeated);
});
