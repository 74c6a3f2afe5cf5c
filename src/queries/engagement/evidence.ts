/** Evidence items; files are compared with their state when they were attached. */
import { resolve } from 'node:path';
import type { Fingerprint } from '../../events/engagement/events.ts';
import type { Evidence } from '../../events/engagement/records.ts';
import type { EvidenceFiles, FileStanding } from '../../ports/evidence-files.ts';
import type { AsOf } from '../as-of/past-views.ts';
import { documentAsOf, type EngagementSources } from './as-of.ts';
import { notFound } from './lookup.ts';

/** `changed_since`: whether the file differs from the attached state; null when it cannot be compared. */
export type ShownEvidence = Evidence & { readonly changed_since: boolean | null };

/** The evidence of one deliverable. Files are compared with the disk only when `at` is absent. */
export async function deliverableEvidence(
  sources: EngagementSources & { readonly evidenceFiles: EvidenceFiles },
  { id, did, at }: { readonly id: string; readonly did: string; readonly at: string | undefined },
): Promise<{ readonly evidence: readonly ShownEvidence[]; readonly asOf: AsOf | null }> {
  const { document, asOf } = await documentAsOf(sources, id, at);
  if (!document.deliverables.some((item) => item.id === did)) throw notFound('Deliverable', did);
  const items = document.evidence.filter((item) => item.deliverable_id === did);
  const standings = await fileStandings(sources.evidenceFiles, asOf === null ? items : []);
  return { evidence: items.map((item) => ({ ...item, changed_since: changedSince(standings.get(item.id)) })), asOf };
}

/** By evidence id; items that are not files of this machine have no standing. */
export async function fileStandings(
  evidenceFiles: EvidenceFiles,
  evidence: readonly Evidence[],
): Promise<ReadonlyMap<string, FileStanding>> {
  const files = evidence.flatMap(({ id, file_path, size_bytes, sha256 }) =>
    file_path === null || size_bytes === null ? [] : [{ id, file: { path: file_path, size_bytes, sha256 } }],
  );
  const standings = await evidenceFiles.compare(files.map(({ file }) => file));
  return new Map(files.map(({ id }, index) => [id, standings[index]!]));
}

/**
 * The file that a reference names, relative to `workspace`; null for a blank reference and a file that cannot be read.
 */
export function referencedFile(
  evidenceFiles: EvidenceFiles,
  { workspace, reference }: { readonly workspace: string; readonly reference: string },
): Promise<Fingerprint | null> {
  if (reference.trim() === '') return Promise.resolve(null);
  return evidenceFiles.fingerprint(resolve(workspace, reference));
}

function changedSince(standing: FileStanding | undefined): boolean | null {
  if (standing === undefined || standing === 'unchecked') return null;
  return standing !== 'same';
}
