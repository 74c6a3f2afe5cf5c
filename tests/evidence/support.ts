/** Bundles for tests: of a daemon in this process, and small ones whose parts a test changes and packs again. */
import { createHash } from 'node:crypto';
import { storedZip } from '../../src/lib/stored-zip.ts';
import { formatCheckpoint } from '../../src/lib/tlog/checkpoint.ts';
import { formatNote, formatVerifierKey, signingKey, signText, verifierKey } from '../../src/lib/tlog/signed-note.ts';
import { evidenceBundle } from '../../src/queries/evidence/bundle.ts';
import type { Subject } from '../../src/queries/evidence/selection.ts';
import { canonicalJson } from '../../src/storage/canonical-json.ts';
import type { EventLog, NewEvent } from '../../src/storage/event-log.ts';
import { readZip } from '../../web/evidence/zip.js';
import { event } from '../storage/log-helpers.ts';

export const ORIGIN = 'example.org/log';

export interface LogKey {
  readonly vkey: string;
  sign(text: string): string;
}

/** A key of the log, made from one byte. */
export function logKeyOf(seed: number): LogKey {
  const key = signingKey(Buffer.alloc(32, seed));
  return {
    vkey: formatVerifierKey(verifierKey(ORIGIN, 1, key.publicKey)),
    sign: (text) => formatNote({ text, signatures: [signText(key, ORIGIN, text)] }),
  };
}

/** The event of a change of the key, signed by both; `by`: who signs for the older one. */
export function keyChange(number: number, [from, next]: readonly [LogKey, LogKey], by = from): NewEvent {
  const text = `daybook-log-key-rotation/v1\n${ORIGIN}\n${'0'.repeat(64)}\n${from.vkey}\n${next.vkey}\n`;
  const statement = by.sign(text) + next.sign(text).slice(text.length + 1);
  const data = { log_id: '0'.repeat(64), from: from.vkey, to: next.vkey, statement };
  return { ...event(number, data), type: 'LogKeyRotated' };
}

export interface SmallBundle {
  readonly subject: Subject;
  readonly key?: LogKey;
  /** Of the checkpoint; absent: the whole log. */
  readonly size?: number;
  readonly since?: number;
  readonly files?: ReadonlyMap<string, Uint8Array>;
  readonly texts?: readonly (readonly [string, string])[];
}

/** A bundle of a log that has no daemon. */
export function bundleOf(log: EventLog, { subject, key = logKeyOf(1), size, since, files, texts = [] }: SmallBundle) {
  const of = size ?? log.head().position;
  return evidenceBundle(
    { log, evidenceFiles: { read: async ({ path }) => files?.get(path) ?? null }, canonical: canonicalJson },
    {
      ...{ subject, withFiles: files !== undefined, vkey: key.vkey, sign: key.sign, texts: async () => texts },
      ...{ since, checkpoint: checkpointOf(log, { key, size: of }) },
    },
  );
}

/** What the log signed when it had so many events; absent: all of them. */
export function checkpointOf(
  log: EventLog,
  { key = logKeyOf(1), size }: Pick<SmallBundle, 'key' | 'size'> = {},
): string {
  const of = size ?? log.head().position;
  return key.sign(formatCheckpoint({ origin: ORIGIN, size: of, root: Buffer.from(log.treeHash(of), 'hex') }));
}

/** The files of a bundle by name, to be changed. */
export function unpacked(zip: Uint8Array): Map<string, Buffer> {
  return new Map([...readZip(zip)].map(([name, content]) => [name, Buffer.from(content)]));
}

export function packed(files: ReadonlyMap<string, Uint8Array>): Buffer {
  return storedZip([...files].map(([name, content]) => ({ name, content })));
}

/** The bundle with a manifest that fits its files, signed by a key: what somebody with that key can make. */
export function resigned(files: Map<string, Buffer>, key: LogKey, change: (manifest: Manifest) => void = () => {}) {
  const manifest = JSON.parse(files.get('manifest.json')!.toString()) as Manifest;
  manifest.files = [...files]
    .filter(([name]) => !name.startsWith('manifest.'))
    .map(([name, content]) => ({ name, bytes: content.length, sha256: sha256(content) }));
  change(manifest);
  const content = Buffer.from(canonicalJson(manifest));
  files.set('manifest.json', content);
  const text = `daybook-evidence-manifest/v1\n${manifest.origin}\n${sha256(content)}\n`;
  files.set('manifest.note', Buffer.from(key.sign(text)));
  return packed(files);
}

export interface Manifest {
  origin: string;
  size: number;
  root: string;
  events: number;
  erased: number[];
  streams: { stream: string; events: number; positions: [number, number][]; whole: boolean }[];
  related: { stream: string; relation: string; position: number; included: boolean }[];
  anchors?: { position: number; leaf_hash: string }[];
  attached: { name: string; sha256: string; position: number; included: boolean }[];
  files: { name: string; bytes: number; sha256: string }[];
}

export function sha256(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
