/**
 * A replica survives invalid bytes, updates that make yjs throw after they are half applied, and updates whose
 * predecessors never arrived. None of them changes the text, or how valid updates are applied later.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { createReplicas, PENDING_BYTES_MAX } from '../../src/integrations/rooms/replicas.ts';
import type { Replica } from '../../src/ports/replica.ts';
import { byDepth } from '../support/depth.ts';

const replicas = createReplicas();
const none = (): Uint8Array[] => [];

/** A document that was written in many ways, and its updates one by one. */
function written(edits: readonly number[]): { readonly document: Y.Doc; readonly updates: readonly Uint8Array[] } {
  const document = new Y.Doc();
  document.clientID = 7;
  const updates: Uint8Array[] = [];
  document.on('update', (update: Uint8Array) => updates.push(update));
  const text = document.getText('a');
  for (const edit of edits) {
    if (edit % 5 === 0) document.getMap('m').set(`k${edit % 3}`, edit % 2 === 0 ? { x: [edit] } : new Y.Text('q'));
    else if (edit % 5 === 1) document.getArray('l').insert(0, [new Y.Map(), edit]);
    else if (edit % 5 === 2 && text.length > 2) text.delete(edit % (text.length - 1), 1);
    else text.insert(edit % (text.length + 1), `<${edit}>`);
  }
  return { document, updates };
}

const edits = fc.array(fc.nat(1_000), { minLength: 4, maxLength: 20 });

/** The content of the replica as a new peer gets it. */
function shown(replica: Replica): unknown {
  const document = new Y.Doc();
  Y.applyUpdate(document, replica.missing(Y.encodeStateVector(document))!);
  document.getText('a');
  document.getMap('m');
  document.getArray('l');
  return document.toJSON();
}

describe('a replica', () => {
  it('says what of an update was not there yet', async () => {
    const replica = await replicas.open(none);
    const [first, second] = written([3, 8]).updates;
    expect(replica.apply(first!)).toEqual({ kind: 'applied', news: first, pendingBytes: 0 });
    expect(replica.apply(first!)).toEqual({ kind: 'applied', news: null, pendingBytes: 0 });
    expect(replica.apply(Y.mergeUpdates([first!, second!]))).toEqual({
      kind: 'applied',
      news: second,
      pendingBytes: 0,
    });
  });

  it('is made of its history, without what of that cannot be taken', async () => {
    const { document, updates } = written([3, 8, 13, 4, 0, 1]);
    const broken = Buffer.from([1, 255]);
    const replica = await replicas.open(() => [updates[0]!, broken, ...updates.slice(1)]);
    expect(Buffer.from(replica.vector())).toEqual(Buffer.from(Y.encodeStateVector(document)));
  });

  it('keeps what builds on something that is not there until that comes, and says so', async () => {
    const replica = await replicas.open(none);
    const { document, updates } = written([3, 8, 13]);
    const kept = replica.apply(updates[2]!);
    expect(kept).toEqual({ kind: 'applied', news: null, pendingBytes: expect.any(Number) });
    expect(kept).not.toMatchObject({ pendingBytes: 0 });
    expect(replica.state()).toEqual(Y.encodeStateAsUpdate(new Y.Doc()));
    expect(replica.apply(updates[0]!)).toEqual({ kind: 'applied', news: updates[0], pendingBytes: 0 });
    const last = replica.apply(updates[1]!);
    expect(last).toMatchObject({ kind: 'applied', pendingBytes: 0 });
    expect(shown(replica)).toMatchObject({ a: document.getText('a').toString() });
    // What became part of the text is news, for the log.
    const again = await replicas.open(() => [updates[0]!, (last as { news: Uint8Array }).news]);
    expect(Buffer.from(again.vector())).toEqual(Buffer.from(Y.encodeStateVector(document)));
  });

  it('hands on what it keeps: who comes late has as much as those who were there', async () => {
    const replica = await replicas.open(none);
    const { document, updates } = written([3, 8, 13]);
    replica.apply(updates[1]!);
    replica.apply(updates[2]!);
    const late = new Y.Doc();
    Y.applyUpdate(late, replica.missing(Y.encodeStateVector(late))!);
    Y.applyUpdate(late, updates[0]!);
    expect(late.getText('a').toString()).toBe(document.getText('a').toString());
  });

  it('keeps no more than the limit', async () => {
    const replica = await replicas.open(none);
    const document = new Y.Doc();
    const updates: Uint8Array[] = [];
    document.on('update', (update: Uint8Array) => updates.push(update));
    for (const length of [1, PENDING_BYTES_MAX + 1]) document.getText('a').insert(0, 'x'.repeat(length));
    expect(replica.apply(updates[1]!)).not.toMatchObject({ pendingBytes: 0 });
    replica.apply(updates[0]!);
    expect(shown(replica)).toMatchObject({ a: 'x' });
    expect(replica.apply(updates[1]!)).toMatchObject({ pendingBytes: 0 });
  });

  it('takes what it lacks whatever broken parts it keeps', async () => {
    const change = fc.record({ at: fc.nat(), byte: fc.integer({ min: 0, max: 255 }) });
    const broken = async (history: number[], changes: { at: number; byte: number }[]): Promise<void> => {
      const { updates } = written(history);
      const half = Math.ceil(updates.length / 2);
      const lacking = Y.mergeUpdates(updates.slice(0, half));
      const part = Y.mergeUpdates(updates.slice(half));
      for (const { at, byte } of changes) part[at % part.length] = byte;
      const replica = await replicas.open(none);
      const first = replica.apply(part);
      if (first.kind === 'applied' && first.news === null) {
        expect(replica.apply(lacking)).toMatchObject({ kind: 'applied' });
        expect(replica.missing(Y.encodeStateVector(new Y.Doc()))).not.toBeNull();
      }
    };
    const changes = fc.array(change, { minLength: 1, maxLength: 3 });
    await fc.assert(fc.asyncProperty(edits, changes, broken), { numRuns: byDepth({ sample: 80, dense: 400 }) });
  });

  it('answers null to a vector that is none', async () => {
    const replica = await replicas.open(none);
    expect(replica.missing(Buffer.from([255]))).toBeNull();
    expect(replica.missing(new Uint8Array())).toBeNull();
  });

  it('believes no length before it has seen the bytes', async () => {
    const replica = await replicas.open(none);
    // One client, 2^24 structs of it, and then nothing.
    const before = process.memoryUsage().rss;
    for (let each = 0; each < 50; each += 1) {
      expect(replica.apply(Buffer.from([1, 128, 128, 128, 8, 1, 0]))).toEqual({ kind: 'unreadable' });
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1_048_576);
  });
});

describe('garbage', () => {
  it('of any bytes is unreadable, or changes nothing that could not be read again', async () => {
    const { updates } = written([3, 8, 13, 4, 2]);
    const replica = await replicas.open(() => updates);
    const before = shown(replica);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const { kind } = replica.apply(bytes);
        if (kind !== 'applied') expect(shown(replica)).toEqual(before);
        expect(replica.state()).not.toBeNull();
        replica.restore();
      }),
      { numRuns: byDepth({ sample: 100, dense: 500 }) },
    );
  });

  // About one in fifteen of those that can be decoded makes yjs throw, half of these with the document already changed.
  it('made from real updates by changing a few bytes leaves the text as it was whenever yjs throws', async () => {
    const kinds = new Set<string>();
    const change = fc.record({ at: fc.nat(), byte: fc.integer({ min: 0, max: 255 }) });
    const changes = fc.array(change, { minLength: 1, maxLength: 4 });
    const asked = fc.asyncProperty(edits, fc.nat(), fc.array(changes, { minLength: 40, maxLength: 40 }), broken);
    async function broken(history: number[], cut: number, all: { at: number; byte: number }[][]): Promise<void> {
      const { document, updates } = written(history);
      const known = updates.slice(0, cut % updates.length);
      const replica = await replicas.open(() => known);
      const before = shown(replica);
      const whole = Y.encodeStateAsUpdate(document);
      for (const each of all) {
        const update = Uint8Array.from(whole);
        for (const { at, byte } of each) update[at % update.length] = byte;
        const { kind } = replica.apply(update);
        kinds.add(kind);
        if (kind === 'applied') replica.restore();
        expect(shown(replica)).toEqual(before);
      }
      for (const update of updates) expect(replica.apply(update)).toMatchObject({ kind: 'applied', pendingBytes: 0 });
      expect(Buffer.from(replica.vector())).toEqual(Buffer.from(Y.encodeStateVector(document)));
    }
    await fc.assert(asked, { numRuns: byDepth({ sample: 30, dense: 150 }) });
    expect([...kinds].sort()).toEqual(['applied', 'harmful', 'unreadable']);
  });
});

it('a text is the same whatever the order and the packing of its updates', async () => {
  const property = fc.asyncProperty(edits, fc.infiniteStream(fc.boolean()), async (history, cuts) => {
    const { document, updates } = written(history);
    const replica = await replicas.open(none);
    const packs: Uint8Array[][] = [[]];
    for (const update of updates) {
      if (cuts.next().value) packs.push([]);
      packs.at(-1)!.push(update);
    }
    const merged = packs.filter((pack) => pack.length > 0).map((pack) => replica.merge(pack)!);
    for (const update of merged) replica.apply(update);
    const again = await replicas.open(() => [replica.state()!]);
    for (const each of [replica, again]) {
      expect(Buffer.from(each.vector())).toEqual(Buffer.from(Y.encodeStateVector(document)));
    }
    expect(shown(again)).toEqual(shown(replica));
  });
  await fc.assert(property, { numRuns: byDepth({ sample: 30, dense: 100 }) });
});
