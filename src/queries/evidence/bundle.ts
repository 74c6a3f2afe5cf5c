/** Writes an evidence bundle, as docs/formats/evidence-bundle.md describes it. Equal states give equal bytes. */
import { hash } from 'node:crypto';
import { basename } from 'node:path';
import { engagement } from '../../commands/engagement/decide.ts';
import { refused } from '../../commands/refusal.ts';
import { decodeEvents } from '../../events/decode.ts';
import { engagementEvents } from '../../events/engagement/events.ts';
import { inSlices } from '../../lib/slices.ts';
import { storedZip, type ZipEntry } from '../../lib/stored-zip.ts';
import { parseCheckpoint } from '../../lib/tlog/checkpoint.ts';
import { formatTlogProof } from '../../lib/tlog/proof.ts';
import { parseNote } from '../../lib/tlog/signed-note.ts';
import { TreePaths } from '../../lib/tlog/tree-paths.ts';
import type { EvidenceFiles } from '../../ports/evidence-files.ts';
import type { EventLog, RecordedEvent } from '../../storage/event-log.ts';
import { type Selection, type SelectionLog, type Subject, selectEvents } from './selection.ts';

export interface BundleParts {
  readonly log: SelectionLog & Pick<EventLog, 'treeHashes' | 'at'>;
  readonly evidenceFiles: Pick<EvidenceFiles, 'read'>;
  /** Canonical JSON (RFC 8785). */
  readonly canonical: (value: unknown) => string;
}

export interface BundleRequest {
  readonly subject: Subject;
  readonly withFiles: boolean;
  /** Size of a checkpoint that the reader holds: the bundle proves that the log continues it. */
  readonly since?: number | undefined;
  /** The signed checkpoint that the proofs lead to. */
  readonly checkpoint: string;
  readonly vkey: string;
  /** Signs a text with the key of the log; returns a signed note. */
  readonly sign: (text: string) => string;
  /** The verifier and the documents of the subject, by name. */
  readonly texts: (selection: Selection) => Promise<readonly TextFile[]>;
}

export type TextFile = readonly [name: string, text: string];

const FORMAT = 'daybook-evidence/v1';
const MANIFEST_LINE = 'daybook-evidence-manifest/v1';
const BUNDLE_BYTES_MAX = 536_870_912;

/** Throws `Refused` when there are no such events, or more than a bundle holds. */
export async function evidenceBundle(parts: BundleParts, request: BundleRequest): Promise<Buffer> {
  const { origin, size, root } = parseCheckpoint(parseNote(request.checkpoint).text);
  const selection = await selectEvents(parts.log, request.subject, size);
  const anchors = anchorsOf(parts.log, selection, { since: request.since, size });
  const attached = await attachedFiles(selection.events, parts.evidenceFiles, {
    withFiles: request.withFiles,
    bytesMax: BUNDLE_BYTES_MAX,
  });
  const texts: readonly TextFile[] = [
    ['checkpoint', request.checkpoint],
    ['log.vkey', `${request.vkey}\n`],
    ...(await request.texts(selection)),
  ];
  const entries = [
    ...texts.map(([name, text]) => ({ name, content: Buffer.from(text) })),
    ...(await eventFiles(parts, selection.events)),
    ...(await proofFiles(parts, [...selection.events, ...anchors], { size, checkpoint: request.checkpoint })),
    ...attached.entries,
  ];
  const bytes = entries.reduce((sum, { content }) => sum + content.length, 0);
  if (bytes > BUNDLE_BYTES_MAX) {
    throw refused(
      'invalid',
      'The bundle would be larger than 512 MiB; export it without files, or a part by positions.',
    );
  }
  const manifest = Buffer.from(
    parts.canonical({
      format: FORMAT,
      origin,
      size,
      root: Buffer.from(root).toString('base64'),
      subject: { kind: request.subject.kind, id: request.subject.id },
      events: selection.events.length,
      streams: streamsOf(selection),
      related: selection.related,
      ...(anchors.length > 0 && { anchors }),
      erased: selection.events.filter(isErased).map(({ position }) => position),
      attached: attached.listed,
      files: await fileLines(entries),
    }),
  );
  const note = request.sign(`${MANIFEST_LINE}\n${origin}\n${hash('sha256', manifest)}\n`);
  const signed = [
    { name: 'manifest.json', content: manifest },
    { name: 'manifest.note', content: Buffer.from(note) },
  ];
  return storedZip([...signed, ...entries]);
}

/** The hash of the last event of the reader's checkpoint, unless the bundle has that event. */
function anchorsOf(
  log: BundleParts['log'],
  { events }: Selection,
  { since, size }: { readonly since: number | undefined; readonly size: number },
): readonly { readonly position: number; readonly leaf_hash: string }[] {
  if (since === undefined || since === 0 || events.some(({ position }) => position === since)) return [];
  const event = since <= size ? log.at(since) : undefined;
  if (event === undefined) throw refused('invalid', `The log has ${size} events, not ${since}.`);
  return [{ position: since, leaf_hash: event.leafHash }];
}

async function eventFiles({ canonical }: BundleParts, events: readonly RecordedEvent[]): Promise<readonly ZipEntry[]> {
  const live: string[] = [];
  const erased: string[] = [];
  for await (const event of inSlices(events)) {
    if (isErased(event)) erased.push(`${erasedLine(event, canonical)}\n`);
    else live.push(`${canonicalEvent(event, canonical)}\n`);
  }
  return [
    { name: 'events.jsonl', content: Buffer.from(live.join('')) },
    ...(erased.length === 0 ? [] : [{ name: 'erased.jsonl', content: Buffer.from(erased.join('')) }]),
  ];
}

function erasedLine(event: RecordedEvent, canonical: BundleParts['canonical']): string {
  const { leafHash, erased: _, data: __, ...metadata } = event;
  return canonical({ leaf_hash: leafHash, metadata: canonical(metadata), position: event.position });
}

/** The bytes that the leaf hash covers. */
function canonicalEvent({ leafHash: _, erased: __, ...event }: RecordedEvent, canonical: BundleParts['canonical']) {
  return canonical(event);
}

async function proofFiles(
  { log }: BundleParts,
  events: readonly Pick<RecordedEvent, 'position'>[],
  { size, checkpoint }: { readonly size: number; readonly checkpoint: string },
): Promise<readonly ZipEntry[]> {
  const paths = new TreePaths((range) => log.treeHashes(range), size);
  const files: ZipEntry[] = [];
  for await (const { position } of inSlices(events)) {
    const text = formatTlogProof({ index: position - 1, path: paths.path(position - 1), checkpoint });
    files.push({ name: `proofs/${position}.tlog-proof`, content: Buffer.from(text) });
  }
  return files;
}

function streamsOf({ events, whole }: Selection) {
  return [...Map.groupBy(events, ({ stream }) => stream)]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([stream, ofStream]) => ({
      stream,
      events: ofStream.length,
      positions: ranges(ofStream.map(({ position }) => position)),
      whole: whole.has(stream),
    }));
}

/** Consecutive positions as pairs of the first and the last. */
function ranges(positions: readonly number[]): readonly (readonly [number, number])[] {
  const pairs: [number, number][] = [];
  for (const position of positions) {
    const newest = pairs.at(-1);
    if (newest?.[1] === position - 1) newest[1] = position;
    else pairs.push([position, position]);
  }
  return pairs;
}

async function fileLines(entries: readonly ZipEntry[]) {
  const lines: { readonly name: string; readonly bytes: number; readonly sha256: string }[] = [];
  for await (const { name, content } of inSlices(entries)) {
    lines.push({ name, bytes: content.length, sha256: hash('sha256', content) });
  }
  return lines.sort(byName);
}

const byName = (left: { readonly name: string }, right: { readonly name: string }): number =>
  left.name < right.name ? -1 : 1;

const isErased = ({ erased }: RecordedEvent): boolean => erased === true;

/** A line of the manifest. */
interface Attached {
  readonly name: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly path: string;
  /** Position of the event that recorded the file. */
  readonly position: number;
  /** Whether the file is in the bundle. */
  readonly included: boolean;
}

interface AttachedOptions {
  readonly withFiles: boolean;
  /** Limit of all files together; further files are not included. */
  readonly bytesMax: number;
}

const HASH_DIGITS_IN_NAME = 16;
const NAME_CHARACTERS_MAX = 80;

/** File evidence in the events of a bundle: its hashes, and on request the files themselves. */
async function attachedFiles(
  events: readonly RecordedEvent[],
  files: Pick<EvidenceFiles, 'read'>,
  { withFiles, bytesMax }: AttachedOptions,
): Promise<{ readonly listed: readonly Attached[]; readonly entries: readonly ZipEntry[] }> {
  const contents = new Map<string, Uint8Array>();
  const tried = new Set<string>();
  const recorded: Omit<Attached, 'included'>[] = [];
  const ofEngagements = events.filter(({ stream }) => stream.startsWith(`${engagement.category}-`));
  let bytesLeft = bytesMax;
  for (const { position, type, data } of decodeEvents(engagementEvents, ofEngagements)) {
    if (type !== 'EvidenceAttached' || data.file === null || data.file.sha256 === null) continue;
    const { path, sha256, size_bytes: bytes } = data.file;
    const name = `files/${sha256.slice(0, HASH_DIGITS_IN_NAME)}-${plainName(path)}`;
    recorded.push({ name, sha256, bytes, path, position });
    // The same file may be recorded at several paths, of which some are gone.
    const attempt = `${name}\n${path}`;
    if (!withFiles || contents.has(name) || tried.has(attempt) || bytes > bytesLeft) continue;
    tried.add(attempt);
    const content = await files.read(data.file);
    if (content === null) continue;
    contents.set(name, content);
    bytesLeft -= content.length;
  }
  const listed = recorded.map((file): Attached => ({ ...file, included: contents.has(file.name) }));
  if (listed.length === 0) return { listed, entries: [] };
  const sums = [...new Set(listed.map(({ name, sha256 }) => `${sha256}  ${name}\n`))].sort().join('');
  const included = [...contents].map(([name, content]) => ({ name, content }));
  return { listed, entries: [{ name: 'files.sha256', content: Buffer.from(sums) }, ...included] };
}

/** A name that is valid on every file system and needs no escape in the output of `sha256sum`. */
function plainName(path: string): string {
  return basename(path)
    .replace(/[^A-Za-z0-9._-]/g, '_')
    .slice(-NAME_CHARACTERS_MAX);
}
