/** Which events a bundle takes, its files, changes of the key, and its size. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { cosign } from '../../src/lib/tlog/cosignature.ts';
import {
  COSIGNATURE,
  formatSignature,
  formatVerifierKey,
  signingKey,
  verifierKey,
} from '../../src/lib/tlog/signed-note.ts';
import { EVENTS_MAX, type Subject } from '../../src/queries/evidence/selection.ts';
import type { EventLog, NewEvent } from '../../src/storage/event-log.ts';
import { openStorage } from '../../src/storage/open.ts';
import { verifyBundle } from '../../web/evidence/verify.js';
import { event, to } from '../storage/log-helpers.ts';
import { byDepth } from '../support/depth.ts';
import {
  bundleOf,
  keyChange,
  logKeyOf,
  type Manifest,
  ORIGIN,
  resigned,
  type SmallBundle,
  unpacked,
} from './support.ts';

const key = logKeyOf(1);

async function emptyLog(): Promise<EventLog> {
  return (await openStorage({ directory: '', ephemeral: true })).log;
}

async function read(log: EventLog, options: SmallBundle) {
  const zip = await bundleOf(log, options);
  const files = unpacked(zip);
  const manifest = JSON.parse(files.get('manifest.json')!.toString()) as Manifest;
  return { zip, files, manifest, report: await verifyBundle(zip, key.vkey) };
}

const stream = (id: string): Subject => ({ kind: 'stream', id });

describe('the events of a bundle', () => {
  it('of positions are those, of whatever streams, none of them claimed to be whole', async () => {
    const log = await emptyLog();
    for (const number of [1, 2, 3, 4, 5]) await log.append([to(`case-${number % 2}`, [event(number)])]);
    const { manifest, report } = await read(log, { subject: { kind: 'positions', id: '2-4', first: 2, last: 4 } });
    expect(manifest.streams).toEqual([
      {
        stream: 'case-0',
        events: 2,
        positions: [
          [2, 2],
          [4, 4],
        ],
        whole: false,
      },
      { stream: 'case-1', events: 1, positions: [[3, 3]], whole: false },
    ]);
    expect(report).toMatchObject({ ok: true, events: 3 });
  });

  it('end at the checkpoint', async () => {
    const log = await emptyLog();
    for (const number of [1, 2, 3]) await log.append([to('case-1', [event(number)])]);
    const { manifest, report } = await read(log, { subject: stream('case-1'), size: 2 });
    expect([manifest.size, manifest.streams[0]?.positions, report.ok]).toEqual([2, [[1, 2]], true]);
  });

  it('verify with a checkpoint that a witness cosigned', async () => {
    const log = await emptyLog();
    await log.append([to('case-1', [event(1)])]);
    const witness = { name: `${ORIGIN}/witness`, seconds: 1_700_000_000 };
    const cosigned = (text: string): string => formatSignature(cosign(signingKey(Buffer.alloc(32, 9)), witness, text));
    const sign = (text: string): string => key.sign(text) + (text.startsWith(ORIGIN) ? cosigned(text) : '');
    const { zip, files, report } = await read(log, { subject: stream('case-1'), key: { vkey: key.vkey, sign } });
    expect(files.get('checkpoint')!.toString()).toContain('/witness ');
    expect(report.ok).toBe(true);
    const vkeyOf = (seed: number): string =>
      formatVerifierKey(verifierKey(witness.name, COSIGNATURE, signingKey(Buffer.alloc(32, seed)).publicKey));
    const asked = (...witnesses: readonly string[]) => verifyBundle(zip, key.vkey, { witnesses });
    expect(await asked(vkeyOf(9))).toMatchObject({
      cosigned: [{ vkey: vkeyOf(9), seconds: witness.seconds }],
    });
    expect(await asked(vkeyOf(9), vkeyOf(8))).toMatchObject({
      fault: { code: 'not-cosigned', what: expect.stringContaining(`The witness ${witness.name} did not cosign`) },
    });
    expect(await asked(key.vkey)).toMatchObject({ fault: { code: 'key' } });
    const later = resigned(
      new Map(files).set(
        'checkpoint',
        Buffer.from(
          files
            .get('checkpoint')!
            .toString()
            .replace(/(\/witness .{30})(.)/, (_, before, letter) => `${before}${letter === 'A' ? 'B' : 'A'}`),
        ),
      ),
      key,
    );
    expect(await verifyBundle(later, key.vkey, { witnesses: [vkeyOf(9)] })).toMatchObject({ ok: false });
  });

  it('are not shown as erased without the record of it: an erasure after the checkpoint refuses the bundle', async () => {
    const log = await emptyLog();
    await log.append([to('case-1', [event(1), event(2)])]);
    await log.erase([2]);
    const made = bundleOf(log, { subject: stream('case-1'), size: 2 });
    await expect(made).rejects.toThrow('An event was erased while the bundle was made; export it again.');
    expect((await read(log, { subject: stream('case-1') })).report).toMatchObject({ ok: true, erased: 1 });
  });

  it('that do not exist, or are too many, are refused', async () => {
    const log = await emptyLog();
    await log.append([to('case-1', [event(1)])]);
    await expect(bundleOf(log, { subject: stream('case-2') })).rejects.toThrow('no such events');
    const one = log.at(1)!;
    const many = { ...log, head: () => log.head(), treeHash: (size: number) => log.treeHash(size) };
    const readStream = function* () {
      for (let count = 0; count <= EVENTS_MAX; count += 1) yield { ...one, position: 1 - count };
    };
    await expect(bundleOf({ ...many, readStream }, { subject: stream('case-1') })).rejects.toThrow(
      'at most 50000 events',
    );
  });

  it('verify in a tree of every size from 1 to 70', async () => {
    const log = await emptyLog();
    for (let number = 1; number <= 70; number += 1) {
      await log.append([to('case-1', [event(number)])]);
      const report = await verifyBundle(await bundleOf(log, { subject: stream('case-1') }), key.vkey);
      expect([number, report]).toEqual([number, expect.objectContaining({ ok: true, events: number })]);
    }
  });
});

describe('attached files', () => {
  const NOTES = Buffer.from('what they said\n');
  const hash = createHash('sha256').update(NOTES).digest('hex');
  const attached = (number: number, path: string): NewEvent => {
    const file = { path, size_bytes: NOTES.length, sha256: hash };
    const data = { evidence_id: 'e', deliverable_id: 'd', kind: 'file', label: '', reference: '', file, reason: '' };
    return { ...event(number, data), type: 'EvidenceAttached' };
  };

  it('are listed once by hash and name, and included only when they are as recorded', async () => {
    const log = await emptyLog();
    await log.append([
      to('engagement-7', [attached(1, '/w/a b.txt'), attached(2, '/w/a b.txt'), attached(3, '/w/gone')]),
    ]);
    const subject = { kind: 'engagement', id: '7' } as const;
    const { manifest, files, report } = await read(log, { subject, files: new Map([['/w/a b.txt', NOTES]]) });
    const names = ['a_b.txt', 'gone'].map((name) => `files/${hash.slice(0, 16)}-${name}`);
    expect(files.get('files.sha256')!.toString()).toBe(names.map((name) => `${hash}  ${name}\n`).join(''));
    expect(manifest.attached.map(({ included }) => included)).toEqual([true, true, false]);
    expect(report).toMatchObject({ ok: true, files: { listed: 3, included: 2 } });
    const moved = [attached(4, '/w/before/m.txt'), attached(5, '/w/after/m.txt')];
    await log.append([to('engagement-8', moved)]);
    const found = await read(log, {
      subject: { ...subject, id: '8' },
      files: new Map([['/w/after/m.txt', NOTES]]),
    });
    expect(found.manifest.attached.map(({ included }) => included)).toEqual([true, true]);
    expect(found.report).toMatchObject({ ok: true, files: { listed: 2, included: 2 } });
    const without = await read(log, { subject });
    expect([...without.files.keys()].filter((name) => name.startsWith('files/'))).toEqual([]);
    expect(without.report).toMatchObject({ ok: true, files: { listed: 3, included: 0 } });
  });
});

describe('a key that was changed', () => {
  const [first, second, third] = [logKeyOf(1), logKeyOf(2), logKeyOf(3)];

  it('is followed from an older key to the one of the bundle', async () => {
    const log = await emptyLog();
    await log.append([
      to('case-1', [event(1)]),
      to('settings-log-key', [keyChange(2, [first, second]), keyChange(3, [second, third])]),
    ]);
    const zip = await bundleOf(log, { subject: stream('case-1'), key: third });
    for (const [vkey, keyChanges] of [
      [first.vkey, 2],
      [second.vkey, 1],
      [third.vkey, 0],
    ] as const) {
      expect(await verifyBundle(zip, vkey)).toMatchObject({ ok: true, isTrusted: true, keyChanges });
    }
    expect(await verifyBundle(zip, logKeyOf(4).vkey)).toMatchObject({ ok: false, fault: { code: 'other-key' } });
  });

  it('is not followed back from a newer key, and the refusal says that the bundle may be older', async () => {
    const log = await emptyLog();
    await log.append([to('case-1', [event(1)])]);
    const older = await bundleOf(log, { subject: stream('case-1'), key: first });
    const what = expect.stringContaining('from before your key replaced an older one');
    expect(await verifyBundle(older, second.vkey)).toMatchObject({ ok: false, fault: { code: 'other-key', what } });
    const checkpoint = unpacked(older).get('checkpoint')!.toString();
    await log.append([to('settings-log-key', [keyChange(2, [first, second])])]);
    const newer = await bundleOf(log, { subject: stream('case-1'), key: second });
    expect(await verifyBundle(newer, second.vkey, { held: checkpoint })).toMatchObject({ ok: false, fault: { what } });
  });

  it('is not followed through a statement that the older key did not sign', async () => {
    const log = await emptyLog();
    await log.append([to('case-1', [event(1)]), to('settings-log-key', [keyChange(2, [first, second], second)])]);
    const zip = await bundleOf(log, { subject: stream('case-1'), key: second });
    expect(await verifyBundle(zip, first.vkey)).toMatchObject({ ok: false, fault: { code: 'other-key' } });
  });
});

const MANY = byDepth({ sample: 1_000, dense: 10_000 });

it(`a bundle of ${MANY} events is at most 2 kB for each, and verifies`, async () => {
  const log = await emptyLog();
  const text = 'x'.repeat(300);
  const events = Array.from({ length: MANY }, (_, at) => event(at + 1, { number: at, text }));
  await log.append([to('case-1', events)]);
  const begun = performance.now();
  const zip = await bundleOf(log, { subject: stream('case-1') });
  const made = performance.now();
  const report = await verifyBundle(zip, key.vkey);
  if (process.env.DAYBOOK_LONG === '1') {
    console.log(`${zip.length} bytes, made in ${made - begun} ms, verified in ${performance.now() - made} ms`);
  }
  expect(report).toMatchObject({ ok: true, events: MANY });
  expect(zip.length).toBeLessThan(2_000 * MANY);
});
