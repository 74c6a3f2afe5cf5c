/** How attached files stand today. */
import type { Evidence } from '../../events/engagement/records.ts';
import type { EvidenceFiles, FileStanding } from '../../ports/evidence-files.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly evidenceFiles: EvidenceFiles;
}

/** By evidence id; items that are no file of this machine have no standing. */
export async function standingsOf(
  deps: Dependencies,
  evidence: readonly Evidence[],
): Promise<ReadonlyMap<string, FileStanding>> {
  const files = evidence.flatMap(({ id, file_path, size_bytes, sha256 }) =>
    file_path === null || size_bytes === null ? [] : [{ id, file: { path: file_path, size_bytes, sha256 } }],
  );
  const standings = await deps.evidenceFiles.compare(files.map(({ file }) => file));
  return new Map(files.map(({ id }, index) => [id, standings[index]!]));
}

export function changedSince(standing: FileStanding | undefined): boolean | null {
  if (standing === undefined || standing === 'unchecked') return null;
  return standing !== 'same';
}
