/** Limits of keys and values: the largest permitted and the smallest refused. */
import { describe, expect, it } from 'vitest';
import { KEY_BYTES_MAX, VALUE_BYTES_MAX } from '../../../src/storage/engine.ts';
import { bytes, type Context, DURABLE, keysOf, pairs, put, textOf } from './helpers.ts';

export function limits(context: Context): void {
  describe('limits', () => {
    it.each([
      ['an empty key', { key: new Uint8Array(0), value: bytes('v') }, 'STORAGE_KEY_INVALID'],
      ['a key too long', { key: new Uint8Array(KEY_BYTES_MAX + 1), value: bytes('v') }, 'STORAGE_KEY_INVALID'],
      [
        'a delete of a key too long',
        { key: new Uint8Array(KEY_BYTES_MAX + 1), value: undefined },
        'STORAGE_KEY_INVALID',
      ],
      ['a value too long', { key: bytes('k'), value: new Uint8Array(VALUE_BYTES_MAX + 1) }, 'STORAGE_VALUE_INVALID'],
    ])('refuses %s and applies nothing of the batch', async (_, change, code) => {
      const batch = [put('good', '1'), change];
      await expect(context.engine.commit(batch, DURABLE)).rejects.toMatchObject({ code });
      expect(pairs(context.engine.range())).toEqual([]);
      await context.engine.commit([put('after', '1')], DURABLE);
      expect(keysOf(context.engine)).toEqual(['after']);
      expect(context.engine.failure).toBeNull();
    });

    it('refuses reads of invalid keys', () => {
      expect(() => context.engine.get(new Uint8Array(0))).toThrow(
        expect.objectContaining({ code: 'STORAGE_KEY_INVALID' }),
      );
    });

    it('keeps the longest key and values of many pages', async () => {
      const longKey = Buffer.alloc(KEY_BYTES_MAX, 'k');
      const sizes = [0, 1, 1_000, 4_095, 4_096, 4_097, 65_536, 1_000_000];
      const batch = sizes.map((size) => ({ key: bytes(`v${size}`), value: Buffer.alloc(size, `${size}`) }));
      await context.engine.commit([...batch, { key: longKey, value: bytes('long') }], DURABLE);
      expect(textOf(context.engine.get(longKey))).toBe('long');
      for (const { key, value } of batch) expect(Buffer.compare(context.engine.get(key)!, value)).toBe(0);
      expect([...context.engine.range()]).toHaveLength(sizes.length + 1);
    });
  });
}
