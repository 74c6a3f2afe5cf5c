/** Named ways to alter a bundle of `bundleOf`. Every verifier must refuse all of them. */
import { crc32, deflateRawSync } from 'node:zlib';
import { canonicalJson } from '../../src/storage/canonical-json.ts';
import { openStorage } from '../../src/storage/open.ts';
import { event, to } from '../storage/log-helpers.ts';
import { bundleOf, type LogKey, type Manifest, ORIGIN, packed, resigned, sha256, unpacked } from './support.ts';

type Files = Map<string, Buffer>;
export type Alteration = readonly [name: string, alter: (zip: Buffer) => Buffer];

interface Entry {
  readonly name: string;
  readonly content: Buffer;
  /** What is written in its place, when the entry is compressed. */
  readonly stored?: Buffer;
  /** Version, flags, method, time, date. */
  readonly head?: readonly number[];
  readonly localName?: string;
  readonly localExtra?: Buffer;
  readonly extra?: Buffer;
  readonly comment?: Buffer;
  readonly attributes?: number;
  /** Bytes before it. */
  readonly gap?: Buffer;
}

const NONE = Buffer.alloc(0);
const HEAD = [20, 0x0800, 0, 0, 0x0021];

/** A zip file with whatever the entries say; `twice`: the directory is there a second time. */
function zipOf(entries: readonly Entry[], { comment = NONE, twice = false } = {}): Buffer {
  const files: Buffer[] = [];
  const lines: Buffer[] = [];
  let at = 0;
  for (const entry of entries) {
    const { name, gap = NONE, localName = name, localExtra = NONE, stored = entry.content } = entry;
    const line = Buffer.alloc(14);
    line.writeUInt16LE(entry.comment?.length ?? 0, 0);
    line.writeUInt32LE(entry.attributes ?? 0, 6);
    line.writeUInt32LE(at + gap.length, 10);
    const central = [headOf(entry, name, entry.extra), line, Buffer.from(name), entry.extra ?? NONE];
    lines.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), ...central, entry.comment ?? NONE);
    const local = [
      gap,
      Buffer.from('PK\x03\x04', 'latin1'),
      headOf(entry, localName, localExtra),
      Buffer.from(localName),
    ];
    files.push(...local, localExtra, stored);
    at += [...local, localExtra, stored].reduce((sum, { length }) => sum + length, 0);
  }
  const directory = Buffer.concat(lines);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  for (const offset of [8, 10]) end.writeUInt16LE(entries.length, offset);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at + (twice ? directory.length + end.length : 0), 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...files, directory, end, ...(twice ? [directory, end] : []), comment]);
}

function headOf({ content, stored = content, head = HEAD }: Entry, name: string, extra: Buffer = NONE): Buffer {
  const bytes = Buffer.alloc(26);
  for (const [index, value] of head.entries()) bytes.writeUInt16LE(value, 2 * index);
  bytes.writeUInt32LE(crc32(content), 10);
  bytes.writeUInt32LE(stored.length, 14);
  bytes.writeUInt32LE(content.length, 18);
  bytes.writeUInt16LE(name.length, 22);
  bytes.writeUInt16LE(extra.length, 24);
  return bytes;
}

const EXTRA = Buffer.from('fe00040061626364', 'hex');
const entriesOf = (zip: Buffer): Entry[] => [...unpacked(zip)].map(([name, content]) => ({ name, content }));

/** One entry written in another way. */
const entry =
  (change: (entry: Entry) => Partial<Entry>) =>
  (zip: Buffer): Buffer =>
    zipOf(entriesOf(zip).map((each) => (each.name === 'events.jsonl' ? { ...each, ...change(each) } : each)));

const CONTAINER: readonly Alteration[] = [
  ['bytes before it', (zip) => Buffer.concat([Buffer.from('#!/bin/sh\n'), zip])],
  ['bytes behind it', (zip) => Buffer.concat([zip, Buffer.from('more')])],
  ['the file twice', (zip) => Buffer.concat([zip, zip])],
  ['a comment', (zip) => zipOf(entriesOf(zip), { comment: Buffer.from('seen') })],
  ['two directories', (zip) => zipOf(entriesOf(zip), { twice: true })],
  ['an extra field in the directory', entry(() => ({ extra: EXTRA }))],
  ['an extra field before the file', entry(() => ({ localExtra: EXTRA }))],
  ['a comment of an entry', entry(() => ({ comment: Buffer.from('seen') }))],
  ['a time', entry(() => ({ head: [20, 0x0800, 0, 7, 0x5021] }))],
  ['another version', entry(() => ({ head: [10, ...HEAD.slice(1)] }))],
  ['another flag', entry(() => ({ head: [20, 0, 0, 0, 0x0021] }))],
  ['rights of a file', entry(() => ({ attributes: 0o100755 * 65_536 }))],
  ['a compressed entry', entry(({ content }) => ({ head: [20, 0x0800, 8, 0, 0x21], stored: deflateRawSync(content) }))],
  ['another name before the file', entry(() => ({ localName: 'events.jsonX' }))],
  ['hidden bytes', entry(() => ({ gap: Buffer.from('hidden') }))],
  ['entries in another order', (zip) => zipOf(entriesOf(zip).reverse())],
  [
    'an entry twice',
    (zip) => zipOf(entriesOf(zip).flatMap((each) => (each.name === 'checkpoint' ? [each, each] : [each]))),
  ],
  ['a folder', (zip) => zipOf([{ name: 'a/', content: NONE }, ...entriesOf(zip)])],
];

const edited =
  (name: string, by: (text: string) => string) =>
  (files: Files): void => {
    const text = files.get(name)!.toString();
    if (by(text) === text) throw new Error(`${name} is as it was`);
    files.set(name, Buffer.from(by(text)));
  };

const lines = (by: (lines: string[]) => readonly string[]) =>
  edited('events.jsonl', (text) => `${by(text.trimEnd().split('\n')).join('\n')}\n`);

/** The first proof in the bundle. */
const proof =
  (by: (text: string) => string) =>
  (files: Files): void =>
    edited([...files.keys()].find((name) => name.startsWith('proofs/'))!, by)(files);

const rename =
  (from: string, to: string) =>
  (files: Files): void => {
    files.set(to, files.get(from)!);
    files.delete(from);
  };

const FILES: readonly (readonly [name: string, alter: (files: Files) => void])[] = [
  ['a file dropped', (files) => void files.delete('report.md')],
  ['a file added', (files) => void files.set('note.md', Buffer.from('x'))],
  ['the case of a name', rename('report.md', 'REPORT.md')],
  ['a file renamed', rename('report.md', 'report2.md')],
  ['line ends', edited('events.jsonl', (text) => text.replaceAll('\n', '\r\n'))],
  ['a byte order mark', edited('events.jsonl', (text) => `\ufeff${text}`)],
  ['no last line end', edited('events.jsonl', (text) => text.trimEnd())],
  ['an empty line', lines(([first = '', ...rest]) => [first, '', ...rest])],
  ['a space in an event', lines(([first = '', ...rest]) => [first.replace(':', ': '), ...rest])],
  ['a field twice', lines(([first = '', ...rest]) => [first.replace('{', '{"actor":"x",'), ...rest])],
  ['another Unicode form', edited('events.jsonl', (text) => text.normalize('NFD'))],
  ['escapes', edited('events.jsonl', (text) => text.replace('é', '\\u00e9'))],
  ['an event dropped', lines(([, ...rest]) => rest)],
  ['an event twice', lines(([first = '', ...rest]) => [first, first, ...rest])],
  ['events swapped', lines(([first = '', second = '', ...rest]) => [second, first, ...rest])],
  ['no erased event', (files) => void files.set('erased.jsonl', NONE)],
  ['a field of an erased event', edited('erased.jsonl', (text) => text.replace('\\"owner\\"', '\\"other\\"'))],
  ['another index of a proof', proof((text) => text.replace(/index (\d+)/, 'index 0$1'))],
  ['a line more in a proof', proof((text) => text.replace('\nindex', '\nextra AAAA\nindex'))],
  [
    'bits that Base64 passes over',
    proof((text) => text.replace(/([A-Za-z0-9+/])=\n/, (_, last) => `${next(last)}=\n`)),
  ],
  ['a shorter path', proof((text) => text.replace(/(index \d+\n)[^\n]+\n/, '$1'))],
  ['a signature more under the checkpoint', edited('checkpoint', (text) => `${text}— example.org/w AAAAAAAA\n`)],
  ['a signature more under the list', edited('manifest.note', (text) => `${text}— example.org/w AAAAAAAA\n`)],
  ['the list in another form', edited('manifest.json', (text) => text.replaceAll(',', ', '))],
  ['spaces around the key', edited('log.vkey', (text) => ` ${text}`)],
  ['the report', edited('report.md', (text) => `${text}All is well.\n`)],
];

/** A letter of Base64 with another lowest bit. */
function next(letter: string): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  return letters[letters.indexOf(letter) ^ 1]!;
}

/** What the holder of the key signs anew, although it is not so. */
const SIGNED: readonly (readonly [string, (files: Files) => void, ((manifest: Manifest) => void)?])[] = [
  ['a dropped event', lines(([, ...rest]) => rest)],
  ['an event twice', lines(([first = '', ...rest]) => [first, first, ...rest])],
  ['events swapped', lines(([first = '', second = '', ...rest]) => [second, first, ...rest])],
  [
    'bits that Base64 passes over',
    proof((text) => text.replace(/([A-Za-z0-9+/])=\n/, (_, last) => `${next(last)}=\n`)),
  ],
  ['another index of a proof', proof((text) => text.replace(/index (\d+)/, 'index 0$1'))],
  ['a file that belongs to nothing', (files) => void files.set('extra.md', Buffer.from('x'))],
  ['a proof of nothing', (files) => void files.set('proofs/99.tlog-proof', files.get('checkpoint')!)],
  ['a field more in an erased event', edited('erased.jsonl', (text) => text.replace('{', '{"data":1,'))],
  [
    'another count',
    () => undefined,
    (manifest) => {
      manifest.events += 1;
    },
  ],
  [
    'another size',
    () => undefined,
    (manifest) => {
      manifest.size += 1;
    },
  ],
  [
    'another log',
    () => undefined,
    (manifest) => {
      manifest.origin = 'example.org/other';
    },
  ],
  ['ranges twice', () => undefined, ({ streams: [first] }) => void first!.positions.push(first!.positions[0]!)],
  [
    'another stream',
    () => undefined,
    ({ streams }) => {
      streams[0]!.stream = 'a-1';
    },
  ],
  [
    'an empty stream',
    () => undefined,
    ({ streams }) => void streams.push({ stream: 'z', events: 0, positions: [], whole: true }),
  ],
  ['an erased event twice', () => undefined, (manifest) => void manifest.erased.push(...manifest.erased)],
  ['an erased event that is not here', () => undefined, (manifest) => void manifest.erased.push(manifest.size)],
  ['no erased event', () => undefined, (manifest) => void manifest.erased.splice(0)],
  ['a file twice', () => undefined, (manifest) => void manifest.files.push(manifest.files[0]!)],
  [
    'another length',
    () => undefined,
    ({ files }) => {
      files[0]!.bytes += 1;
    },
  ],
];

/** A manifest in another form than the canonical one, and a note of more lines, signed. */
const forms = (key: LogKey): readonly Alteration[] => {
  const signed = (zip: Buffer, form: (text: string) => string, more = ''): Buffer => {
    const files = unpacked(zip);
    const content = Buffer.from(form(files.get('manifest.json')!.toString()));
    files.set('manifest.json', content);
    const note = `daybook-evidence-manifest/v1\n${ORIGIN}\n${sha256(content)}\n${more}`;
    return packed(files.set('manifest.note', Buffer.from(key.sign(note))));
  };
  return [
    ['signed: a list with spaces', (zip) => signed(zip, (text) => JSON.stringify(JSON.parse(text), null, 1))],
    ['signed: a field twice', (zip) => signed(zip, (text) => text.replace('{', '{"format":"x",'))],
    ['signed: a line more', (zip) => signed(zip, (text) => text, 'more\n')],
    ['signed: another format', (zip) => signed(zip, (text) => canonicalJson({ ...JSON.parse(text), format: 'x' }))],
  ];
};

/** The bundle to alter: four events of a stream, of which the second is erased, and a text. */
export async function unaltered(): Promise<Buffer> {
  const { log } = await openStorage({ directory: '', ephemeral: true });
  for (const number of [1, 2, 3, 4]) await log.append([to('case-7', [event(number, { words: `é „said“ ${number}` })])]);
  await log.erase([2]);
  await log.append([to('other-1', [event(5), event(6)])]);
  return bundleOf(log, { subject: { kind: 'stream', id: 'case-7' }, texts: [['report.md', '# A report\n']] });
}

export function alterations(key: LogKey): readonly Alteration[] {
  const files = FILES.map(
    ([name, alter]): Alteration => [
      `file: ${name}`,
      (zip) => {
        const of = unpacked(zip);
        alter(of);
        return packed(of);
      },
    ],
  );
  const signed = SIGNED.map(
    ([name, alter, claim]): Alteration => [
      `signed: ${name}`,
      (zip) => {
        const of = unpacked(zip);
        alter(of);
        return resigned(of, key, claim);
      },
    ],
  );
  return [...CONTAINER, ...files, ...signed, ...forms(key)];
}
