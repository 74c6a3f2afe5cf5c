import fc from 'fast-check';
import { expect, it } from 'vitest';
import { uuidV7 } from '../../src/storage/uuid.ts';

const anyTime = fc.integer({ min: 0, max: 2 ** 48 - 1 });

it('holds the time, the version, the sequence and the variant where RFC 9562 has them', () => {
  fc.assert(
    fc.property(anyTime, fc.integer({ min: 0, max: 4_095 }), (at, sequence) => {
      const [high, low, middle, variant, node] = uuidV7(at, sequence).split('-');
      expect(Number.parseInt(high! + low!, 16)).toBe(at);
      expect(middle).toBe(`7${sequence.toString(16).padStart(3, '0')}`);
      expect(variant).toMatch(/^[89ab][0-9a-f]{3}$/);
      expect(node).toMatch(/^[0-9a-f]{12}$/);
    }),
  );
});

it('never repeats an id of one millisecond and sequence', () => {
  const ids = new Set(Array.from({ length: 5_000 }, () => uuidV7(1_795_805_741_000, 0)));
  expect(ids.size).toBe(5_000);
});

it('draws each of the random bits', () => {
  const seen = { set: 0n, unset: 0n };
  for (let count = 0; count < 1_000; count += 1) {
    const bits = BigInt(`0x${uuidV7(0).replaceAll('-', '')}`);
    seen.set |= bits;
    seen.unset |= ~bits;
  }
  const random = (0xfffn << 64n) | (2n ** 62n - 1n);
  expect(seen.set & random).toBe(random);
  expect(seen.unset & random).toBe(random);
});
