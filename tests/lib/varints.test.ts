/** Numbers, bytes and texts as lib0 has them. */
import fc from 'fast-check';
import * as decoding from 'lib0/decoding';
import * as encoding from 'lib0/encoding';
import { expect, it } from 'vitest';
import { VarintReader, varints } from '../../src/lib/varints.ts';

const part = fc.oneof(fc.maxSafeNat(), fc.string({ unit: 'grapheme' }), fc.uint8Array());

it('are written as lib0 writes them, and read again', () => {
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      const encoder = encoding.createEncoder();
      for (const each of parts) {
        if (typeof each === 'number') encoding.writeVarUint(encoder, each);
        else if (typeof each === 'string') encoding.writeVarString(encoder, each);
        else encoding.writeVarUint8Array(encoder, each);
      }
      const bytes = varints(...parts);
      expect(Buffer.from(bytes)).toEqual(Buffer.from(encoding.toUint8Array(encoder)));
      const reader = new VarintReader(bytes);
      for (const each of parts) {
        if (typeof each === 'number') expect(reader.number()).toBe(each);
        else if (typeof each === 'string') expect(reader.text()).toBe(each);
        else expect(Uint8Array.from(reader.bytes())).toEqual(each);
      }
    }),
  );
});

it('of any bytes are what lib0 reads, or a RangeError', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 12 }), (bytes) => {
      const reader = new VarintReader(bytes);
      let found: Uint8Array | null = null;
      try {
        found = reader.bytes();
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
      }
      if (found === null) return;
      expect(Buffer.from(found)).toEqual(Buffer.from(decoding.readVarUint8Array(decoding.createDecoder(bytes))));
    }),
  );
});
