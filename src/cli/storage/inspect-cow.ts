/** The pages of a `cow` store as its newest good meta page reaches them, breadth first; bad ones with what is wrong. */
import type { Branch } from '../../storage/cow/branch.ts';
import { NodeRef, type TreeNode } from '../../storage/cow/branch.ts';
import { UNIT_BYTES } from '../../storage/cow/format.ts';
import { PAGE_FILE, PageFile } from '../../storage/cow/page-file.ts';
import { StorageError } from '../../storage/errors.ts';
import { nodeDisk } from '../../storage/node-disk.ts';

interface PageRow {
  readonly [column: string]: string | number | null;
  readonly kind: string;
  readonly offset: number;
  readonly level: number | null;
  readonly count: number | null;
  readonly bytes: number;
  readonly note: string;
}

export function* cowPages(store: string, limit: number): Generator<PageRow> {
  const file = new PageFile(nodeDisk, { directory: store, name: PAGE_FILE, mode: 'read' });
  try {
    const metas = file.readMetas();
    for (const [slot, meta] of metas.entries()) {
      const note =
        typeof meta === 'string' ? meta : `checkpoint ${meta.checkpoint}, sequence ${meta.sequence}, ${meta.keys} keys`;
      yield { kind: 'meta', offset: slot * UNIT_BYTES, level: null, count: null, bytes: UNIT_BYTES, note };
    }
    const good = metas.filter((meta) => typeof meta !== 'string').sort((a, b) => b.checkpoint - a.checkpoint);
    const [newest] = good;
    if (newest !== undefined) yield* nodesBelow(file, NodeRef.onDisk(newest.root, newest.levels), limit);
  } finally {
    file.close();
  }
}

function* nodesBelow(file: PageFile, root: NodeRef, limit: number): Generator<PageRow> {
  const waiting = [root];
  for (let seen = 0; seen < limit && seen < waiting.length; seen += 1) {
    const ref = waiting[seen]!;
    const node = read(file, ref);
    const isBad = typeof node === 'string';
    const kind = ref.level === 0 ? 'leaf' : 'branch';
    const count = isBad ? null : node.count;
    yield { kind, offset: ref.unit * UNIT_BYTES, level: ref.level, count, bytes: ref.length, note: isBad ? node : '' };
    if (!isBad && ref.level > 0) waiting.push(...(node as Branch).children);
  }
}

function read(file: PageFile, ref: NodeRef): TreeNode | string {
  try {
    return file.readNode(ref);
  } catch (error) {
    if (error instanceof StorageError) return error.message;
    throw error;
  }
}
