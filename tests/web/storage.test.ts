/** What the page keeps, also in a browser that refuses to keep it. */
import { expect, it } from 'vitest';
import { keptIn } from '../../web/lib/storage.ts';

function blocked(): never {
  throw new DOMException('The operation is insecure.', 'SecurityError');
}

it('is kept in memory when the browser blocks the data of sites', () => {
  const kept = keptIn(blocked);
  expect(kept.get('token')).toBeNull();
  kept.set('token', 'one');
  kept.set('token', 'two');
  expect(kept.get('token')).toBe('two');
  kept.remove('token');
  expect(kept.get('token')).toBeNull();
});

it('is the newest, also when the storage has no room for it', () => {
  const stored = new Map<string, string>();
  const roomFor = (characters: number) => ({
    getItem: (key: string) => stored.get(key) ?? null,
    setItem(key: string, value: string) {
      if (value.length > characters) throw new DOMException('No room is left.', 'QuotaExceededError');
      stored.set(key, value);
    },
    removeItem: (key: string) => void stored.delete(key),
  });
  const kept = keptIn(() => roomFor(5));
  kept.set('task', 'short');
  kept.set('task', 'too long');
  expect(kept.get('task')).toBe('too long');
  kept.set('task', 'less');
  expect([kept.get('task'), stored.get('task')]).toEqual(['less', 'less']);
});
