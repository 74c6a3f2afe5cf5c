/** Proofs, and erasures, which keep proofs valid. */
import { describe, expect, it } from 'vitest';
import { verifyConsistency, verifyInclusion } from '../../../src/storage/merkle.ts';
import { event, fill, to } from '../log-helpers.ts';
import type { Context } from './context.ts';

export function proving(context: Context): void {
  const unhex = (text: string) => Buffer.from(text, 'hex');

  describe('proofs', () => {
    it('hold for every size up to 70, and against the history of heads', async () => {
      const { log } = context;
      const heads = [log.head().treeHash];
      for (let number = 1; number <= 70; number += 1) {
        await log.append([to('a-1', [event(number)])]);
        heads.push(log.head().treeHash);
      }
      expect(heads.map((_, size) => log.treeHash(size))).toEqual(heads);
      for (let size = 1; size <= 70; size += 1) {
        for (let position = 1; position <= size; position += 1) {
          const proof = log.inclusionProof(position, size);
          const path = proof.path.map(unhex);
          const leaf = unhex(proof.leafHash);
          expect(verifyInclusion({ index: position - 1, size, leaf, path, root: unhex(heads[size]!) })).toBe(true);
        }
        for (let from = 0; from <= size; from += 1) {
          const { path, fromHash, toHash } = log.consistencyProof(from, size);
          expect([fromHash, toHash]).toEqual([heads[from], heads[size]]);
          const claim = { from, to: size, fromRoot: unhex(fromHash), toRoot: unhex(toHash), path: path.map(unhex) };
          expect(verifyConsistency(claim)).toBe(true);
        }
      }
    });

    it('hold across tiles, before and after a reopen', async () => {
      await fill(context.log, 1_000);
      const before = [255, 256, 257, 511, 512, 513, 777, 1_000].map((size) => context.log.treeHash(size));
      await context.reopen();
      const { log } = context;
      expect([255, 256, 257, 511, 512, 513, 777, 1_000].map((size) => log.treeHash(size))).toEqual(before);
      for (const position of [1, 255, 256, 257, 512, 700, 999, 1_000]) {
        const { path, leafHash: leaf, treeHash: root } = log.inclusionProof(position, 1_000);
        const claim = { index: position - 1, size: 1_000, leaf: unhex(leaf), path: path.map(unhex), root: unhex(root) };
        expect(verifyInclusion(claim)).toBe(true);
      }
      await fill(log, 300, 2_000);
      expect((await log.verify()).errors).toEqual([]);
    });

    it('refuse sizes and positions outside the log', async () => {
      const { log } = context;
      await fill(log, 3);
      const impossible = [
        () => log.treeHash(4),
        () => log.treeHash(-1),
        () => log.treeHash(1.5),
        () => log.inclusionProof(0, 3),
        () => log.inclusionProof(3, 2),
        () => log.inclusionProof(1, 4),
        () => log.consistencyProof(3, 2),
        () => log.consistencyProof(0, 4),
      ];
      for (const ask of impossible) expect(ask).toThrow(RangeError);
    });
  });
}

export function erasing(context: Context): void {
  describe('erase', () => {
    it('drops the payload, keeps everything else, records itself and verifies', async () => {
      const { log } = context;
      await fill(log, 10);
      const before = log.at(4)!;
      const oldHead = log.head();
      await log.erase([4, 5, 4]);
      expect(log.at(4)).toEqual({ ...before, data: null, erased: true });
      expect([...log.readAll()].filter((e) => e.erased).map((e) => e.position)).toEqual([4, 5]);
      const record = log.at(11)!;
      expect([record.stream, record.type, record.version]).toEqual(['log-erasures', 'PayloadErased', 1]);
      expect(record.data).toMatchObject({ erased: [{ position: 4, leaf_hash: before.leafHash }, { position: 5 }] });
      expect(log.treeHash(10)).toBe(oldHead.treeHash);
      expect((await log.verify()).errors).toEqual([]);
      await context.reopen();
      expect(context.log.at(4)?.erased).toBe(true);
      const retried = await context.log.append([to(before.stream, [event(4)])]);
      expect(retried).toMatchObject({ kind: 'duplicate', events: [{ position: 4, erased: true }] });
    });

    it('notifies listeners of its record, skips erased events and refuses missing positions', async () => {
      const { log } = context;
      await fill(log, 3);
      const received: string[] = [];
      log.onAppended((events) => received.push(...events.map(({ type }) => type)));
      await log.erase([2]);
      await log.erase([2]);
      await log.erase([]);
      expect(received).toEqual(['PayloadErased']);
      await expect(log.erase([9])).rejects.toThrow(RangeError);
      await expect(log.erase([0])).rejects.toThrow(RangeError);
      await expect(log.erase([4])).rejects.toThrow('records an erasure');
      expect(log.head().position).toBe(4);
    });

    it('refuses other writers of erasures', async () => {
      const append = context.log.append([to('log-erasures', [event(1)])]);
      await expect(append).rejects.toMatchObject({ code: 'STORAGE_VALUE_INVALID' });
    });

    it('leaves no byte of the payload in the engine', async () => {
      const secret = 'the-word-that-must-go';
      await context.log.append([to('a-1', [event(1, { secret })])]);
      await context.log.erase([1]);
      for (const { value } of context.engine.range()) expect(Buffer.from(value).includes(secret)).toBe(false);
    });
  });
}
