/** Expected versions and idempotency by event id. */
import { describe, expect, it } from 'vitest';
import type { ExpectedVersion } from '../../../src/storage/event-log.ts';
import { event, fill, idOf, positionsOf, to } from '../log-helpers.ts';
import type { Context } from './context.ts';

export function expecting(context: Context): void {
  describe('expected version', () => {
    const cases: readonly (readonly [number, ExpectedVersion, boolean])[] = [
      [0, 'any', true],
      [0, 'none', true],
      [0, 0, true],
      [0, 1, false],
      [2, 'any', true],
      [2, 'none', false],
      [2, 0, false],
      [2, 1, false],
      [2, 2, true],
      [2, 3, false],
    ];
    it.each(cases)('stream at %i, expected %s: accepted %s', async (existing, expected, isAccepted) => {
      for (let number = 1; number <= existing; number += 1) await context.log.append([to('a-1', [event(number)])]);
      const result = await context.log.append([to('a-1', [event(9)], expected)]);
      if (isAccepted) expect(positionsOf(result)).toEqual([existing + 1]);
      else expect(result).toEqual({ kind: 'conflict', stream: 'a-1', expected, actual: existing });
      expect(context.log.streamVersion('a-1')).toBe(existing + (isAccepted ? 1 : 0));
    });

    it.each([-1, 1.5, Number.NaN, 'all' as never])('refuses the invalid version %s', async (expected) => {
      const append = context.log.append([to('a-1', [event(1)], expected)]);
      await expect(append).rejects.toMatchObject({ code: 'STORAGE_VALUE_INVALID' });
    });

    it('accepts one of many concurrent writers', async () => {
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, index) => context.log.append([to('a-1', [event(index + 1)], 0)])),
      );
      expect(results.filter(({ kind }) => kind === 'appended')).toHaveLength(1);
      expect(results.filter((result) => result.kind === 'conflict' && result.actual === 1)).toHaveLength(19);
      expect(context.log.head().position).toBe(1);
    });

    it('decides on the state after the earlier appends of the same commit', async () => {
      const results = await Promise.all(
        Array.from({ length: 50 }, (_, index) => context.log.append([to('a-1', [event(index + 1)], index)])),
      );
      expect(results.map(positionsOf)).toEqual(Array.from({ length: 50 }, (_, index) => [index + 1]));
    });

    it('distinguishes names of which one is a prefix of another', async () => {
      await context.log.append([to('a', [event(1)]), to('a-1', [event(2)]), to('a-', [event(3)])]);
      expect([...context.log.readStream('a')].map((e) => e.position)).toEqual([1]);
      expect([...context.log.readStream('a-')].map((e) => e.position)).toEqual([3]);
      expect(context.log.streamVersion('a-1')).toBe(1);
    });
  });
}

export function idempotency(context: Context): void {
  describe('idempotency', () => {
    it('answers a repeated append with its first answer, whatever version it expects', async () => {
      const batch = [to('a-1', [event(1), event(2)], 'none'), to('b-1', [event(3)], 'none')];
      const first = await context.log.append(batch);
      await fill(context.log, 5, 100);
      await context.reopen();
      const second = await context.log.append(batch);
      expect(second).toEqual({ ...first, kind: 'duplicate' });
      expect(context.log.head().position).toBe(8);
    });

    it('recognises a repetition inside one commit', async () => {
      const [first, second] = await Promise.all([
        context.log.append([to('a-1', [event(1)], 'none')]),
        context.log.append([to('a-1', [event(1)], 'none')]),
      ]);
      expect(first.kind).toBe('appended');
      expect(second).toEqual({ ...first, kind: 'duplicate' });
      expect(context.log.head().position).toBe(1);
    });

    it('recognises an id lower than the newest', async () => {
      await context.log.append([to('a-1', [event(50)])]);
      await context.log.append([to('a-1', [event(10)])]);
      expect((await context.log.append([to('a-1', [event(10)])])).kind).toBe('duplicate');
      expect(positionsOf(await context.log.append([to('a-1', [event(11)])]))).toEqual([3]);
    });

    it.each([
      ['an append that mixes known and new ids', [to('a-1', [event(1), event(2)])]],
      ['one id twice in an append', [to('a-1', [event(3), event(3)])]],
      ['a known id under another stream', [to('b-1', [event(1)])]],
      ['a known id under another type', [to('a-1', [{ ...event(1), type: 'OtherThing' }])]],
    ])('refuses %s', async (_, batch) => {
      await context.log.append([to('a-1', [event(1)])]);
      await expect(context.log.append(batch)).rejects.toMatchObject({ code: 'STORAGE_VALUE_INVALID' });
      expect(context.log.head().position).toBe(1);
      expect((await context.log.verify()).errors).toEqual([]);
    });

    it('refuses one append of a commit without affecting the others', async () => {
      const results = await Promise.allSettled([
        context.log.append([to('a-1', [event(1)])]),
        context.log.append([to('a-1', [event(1), event(2)])]),
        context.log.append([to('a-1', [event(3)])]),
      ]);
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect([...context.log.readAll()].map(({ id }) => id)).toEqual([idOf(1), idOf(3)]);
    });
  });
}
