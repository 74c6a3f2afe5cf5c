/**
 * The browser's verification of RFC 9162 proofs against trees of the log: every proof passes, and no changed one does.
 */
import { describe, expect, it } from 'vitest';
import { canonicalJson as canonicalOfLog } from '../../src/storage/canonical-json.ts';
import {
  consistencyPath,
  EMPTY_FRONTIER,
  frontierHash,
  GrowingFrontier,
  type Hash,
  inclusionPath,
  leafHash as leafOfLog,
} from '../../src/storage/merkle.ts';
import { canonicalJson } from '../../web/lib/canonical-json.ts';
import { isGrowth, leafHash, rootOf } from '../../web/lib/merkle.ts';

const SIZE_MAX = 33;
const hex = (hash: Hash): string => Buffer.from(hash).toString('hex');
const textOf = (index: number): string => `{"event":${index},"what":"Grüße"}`;

const nodes = new Map<string, Hash>();
const roots: string[] = [];
const frontier = new GrowingFrontier(EMPTY_FRONTIER);
roots.push(hex(frontierHash(frontier)));
for (let index = 0; index < SIZE_MAX; index += 1) {
  const leaf = leafOfLog(Buffer.from(textOf(index)));
  nodes.set(`0 ${index}`, leaf);
  frontier.append(leaf, (level, at, node) => nodes.set(`${level} ${at}`, node));
  roots.push(hex(frontierHash(frontier)));
}
const read = (level: number, index: number): Hash => nodes.get(`${level} ${index}`)!;

describe('in the browser', () => {
  it('every audit path leads to the root, and to no other root from another leaf or position', async () => {
    for (let size = 1; size <= SIZE_MAX; size += 1) {
      for (let position = 1; position <= size; position += 1) {
        const path = inclusionPath(position - 1, size, read).map(hex);
        const leaf = await leafHash(textOf(position - 1));
        expect(await rootOf({ leaf, position, size, path })).toBe(roots[size]);
        const other = await leafHash('changed');
        expect(await rootOf({ leaf: other, position, size, path })).not.toBe(roots[size]);
        expect(await rootOf({ leaf, position, size, path: [...path, leaf] })).toBeNull();
      }
    }
  });

  it('every consistency path shows growth, and none from another root', async () => {
    for (let to = 1; to <= SIZE_MAX; to += 1) {
      for (let from = 1; from <= to; from += 1) {
        const path = consistencyPath(from, to, read).map(hex);
        const larger = { size: to, hash: roots[to]! };
        expect(await isGrowth({ from: { size: from, hash: roots[from]! }, to: larger, path }), `${from} ${to}`).toBe(
          true,
        );
        const rewritten = { size: from, hash: roots[0]! };
        expect(await isGrowth({ from: rewritten, to: larger, path }), `${from} ${to}`).toBe(false);
      }
    }
  });

  it.each([
    [{ b: [1, 2.5, -0, 1e21, null, true], a: { ü: 'Grüße\n"', 'a b': '\u2028', '\u{1F600}': '', '\uFB33': 1 } }],
    ['text'],
    [[]],
    [{}],
  ])('the canonical text is that of the log (%#)', (value) => {
    expect(canonicalJson(value)).toBe(canonicalOfLog(value));
  });
});
