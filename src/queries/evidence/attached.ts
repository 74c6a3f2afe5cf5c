/** File evidence in the events of a bundle: its hashes, and on request the files themselves. */
import { basename } from 'node:path';
import { engagement } from '../../commands/engagement/decide.ts';
import { decodeEvents } from '../../events/decode.ts';
import { engagementEvents } from '../../events/engagement/events.ts';
import type { ZipEntry } from '../../lib/stored-zip.ts';
import type { EvidenceFiles } from '../../ports/evidence-files.ts';
import type { RecordedEvent } from '../../storage/event-log.ts';

/** A line of the manifest. */
export interface Attached {
  readonly name: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly path: string;
  /** Position of the event that recorded the file. */
  readonly position: number;
  /** Whether the file is in the bundle. */
  readonly included: boolean;
}

export interface AttachedOptions {
  readonly withFiles: boolean;
  /** Limit of all files together; further files are not included. */
  readonly bytesMax: number;
}

const HASH_DIGITS_IN_NAME = 16;
const NAME_CHARACTERS_MAX = 80;

export async function attachedFiles(
  events: readonly RecordedEvent[],
  files: Pick<EvidenceFiles, 'read'>,
  { withFiles, bytesMax }: AttachedOptions,
): Promise<{ readonly listed: readonly Attached[]; readonly entries: readonly ZipEntry[] }> {
  const contents = new Map<string, Uint8Array | null>();
  const listed: Attached[] = [];
  const ofEngagements = events.filter(({ stream }) => stream.startsWith(`${engagement.category}-`));
  let bytesLeft = bytesMax;
  for (const { position, type, data } of decodeEvents(engagementEvents, ofEngagements)) {
    if (type !== 'EvidenceAttached' || data.file === null || data.file.sha256 === null) continue;
    const { path, sha256, size_bytes: bytes } = data.file;
    const name = `files/${sha256.slice(0, HASH_DIGITS_IN_NAME)}-${plainName(path)}`;
    if (!contents.has(name)) {
      const content = withFiles && bytes <= bytesLeft ? await files.read(data.file) : null;
      contents.set(name, content);
      bytesLeft -= content?.length ?? 0;
    }
    listed.push({ name, sha256, bytes, path, position, included: contents.get(name) !== null });
  }
  if (listed.length === 0) return { listed, entries: [] };
  const sums = [...new Set(listed.map(({ name, sha256 }) => `${sha256}  ${name}\n`))].sort().join('');
  const included = [...contents].flatMap(([name, content]) => (content === null ? [] : [{ name, content }]));
  return { listed, entries: [{ name: 'files.sha256', content: Buffer.from(sums) }, ...included] };
}

/** A name that is valid on every file system and needs no escape in the output of `sha256sum`. */
function plainName(path: string): string {
  return basename(path)
    .replace(/[^A-Za-z0-9._-]/g, '_')
    .slice(-NAME_CHARACTERS_MAX);
}
