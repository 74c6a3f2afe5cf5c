/** `verify` finds every kind of fault that it checks for, in deliberately corrupted trees. */
import { describe, expect, test } from 'vitest';
import type { Branch } from '../../src/storage/cow/branch.ts';
import { checkedConfig } from '../../src/storage/cow/config.ts';
import type { Leaf } from '../../src/storage/cow/leaf.ts';
import { openFiles } from '../../src/storage/cow/open.ts';
import type { Store } from '../../src/storage/cow/store.ts';
import { type Verification, verifyTree } from '../../src/storage/cow/verify.ts';
import { SMALL } from './cow-helpers.ts';
import { FaultDisk } from './fault-disk.ts';

/** A tree of a branch and several leaves: in memory only, or written to the page file. */
async function grown(isWritten: boolean): Promise<Store> {
  const place = { directory: '/store', disk: new FaultDisk(), config: checkedConfig(SMALL) };
  const { store } = await openFiles(place);
  for (let index = 0; index < 100; index += 1) {
    const bytes = Buffer.from(`key${String(index).padStart(3, '0')}value`);
    store.tree.apply({ bytes, keyStart: 0, keyEnd: 6, valueStart: 6, valueEnd: bytes.length });
  }
  const newest = () => 1;
  if (isWritten) await store.checkpoint(newest, async () => {});
  return store;
}

async function faultsOf(store: Store, changed: Partial<Verification> = {}): Promise<string[]> {
  const { file, units, tree } = store;
  const state = { root: tree.root, keys: tree.keys, bytes: tree.bytes };
  const others = store.pagesOutsideTree();
  const faults = await verifyTree({ file, units, state, others, progress: () => {}, ...changed });
  expect(faults.every((fault) => fault.file === 'tree.db')).toBe(true);
  return faults.map(({ what }) => what);
}

const rootOf = (store: Store): Branch => store.tree.root.node as Branch;
const leafOf = (store: Store, index: number): Leaf => rootOf(store).children[index]!.node as Leaf;

describe('a corrupted tree', () => {
  test('is clean before it is corrupted', async () => {
    expect(await faultsOf(await grown(false))).toEqual([]);
    expect(await faultsOf(await grown(true))).toEqual([]);
  });

  test('with entries out of order', async () => {
    const store = await grown(false);
    const { slots } = leafOf(store, 1);
    const half = slots.length >> 1;
    [slots[half], slots[half + 1]] = [slots[half + 1]!, slots[half]!];
    expect(await faultsOf(store)).toEqual(['entry 1 of the leaf is out of order']);
  });

  test('with separators out of order', async () => {
    const store = await grown(false);
    rootOf(store).separators.reverse();
    expect(await faultsOf(store)).toContain('separator 1 of the branch is out of order');
  });

  test.each([
    ['above', 0, 'key000'],
    ['below', 0, 'key050'],
  ])('with keys %s the range of their separators', async (_, index, separator) => {
    const store = await grown(false);
    rootOf(store).separators[index] = Buffer.from(separator);
    expect(await faultsOf(store)).toContain('the node has keys outside its parent’s separators');
  });

  test('with wrong counts', async () => {
    const store = await grown(true);
    const { root, keys, bytes } = store.tree;
    expect(await faultsOf(store, { state: { root, keys: keys + 1, bytes } })).toEqual([
      `the tree has ${keys} keys, its meta page counts ${keys + 1}`,
    ]);
    expect(await faultsOf(store, { state: { root, keys, bytes: bytes - 1 } })).toEqual([
      `the tree has ${bytes} bytes, its meta page counts ${bytes - 1}`,
    ]);
  });

  test('with a page in use that is marked free', async () => {
    const store = await grown(true);
    store.units.free(rootOf(store).children[0]!);
    expect((await faultsOf(store)).join()).toContain('is in use but marked free');
  });

  test('with a page that has two owners', async () => {
    const store = await grown(true);
    const others = [...store.pagesOutsideTree(), rootOf(store).children[0]!];
    expect((await faultsOf(store, { others })).join()).toContain('belongs to 2 pages');
  });

  test('with pages without an owner', async () => {
    const store = await grown(true);
    store.units.take(2);
    expect((await faultsOf(store)).join()).toMatch(/units are marked as used but belong to no page/);
  });

  test('with a page beyond the end of the file', async () => {
    const store = await grown(true);
    const others = [...store.pagesOutsideTree(), { unit: store.units.length + 5, length: 10, crc: 0 }];
    expect((await faultsOf(store, { others })).join()).toContain('lies beyond the end of the file');
  });
});

test('a lost write leaves a valid page that does not match its reference, and is detected', async () => {
  const store = await grown(true);
  const child = rootOf(store).children[0]!;
  store.tree.cache.release(child);
  child.crc ^= 1;
  expect(() => store.tree.cache.load(child)).toThrow(/a write was lost/);
});
