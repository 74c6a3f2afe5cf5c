/** Proofs, and erasures, which keep proofs valid. */
import { deepEqual, equal, rejects, throws } from 'node:assert/strict';
import type { EventLog } from '../../storage/event-log.ts';
import { verifyConsistency, verifyInclusion } from '../../storage/merkle.ts';
import { type Case, event, fill, isWhole, positions, refuses, to, upTo } from './case.ts';

/** Around the boundaries of the tiles of 256 leaves. */
const SIZES = [255, 256, 257, 511, 512, 513, 777, 1_000];

const proofs: readonly Case[] = [
  {
    name: 'proofs: hold for every size up to 40, and against the history of heads',
    run: async ({ log }) => {
      const heads = [log.head().treeHash];
      for (const number of upTo(40)) {
        await log.append([to('a-1', [event(number)])]);
        heads.push(log.head().treeHash);
      }
      deepEqual(
        heads.map((_, size) => log.treeHash(size)),
        heads,
      );
      for (const size of upTo(40)) {
        for (const position of upTo(size)) equal(isIncluded(log, { position, size, root: heads[size]! }), true);
        for (const from of [0, ...upTo(size)]) {
          const { path, fromHash, toHash } = log.consistencyProof(from, size);
          deepEqual([fromHash, toHash], [heads[from], heads[size]]);
          const claim = { from, to: size, fromRoot: unhex(fromHash), toRoot: unhex(toHash), path: path.map(unhex) };
          equal(verifyConsistency(claim), true);
        }
      }
    },
  },
  {
    name: 'proofs: hold across tiles, before and after a reopen',
    run: async ({ log, reopen }) => {
      await fill(log, 1_000);
      const before = SIZES.map((size) => log.treeHash(size));
      const reopened = await reopen();
      deepEqual(
        SIZES.map((size) => reopened.treeHash(size)),
        before,
      );
      const root = reopened.treeHash(1_000);
      for (const position of [1, 255, 256, 257, 512, 700, 999, 1_000]) {
        equal(isIncluded(reopened, { position, size: 1_000, root }), true);
      }
      await fill(reopened, 300, 2_000);
      await isWhole(reopened);
    },
  },
  {
    name: 'proofs: refuse sizes and positions outside the log',
    run: async ({ log }) => {
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
      for (const ask of impossible) throws(ask, RangeError);
    },
  },
];

const erasures: readonly Case[] = [
  {
    name: 'erase: drops the payload, keeps everything else, records itself and verifies',
    run: async ({ log, reopen }) => {
      await fill(log, 10);
      const before = log.at(4)!;
      const oldHead = log.head();
      await log.erase([4, 5, 4]);
      deepEqual(log.at(4), { ...before, data: null, erased: true });
      deepEqual(positions([...log.readAll()].filter((e) => e.erased)), [4, 5]);
      const record = log.at(11)!;
      deepEqual([record.stream, record.type, record.version], ['log-erasures', 'PayloadErased', 1]);
      const { erased } = record.data as { erased: { position: number; leaf_hash: string }[] };
      deepEqual(
        erased.map(({ position, leaf_hash }) => [position, leaf_hash]),
        [
          [4, before.leafHash],
          [5, log.at(5)!.leafHash],
        ],
      );
      equal(log.treeHash(10), oldHead.treeHash);
      await isWhole(log);
      const reopened = await reopen();
      equal(reopened.at(4)?.erased, true);
      const retried = await reopened.append([to(before.stream, [event(4)])]);
      deepEqual(retried, { kind: 'duplicate', events: [{ ...before, data: null, erased: true }] });
    },
  },
  {
    name: 'erase: notifies listeners of its record, skips erased events and refuses missing positions',
    run: async ({ log }) => {
      await fill(log, 3);
      const received: string[] = [];
      log.onAppended((events) => received.push(...events.map(({ type }) => type)));
      await log.erase([2]);
      await log.erase([2]);
      await log.erase([]);
      deepEqual(received, ['PayloadErased']);
      await rejects(log.erase([9]), RangeError);
      await rejects(log.erase([0]), RangeError);
      await rejects(log.erase([4]), /records an erasure/);
      equal(log.head().position, 4);
    },
  },
  {
    name: 'erase: refuses other writers of erasures',
    run: ({ log }) => refuses(log, [to('log-erasures', [event(1)])]),
  },
];

export const proving: readonly Case[] = [...proofs, ...erasures];

interface Inclusion {
  readonly position: number;
  readonly size: number;
  readonly root: string;
}

function isIncluded(log: EventLog, { position, size, root }: Inclusion): boolean {
  const { path, leafHash } = log.inclusionProof(position, size);
  const leaf = unhex(leafHash);
  return verifyInclusion({ index: position - 1, size, leaf, path: path.map(unhex), root: unhex(root) });
}

function unhex(text: string): Buffer {
  return Buffer.from(text, 'hex');
}
