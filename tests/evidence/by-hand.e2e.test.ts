/** The commands of VERIFY.md, run as written: OpenSSL, sha256sum, jq and Python accept and refuse bundles. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openStorage } from '../../src/storage/open.ts';
import { event, to } from '../storage/log-helpers.ts';
import { firstRows } from '../support/depth.ts';
import { temporaryFolder } from '../support/folders.ts';
import { bundleOf, logKeyOf, resigned, unpacked } from './support.ts';

const GUIDE = readFileSync('web/evidence/VERIFY.md', 'utf8');
const BLOCKS = [...GUIDE.matchAll(/^```(bash|python)\n([\s\S]*?)^```$/gm)].map(([, language, code]) => ({
  language: language!,
  code: code!,
}));
const NOTES = 'what they said\n';
const SAYS = [
  /^example\.org\/log\+/,
  /^the list fits\nthe files fit\nthe events fit\n$/,
  /^(Signature Verified Successfully\n){2}the list is the signed one\nthe checkpoint is the one of the list\n$/,
  /^5 events are in the log as they are here\n$/,
  /^the attached files fit\n$/,
];

let zip: Buffer;

beforeAll(async () => {
  const { log } = await openStorage({ directory: '', ephemeral: true });
  for (const number of [1, 2, 3, 4, 5, 6]) {
    const stream = number % 2 === 0 ? 'other-1' : 'engagement-7';
    await log.append([to(stream, [event(number, { words: `\u2028 „said“ ${number}` })])]);
  }
  const path = '/work/notes.txt';
  const file = { path, size_bytes: NOTES.length, sha256: createHash('sha256').update(NOTES).digest('hex') };
  const data = { evidence_id: 'e', deliverable_id: 'd', kind: 'file', label: '', reference: '', file, reason: '' };
  await log.append([to('engagement-7', [{ ...event(7, data), type: 'EvidenceAttached' }])]);
  await log.erase([3]);
  const files = new Map([[path, Buffer.from(NOTES)]]);
  const subject = { kind: 'engagement', id: '7' } as const;
  zip = await bundleOf(log, { subject, files, texts: [['VERIFY.md', GUIDE]] });
});

/** What each block prints in the folder of the bundle; its exit code when it is not 0. */
function checked(files: ReadonlyMap<string, Uint8Array>): readonly (string | number)[] {
  const folder = temporaryFolder('by-hand');
  for (const [name, content] of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return BLOCKS.map(({ language, code }) => {
    const words = language === 'bash' ? ['bash', '-e', '-c', code] : ['python3', '-c', code];
    const { stdout, status } = spawnSync(words[0]!, words.slice(1), { cwd: folder, encoding: 'utf8' });
    return status === 0 ? stdout : status!;
  });
}

const accepted = (results: readonly (string | number)[]): readonly boolean[] =>
  results.map((said, at) => SAYS[at]!.test(String(said)));

describe('VERIFY.md', () => {
  it('accepts a good bundle with a file and an erased payload', () => {
    expect(BLOCKS.map(({ language }) => language)).toEqual(['bash', 'bash', 'bash', 'python', 'bash']);
    const said = checked(unpacked(zip));
    expect([said, accepted(said)]).toEqual([said, [true, true, true, true, true]]);
  });

  const change = (name: string, from: string, by: string) => (files: Map<string, Buffer>) => {
    const text = files.get(name)!.toString();
    expect(text).toContain(from);
    files.set(name, Buffer.from(text.replace(from, by)));
  };
  const FAULTS: readonly (readonly [string, number, (files: Map<string, Buffer>) => unknown])[] = [
    ['a file added', 2, (files) => files.set('more', Buffer.from('x'))],
    ['a proof dropped', 2, (files) => files.delete('proofs/1.tlog-proof')],
    ['an event changed', 2, change('events.jsonl', 'said', 'sold')],
    ['the checkpoint changed', 3, change('checkpoint', '\n8\n', '\n9\n')],
    ['the manifest changed', 3, change('manifest.json', '"events":5', '"events":6')],
    ['another key', 3, (files) => files.set('log.vkey', Buffer.from(`${logKeyOf(2).vkey}\n`))],
  ];

  it.each(firstRows(2, FAULTS))('refuses %s', (_, step, spoil) => {
    const files = unpacked(zip);
    spoil(files);
    expect(accepted(checked(files))[step - 1]).toBe(false);
  });

  it.each(
    firstRows(1, [
      ['an event changed', change('events.jsonl', 'said', 'sold')],
      ['an erased event of another author', change('erased.jsonl', 'owner', 'other')],
      ['a proof of another tree', change('proofs/5.tlog-proof', '\n8\n', '\n9\n')],
    ]),
  )('refuses %s by the tree alone, when the key signed a new list', (_, spoil) => {
    const files = unpacked(zip);
    spoil(files);
    resigned(files, logKeyOf(1));
    expect(accepted(checked(files))).toEqual([true, true, true, false, true]);
  });
});
