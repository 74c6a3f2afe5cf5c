/** Walks a workspace for files that may be evidence. The result is proposals; the scan records nothing. */
import { resolve } from 'node:path';
import { z } from 'zod';
import { type Detection, detect, UNDETECTABLE } from '../../commands/engagement/scan-rules.ts';
import { refused } from '../../commands/refusal.ts';
import type { Fingerprint } from '../../events/engagement/events.ts';
import type { EngagementDocument } from '../../events/engagement/records.ts';
import type { EvidenceFiles, Walk, WalkedFile } from '../../ports/evidence-files.ts';

export const CANDIDATES_MAX = 400;
/** Limit of bytes that one scan hashes for attaching; further files are attached with their size only. */
const HASHED_BYTES_MAX = 1_073_741_824;

const zCandidate = z.object({
  deliverable_key: z.string(),
  rule: z.string().describe('What the file was recognised by.'),
  path: z.string().describe('The file, relative to `root`, in lower case.'),
  bytes: z.int(),
});

export const zScanReport = z.object({
  root: z.string().describe('Folder that was scanned.'),
  files_scanned: z.int().describe('Files that were looked at.'),
  candidates: z.array(zCandidate).describe('Files that may be evidence; at most 400.'),
  truncated: z.boolean().describe('Whether the scan ended early.'),
  undetectable: z.array(z.string()).describe('Keys of deliverables that no file can show.'),
  notes: z.array(z.string()).describe('Sentences about what limits the scan.'),
});

/** A file that may be evidence for a deliverable. */
export interface Candidate extends z.infer<typeof zCandidate> {
  readonly file: WalkedFile;
}

interface Scan {
  readonly report: z.infer<typeof zScanReport>;
  readonly candidates: readonly Candidate[];
}

interface ScanRoot {
  readonly root: string;
  /** The request field of the folder, for error messages. */
  readonly field: 'path' | 'workspace_path';
}

/** The folder to scan: `path`, relative to the engagement's workspace or else the daemon's, or the workspace itself. */
export function scanRoot(
  { engagement: { workspace_path } }: Pick<EngagementDocument, 'engagement'>,
  { path, workspace }: { readonly path: string | null | undefined; readonly workspace: string },
): ScanRoot {
  if (path != null && path.trim() !== '') return { root: resolve(workspace_path ?? workspace, path), field: 'path' };
  if (workspace_path !== null) return { root: workspace_path, field: 'workspace_path' };
  throw refused('invalid', 'path must name a directory: this engagement has no workspace bound to it.');
}

/** Throws `Refused` when the root is no directory that can be read. */
export async function scanWorkspace(evidenceFiles: EvidenceFiles, { root, field }: ScanRoot): Promise<Scan> {
  const detections = new Map<string, readonly Detection[]>();
  let count = 0;
  let full = false;
  const walk = await evidenceFiles.walk(root, (relative) => {
    const detected = detect(relative.toLowerCase());
    if (detected.length === 0) return 'skip';
    full = count >= CANDIDATES_MAX;
    if (full) return 'stop';
    detections.set(relative, detected);
    count += detected.length;
    return 'take';
  });
  if (walk === undefined) throw refused('invalid', `${field} must name a directory that exists and can be read.`);
  const all = candidatesOf(walk, detections);
  const candidates = all.slice(0, CANDIDATES_MAX);
  full ||= all.length > CANDIDATES_MAX;
  const cutShort = [...walk.cutShort, ...(full ? [`The scan stopped after ${CANDIDATES_MAX} candidates.`] : [])];
  const report = {
    root,
    files_scanned: walk.filesScanned,
    candidates: candidates.map(({ file: _file, ...candidate }) => candidate),
    truncated: cutShort.length > 0,
    undetectable: [...UNDETECTABLE],
    notes: notesOf(cutShort),
  };
  return { report, candidates };
}

function notesOf(cutShort: readonly string[]): string[] {
  return [
    'Candidates are not findings: a file was recognised by its name and place alone; read it before you rely on it.',
    ...(cutShort.length === 0 ? [] : [`The list is incomplete. ${cutShort.join(' ')}`]),
    'Deliverables listed as undetectable cannot be shown by a file; that they have no candidate means nothing.',
  ];
}

/** Sorted by deliverable, then by path. Names that differ only in case are one candidate. */
function candidatesOf(walk: Walk, detections: ReadonlyMap<string, readonly Detection[]>): readonly Candidate[] {
  const candidates = new Map<string, Candidate>();
  for (const file of walk.taken) {
    const path = file.relative.toLowerCase();
    for (const { deliverable_key, rule } of detections.get(file.relative) ?? []) {
      const key = `${deliverable_key}\n${path}`;
      if (!candidates.has(key)) candidates.set(key, { deliverable_key, rule, path, bytes: file.bytes, file });
    }
  }
  return [...candidates.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, candidate]) => candidate);
}

interface FingerprintedCandidate {
  readonly candidate: Candidate;
  readonly file: Fingerprint | null;
}

/** The candidates whose file is not yet evidence of their deliverable, under any reference, with their fingerprints. */
export async function unattachedCandidates(
  evidenceFiles: EvidenceFiles,
  document: EngagementDocument,
  candidates: readonly Candidate[],
): Promise<readonly FingerprintedCandidate[]> {
  const keys = new Map(document.deliverables.map(({ id, key }) => [id, key]));
  const attached = new Set(
    document.evidence.flatMap(({ deliverable_id, reference, file_path }) =>
      [reference, file_path].map((name) => `${keys.get(deliverable_id)}\n${name}`),
    ),
  );
  const unattached = candidates.filter(
    ({ deliverable_key, path, file }) => ![path, file.path].some((name) => attached.has(`${deliverable_key}\n${name}`)),
  );
  const fingerprinted: FingerprintedCandidate[] = [];
  let hashedBytes = 0;
  for (const candidate of unattached) {
    const { path, bytes } = candidate.file;
    hashedBytes += bytes;
    const isHashed = hashedBytes <= HASHED_BYTES_MAX;
    const file = isHashed ? await evidenceFiles.fingerprint(path) : { path, size_bytes: bytes, sha256: null };
    fingerprinted.push({ candidate, file });
  }
  return fingerprinted;
}
