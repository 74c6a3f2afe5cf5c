/** Every change of a bundle is detected and reported, whoever made it and whatever they know. */
import { crc32 } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import type { EventLog } from '../../src/storage/event-log.ts';
import { openStorage } from '../../src/storage/open.ts';
import { verifyBundle } from '../../web/evidence/verify.js';
import { crc32InScript } from '../../web/evidence/zip.js';
import { event, to } from '../storage/log-helpers.ts';
import { byDepth } from '../support/depth.ts';
import { bundleOf, logKeyOf, type Manifest, ORIGIN, packed, resigned, unpacked } from './support.ts';

/** Bytes from one that is changed to the next, where each change takes a bundle that is packed anew. */
const STEP = byDepth({ sample: 13, dense: 3, long: 1 });

const SUBJECT = { kind: 'stream', id: 'case-7' } as const;
const key = logKeyOf(1);
const thief = logKeyOf(2);

/** The events of the log. */
const SIZE = 1_000;

/** Three events of the case between those of others; the content of the second is erased. */
async function smallLog(words = 'said'): Promise<EventLog> {
  const { log } = await openStorage({ directory: '', ephemeral: true });
  for (const [number, stream] of ['other-1', 'case-7', 'case-7', 'other-1', 'case-7'].entries()) {
    await log.append([to(stream, [event(number + 1, { words: `${words} ${number}` })])]);
  }
  await log.erase([3]);
  const more = Array.from({ length: SIZE - log.head().position }, (_, at) => event(100 + at));
  await log.append([to('other-2', more)]);
  return log;
}

let log: EventLog;
let zip: Buffer;
let files: Map<string, Buffer>;

beforeAll(async () => {
  log = await smallLog();
  zip = await bundleOf(log, { subject: SUBJECT, texts: [['report.md', '# A report\n']] });
});

const changed = (change: (files: Map<string, Buffer>) => void): Map<string, Buffer> => {
  files = unpacked(zip);
  change(files);
  return files;
};

async function faultOf(bundle: Uint8Array, vkey = key.vkey) {
  const report = await verifyBundle(bundle, vkey);
  return report.ok ? 'ok' : report.fault;
}

const edit = (name: string, from: string | RegExp, by: string) => (of: Map<string, Buffer>) => {
  const text = of.get(name)!.toString();
  expect(text).toMatch(from);
  of.set(name, Buffer.from(text.replace(from, by)));
};

/** What somebody without the key can do: the container is packed anew, with checksums that fit. */
const plain = (change: (files: Map<string, Buffer>) => void) => faultOf(packed(changed(change)));
/** What the holder of the key can do. */
const signed = (change: (files: Map<string, Buffer>) => void, more?: (manifest: Manifest) => void) =>
  faultOf(resigned(changed(change), key, more));

const flipped = (bytes: Uint8Array, at: number): Buffer => {
  const copy = Buffer.from(bytes);
  copy[at]! ^= 1;
  return copy;
};

it('a good bundle verifies, says what it is about, and is the same bytes each time', async () => {
  expect(await verifyBundle(zip, key.vkey)).toMatchObject({
    ...{ ok: true, origin: ORIGIN, vkey: key.vkey, isTrusted: true, keyChanges: 0, size: SIZE, subject: SUBJECT },
    ...{ events: 4, erased: 1, files: { listed: 0, included: 0 } },
    streams: [
      { stream: 'case-7', events: 3, whole: true },
      { stream: 'log-erasures', events: 1, whole: false },
    ],
  });
  expect(await verifyBundle(zip)).toMatchObject({ ok: true, isTrusted: false });
  expect(
    (await bundleOf(await smallLog(), { subject: SUBJECT, texts: [['report.md', '# A report\n']] })).equals(zip),
  ).toBe(false);
  expect((await bundleOf(log, { subject: SUBJECT, texts: [['report.md', '# A report\n']] })).equals(zip)).toBe(true);
});

describe('every single byte', () => {
  it('counts in the checksum of zip files, which browsers compute as Node does', () => {
    for (const at of Array(1_000).keys()) {
      const part = zip.subarray(at, at * 3);
      expect(crc32InScript(part)).toBe(crc32(part));
    }
  });

  it('of the zip file', async () => {
    const missed: number[] = [];
    for (let at = 0; at < zip.length; at += 1) if ((await faultOf(flipped(zip, at))) === 'ok') missed.push(at);
    expect(missed).toEqual([]);
  });

  it(`of every file in it, each ${STEP}. one, packed anew with checksums that fit`, async () => {
    const missed: string[] = [];
    const named = new Map<string, Set<string>>();
    for (const [name, content] of unpacked(zip)) {
      for (let at = 0; at < content.length; at += STEP) {
        const fault = await plain((of) => of.set(name, flipped(content, at)));
        if (fault === 'ok') missed.push(`${name} ${at}`);
        else named.set(name, (named.get(name) ?? new Set()).add(fault.code));
      }
    }
    expect(missed).toEqual([]);
    expect(named.get('report.md')).toEqual(new Set(['changed']));
  });

  it('of the events, what is left of erased ones, and the checkpoint, with a manifest that the key signed for them', async () => {
    const missed: string[] = [];
    for (const name of ['events.jsonl', 'erased.jsonl', 'checkpoint']) {
      for (let at = 0; at < unpacked(zip).get(name)!.length; at += STEP) {
        const fault = await signed((of) => of.set(name, flipped(of.get(name)!, at)));
        if (fault === 'ok') missed.push(`${name} ${at}`);
      }
    }
    expect(missed).toEqual([]);
  });

  it('and the file cut after every byte', async () => {
    const missed: number[] = [];
    for (let kept = 0; kept < zip.length; kept += 1)
      if ((await faultOf(zip.subarray(0, kept))) === 'ok') missed.push(kept);
    expect(missed).toEqual([]);
  });
});

const line = (of: Map<string, Buffer>, at: number): string => of.get('events.jsonl')!.toString().split('\n')[at]!;
const setLines = (of: Map<string, Buffer>, lines: readonly string[]) =>
  of.set('events.jsonl', Buffer.from(lines.map((each) => `${each}\n`).join('')));
const lines = (of: Map<string, Buffer>): string[] => of.get('events.jsonl')!.toString().trimEnd().split('\n');

const dropFirst = (of: Map<string, Buffer>): void => {
  setLines(of, lines(of).toSpliced(0, 1));
  of.delete('proofs/2.tlog-proof');
};

describe('without the key', () => {
  it.each([
    ['an event changed', edit('events.jsonl', 'said 4', 'never 4'), 'event 5', 'Event 5 was changed'],
    ['an event dropped', (of) => setLines(of, lines(of).toSpliced(0, 1)), 'event 2', 'Event 2 (of case-7) is missing'],
    ['an event twice', (of) => setLines(of, [line(of, 0), ...lines(of)]), 'event 2', 'in the bundle twice'],
    [
      'neighbours swapped',
      (of) => setLines(of, lines(of).toReversed()),
      'event 5',
      'the order of the events was changed',
    ],
    ['an event added', (of) => setLines(of, [...lines(of), '{"position":9}']), 'event 9', 'Event 9 was added'],
    [
      'a line that is no event',
      (of) => setLines(of, ['x', ...lines(of)]),
      'line 1 of events.jsonl',
      'no readable event',
    ],
    [
      'the last line cut',
      (of) => of.set('events.jsonl', of.get('events.jsonl')!.subarray(0, -9)),
      'events.jsonl',
      'not complete',
    ],
    [
      'a proof dropped',
      (of) => of.delete('proofs/5.tlog-proof'),
      'proofs/5.tlog-proof',
      'The proof of event 5 is missing',
    ],
    [
      'a proof of another event',
      (of) => of.set('proofs/5.tlog-proof', of.get('proofs/2.tlog-proof')!),
      'proofs/5.tlog-proof',
      'was changed or replaced',
    ],
    ['an event and its proof dropped', (of) => dropFirst(of), 'proofs/2.tlog-proof', 'missing'],
    [
      'an erased event dropped',
      (of) => of.set('erased.jsonl', Buffer.alloc(0)),
      'event 3',
      'Event 3 (of case-7) is missing',
    ],
    [
      'the time of an erased event changed',
      edit('erased.jsonl', /(at\\":)\d/, '$17'),
      'event 3',
      'erased event 3 was changed',
    ],
    [
      'the manifest changed',
      edit('manifest.json', '"events":4', '"events":3'),
      'manifest.json',
      'not the one that was signed',
    ],
    ['no checkpoint', (of) => of.delete('checkpoint'), 'checkpoint', 'missing'],
    ['a file added', (of) => of.set('more.md', Buffer.from('x')), 'more.md', 'was added'],
    ['the report changed', edit('report.md', 'report', 'Report'), 'report.md', 'changed after the export'],
    ['the report dropped', (of) => of.delete('report.md'), 'report.md', 'missing'],
  ] satisfies [string, (of: Map<string, Buffer>) => unknown, string, string][])(
    '%s',
    async (_, change, where, what) => {
      expect(await plain((of) => void change(of))).toMatchObject({ where, what: expect.stringContaining(what) });
    },
  );

  it('signed anew by another key: named when the reader knows the key, else the other key is shown', async () => {
    const bundle = resigned(changed(edit('events.jsonl', 'said 4', 'never 4')), thief);
    expect(await faultOf(bundle)).toMatchObject({ code: 'signature', where: 'manifest.note' });
    const made = await bundleOf(await smallLog('lied'), { subject: SUBJECT, key: thief });
    expect(await faultOf(made)).toMatchObject({
      code: 'other-key',
      what: expect.stringContaining('signed with another key than the one you trust'),
    });
    expect(await verifyBundle(made)).toMatchObject({ ok: true, isTrusted: false, vkey: thief.vkey });
  });

  it('an event, its proof and the checkpoint of another log', async () => {
    const other = unpacked(await bundleOf(await smallLog('other'), { subject: SUBJECT }));
    for (const names of [['events.jsonl'], ['proofs/2.tlog-proof'], ['checkpoint']]) {
      const fault = await plain((of) => {
        for (const name of names) of.set(name, other.get(name)!);
      });
      expect([names, fault]).toEqual([names, expect.objectContaining({ code: 'changed' })]);
    }
  });
});

describe('with the key, and a manifest signed anew', () => {
  it.each([
    ['an event changed', edit('events.jsonl', 'said 4', 'never 4'), 'event 5', 'Event 5 was changed'],
    ['an event of another log', edit('events.jsonl', 'case-7', 'case-8'), 'event 2', 'Event 2 was changed'],
    [
      'the checkpoint of another tree',
      (of) => of.set('checkpoint', Buffer.from(key.sign(`${ORIGIN}\n6\n${'A'.repeat(43)}=\n`))),
      'checkpoint',
      'it was replaced',
    ],
    [
      'a proof with another checkpoint',
      edit('proofs/5.tlog-proof', `\n${SIZE}\n`, `\n${SIZE + 1}\n`),
      'event 5',
      'Event 5 was changed',
    ],
  ] satisfies [string, (of: Map<string, Buffer>) => unknown, string, string][])(
    '%s',
    async (_, change, where, what) => {
      expect(await signed((of) => void change(of))).toMatchObject({ where, what: expect.stringContaining(what) });
    },
  );

  it('an event left out of a stream that is claimed to be whole', async () => {
    const fault = await signed(
      (of) => dropFirst(of),
      (manifest) => {
        manifest.events -= 1;
        manifest.streams[0] = {
          ...manifest.streams[0]!,
          events: 2,
          positions: [
            [3, 3],
            [5, 5],
          ],
        };
      },
    );
    expect(fault).toMatchObject({
      code: 'left-out',
      what: expect.stringContaining('Event number 1 of case-7 was left out'),
    });
  });

  it('an event that is shown as erased and was not', async () => {
    const fault = await signed(
      (of) => {
        const { data: _, ...metadata } = JSON.parse(lines(of)[1]!) as Record<string, unknown>;
        const hidden = { leaf_hash: leafOf(5), metadata: JSON.stringify(metadata), position: 5 };
        of.set('erased.jsonl', Buffer.concat([of.get('erased.jsonl')!, Buffer.from(`${JSON.stringify(hidden)}\n`)]));
        setLines(of, lines(of).toSpliced(1, 1));
      },
      (manifest) => void manifest.erased.push(5),
    );
    expect(fault).toMatchObject({
      where: 'event 5',
      what: expect.stringContaining('no event records that it was erased'),
    });
  });

  it('a claim of more events than there are, or of endlessly many', async () => {
    for (const last of [SIZE + 1, 2 ** 50]) {
      const claim = (manifest: Manifest) => void manifest.streams[0]!.positions.push([SIZE, last]);
      expect(await signed(() => undefined, claim)).toMatchObject({ code: 'form', where: 'manifest.json' });
    }
  });

  it('a name that leads out of the folder', async () => {
    expect(await signed((of) => of.set('../report.md', Buffer.from('x')))).toMatchObject({ code: 'container' });
  });

  it('a manifest that is no manifest is a fault, not a crash', async () => {
    expect(
      await signed(
        () => undefined,
        (manifest) => void Object.assign(manifest, { streams: 7 }),
      ),
    ).toMatchObject({
      code: 'form',
    });
  });
});

const leafOf = (position: number): string => log.at(position)!.leafHash;

it('erased payloads are in no byte of a bundle, and an older bundle with them still verifies', async () => {
  const before = await smallLog();
  const old = await bundleOf(before, { subject: SUBJECT });
  await before.erase([5]);
  const bundle = await bundleOf(before, { subject: SUBJECT });
  expect([old.includes('said 4'), bundle.includes('said 4')]).toEqual([true, false]);
  expect([await faultOf(old), await faultOf(bundle)]).toEqual(['ok', 'ok']);
});
