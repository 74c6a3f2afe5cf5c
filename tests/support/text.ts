import fc from 'fast-check';

/**
 * Any code point except halves of a surrogate pair: `fc.string({ unit: codePoint })`. fast-check's own `unit: codePoint`
 * keeps a map of all 1.1 million code points (85 MB) in the process, which each later garbage collection marks again.
 */
export const codePoint: fc.Arbitrary<string> = fc
  .oneof(
    { weight: 0xd800, arbitrary: fc.nat(0xd7ff) },
    { weight: 0x102000, arbitrary: fc.integer({ min: 0xe000, max: 0x10ffff }) },
  )
  .map((code) => String.fromCodePoint(code));
