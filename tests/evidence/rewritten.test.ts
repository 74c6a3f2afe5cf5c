/**
 * Every way to rewrite a bundle, tried at every one of its events: cut, swapped, dropped, doubled, taken from another
 * log. Also two faults that only a reader with an earlier checkpoint can detect: a rollback, and a fork shown to two
 * readers.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import type { EventLog } from '../../src/storage/event-log.ts';
import { openStorage } from '../../src/storage/open.ts';
import { verifyBundle } from '../../web/evidence/verify.js';
import { event, to } from '../storage/log-helpers.ts';
import { byDepth } from '../support/depth.ts';
import { bundleOf, checkpointOf, logKeyOf, type Manifest, packed, resigned, unpacked } from './support.ts';

const EVENTS = 60;
const SUBJECT = { kind: 'stream', id: 'case-7' } as const;
const key = logKeyOf(1);

/** Every second event is of the case. From `forkAt` on, events say something else. */
async function logOf(events: number, forkAt = Number.POSITIVE_INFINITY): Promise<EventLog> {
  const { log } = await openStorage({ directory: '', ephemeral: true });
  for (let at = 1; at <= events; at += 1) {
    const words = `${at >= forkAt ? 'lied' : 'said'} ${at}`;
    await log.append([to(at % 2 === 0 ? 'case-7' : 'other-1', [event(at, { words })])]);
  }
  return log;
}

let honest: EventLog;
let zip: Buffer;
let other: ReadonlyMap<string, Buffer>;
let lines: readonly string[];
let otherLines: readonly string[];
beforeAll(async () => {
  honest = await logOf(EVENTS);
  zip = await bundleOf(honest, { subject: SUBJECT });
  other = unpacked(await bundleOf(await logOf(EVENTS, 1), { subject: SUBJECT }));
  lines = linesOf(unpacked(zip));
  otherLines = linesOf(other);
});

const linesOf = (files: ReadonlyMap<string, Buffer>): string[] =>
  files.get('events.jsonl')!.toString().split('\n').slice(0, -1);
const positionAt = (at: number): number => (JSON.parse(lines[at]!) as { position: number }).position;
const proofOf = (at: number): string => `proofs/${positionAt(at)}.tlog-proof`;

type Files = Map<string, Buffer>;
const withLines = (files: Files, changed: readonly string[]): unknown =>
  files.set('events.jsonl', Buffer.from(changed.map((line) => `${line}\n`).join('')));

/** A claim that fits what is left: what the holder of the key signs. */
function claimOf(files: Files): (manifest: Manifest) => void {
  const left = linesOf(files).map((line) => (JSON.parse(line) as { position: number }).position);
  return (manifest) => {
    manifest.events = new Set(left).size;
    const positions = [...new Set(left)].sort((one, two) => one - two).map((at): [number, number] => [at, at]);
    manifest.streams = [{ stream: 'case-7', events: positions.length, positions, whole: true }];
  };
}

async function faultsOf(change: (files: Files, at: number) => unknown, vkey?: string) {
  const found = { plain: new Set<string>(), signed: new Set<string>() };
  for (let at = 0; at < lines.length; at += 1) {
    const files = unpacked(zip);
    change(files, at);
    for (const [by, bundle] of [
      ['plain', packed(files)],
      ['signed', resigned(files, key, claimOf(files))],
    ] as const) {
      const report = await verifyBundle(bundle, vkey);
      found[by].add(report.ok ? `ok at ${at}` : report.fault.code);
    }
  }
  return { plain: [...found.plain].sort(), signed: [...found.signed].sort() };
}

/** `plain`: by somebody without the key. `signed`: by the holder of the key, with a table of contents that fits. */
describe('at every event of a bundle', () => {
  it('the events and proofs from it on cut off: seen without the key; with it, the bundle is a shorter one', async () => {
    const faults = await faultsOf((files, at) => {
      withLines(files, lines.slice(0, at));
      for (let cut = at; cut < lines.length; cut += 1) files.delete(proofOf(cut));
    });
    // Without its first event it has none, which no bundle may.
    const shorter = lines.map((_, at) => (at === 0 ? 'form' : `ok at ${at}`));
    expect(faults).toEqual({ plain: ['missing'], signed: shorter.sort() });
  });

  it('swapped with its neighbour', async () => {
    const swap = (list: readonly string[], at: number): readonly string[] =>
      list.toSpliced(at, 2, ...list.slice(at, at + 2).toReversed());
    const faults = await faultsOf((files, at) => withLines(files, swap(lines, Math.min(at, lines.length - 2))));
    expect(faults).toEqual({ plain: ['order'], signed: ['order'] });
  });

  it('dropped, with and without its proof', async () => {
    const first = await faultsOf((files, at) => withLines(files, lines.toSpliced(at, 1)));
    expect(first).toEqual({ plain: ['dropped'], signed: ['added'] });
    const both = await faultsOf((files, at) => {
      withLines(files, lines.toSpliced(at, 1));
      files.delete(proofOf(at));
    });
    expect(both.plain).toEqual(['missing']);
    // The last one can be left out by the owner: the bundle is one of an earlier moment of the work.
    expect(both.signed).toEqual([`left-out`, `ok at ${lines.length - 1}`]);
  });

  it('doubled', async () => {
    const faults = await faultsOf((files, at) => withLines(files, lines.toSpliced(at, 0, lines[at]!)));
    expect(faults).toEqual({ plain: ['doubled'], signed: ['doubled'] });
  });

  it('taken from another log, with and without its proof', async () => {
    const alone = await faultsOf((files, at) => withLines(files, lines.with(at, otherLines[at]!)));
    expect(alone).toEqual({ plain: ['changed'], signed: ['changed'] });
    const both = await faultsOf((files, at) => {
      withLines(files, lines.with(at, otherLines[at]!));
      files.set(proofOf(at), other.get(proofOf(at))!);
    });
    expect(both).toEqual({ plain: ['changed'], signed: ['changed'] });
    const rest = await faultsOf((files, at) => {
      withLines(files, [...lines.slice(0, at), ...otherLines.slice(at)]);
    });
    expect(rest).toEqual({ plain: ['changed'], signed: ['changed'] });
  });

  it('everything signed anew by another key', async () => {
    const thief = logKeyOf(2);
    const bundle = await bundleOf(await logOf(EVENTS, 1), { subject: SUBJECT, key: thief });
    expect(await verifyBundle(bundle, key.vkey)).toMatchObject({ ok: false, fault: { code: 'other-key' } });
  });
});

describe('a reader with an earlier checkpoint', () => {
  const held = (size: number, from = key): string => checkpointOf(honest, { size, key: from });

  it('accepts a bundle of a log that continues it, whatever its size', async () => {
    for (let size = 0; size <= EVENTS; size += 1) {
      const bundle = await bundleOf(honest, { subject: SUBJECT, since: size });
      const report = await verifyBundle(bundle, key.vkey, { held: held(size) });
      expect([size, report]).toEqual([size, expect.objectContaining({ ok: true, continues: { size } })]);
    }
  });

  it('sees a fork, wherever it began: two readers were shown two histories by one key', async () => {
    for (let forkAt = 1; forkAt <= EVENTS; forkAt += byDepth({ sample: 7, dense: 1 })) {
      const forked = await logOf(EVENTS, forkAt);
      for (const size of new Set([forkAt, Math.min(forkAt + 3, EVENTS), EVENTS])) {
        const bundle = await bundleOf(forked, { subject: SUBJECT, since: size });
        const report = await verifyBundle(bundle, key.vkey, { held: held(size) });
        const fault = expect.objectContaining({
          code: 'forked',
          what: expect.stringContaining('signed two histories'),
        });
        expect([forkAt, size, report]).toEqual([forkAt, size, { ok: false, fault }]);
      }
    }
  });

  it('sees that the log was rolled back to a backup', async () => {
    const backup = await logOf(EVENTS - 20);
    const bundle = await bundleOf(backup, { subject: SUBJECT });
    expect(await verifyBundle(bundle, key.vkey)).toMatchObject({ ok: true, continues: null });
    expect(await verifyBundle(bundle, key.vkey, { held: held(EVENTS) })).toMatchObject({
      fault: { code: 'rolled-back', what: expect.stringContaining('has 60. It was made before your checkpoint, or') },
    });
    const grown = await bundleOf(await logOf(EVENTS + 10, EVENTS - 20), { subject: SUBJECT, since: EVENTS });
    expect(await verifyBundle(grown, key.vkey, { held: held(EVENTS) })).toMatchObject({ fault: { code: 'forked' } });
  });

  it('is told when the bundle cannot be compared, and when the checkpoint is not one of the log', async () => {
    expect(await verifyBundle(zip, key.vkey, { held: held(7) })).toMatchObject({
      fault: { code: 'uncompared', what: expect.stringContaining('--since 7') },
    });
    expect(await verifyBundle(zip, key.vkey, { held: held(8) })).toMatchObject({ ok: true });
    for (const note of [held(8, logKeyOf(2)), 'junk', '']) {
      expect(await verifyBundle(zip, key.vkey, { held: note })).toMatchObject({ fault: { code: 'signature' } });
    }
    await expect(bundleOf(await logOf(8), { subject: SUBJECT, since: 9 })).rejects.toThrow(
      'The log has 8 events, not 9',
    );
  });

  it('is not misled by another leaf hash for the event that the bundle does not hold', async () => {
    const files = unpacked(await bundleOf(honest, { subject: SUBJECT, since: 7 }));
    const bundle = resigned(files, key, (manifest) => {
      manifest.anchors![0]!.leaf_hash = '0'.repeat(64);
    });
    expect(await verifyBundle(bundle, key.vkey)).toMatchObject({ fault: { where: 'proofs/7.tlog-proof' } });
  });
});
