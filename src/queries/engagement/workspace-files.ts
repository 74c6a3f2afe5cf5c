/** Searches the workspace of an engagement for files by a part of their path, so that a person can pick evidence. */
import { z } from 'zod';
import { refused } from '../../commands/refusal.ts';
import type { Engagement } from '../../events/engagement/records.ts';
import { foldedCase } from '../../lib/characters.ts';
import type { EvidenceFiles } from '../../ports/evidence-files.ts';

export const zWorkspaceFiles = z.object({
  files: z
    .array(z.object({ path: z.string().describe('The file, relative to the workspace, with `/`.') }))
    .describe('Files with the words in their name first, then those with the words in their folders.'),
  found: z.int().min(0).describe('Files that the search found; there are more than `files` when it exceeds `limit`.'),
  truncated: z.boolean().describe('Whether parts of the workspace were not searched.'),
  notes: z.array(z.string()).describe('Why parts were not searched, a sentence each.'),
});
z.globalRegistry.add(zWorkspaceFiles, {
  examples: [{ files: [{ path: 'docs/load-test.md' }], found: 1, truncated: false, notes: [] }],
});

interface Search {
  /** Each word must be in the path, in any case. */
  readonly q: string;
  readonly limit: number;
}

/** Throws `Refused` when the engagement has no workspace that can be read. */
export async function workspaceFiles(
  evidenceFiles: EvidenceFiles,
  { workspace_path }: Pick<Engagement, 'workspace_path'>,
  { q, limit }: Search,
): Promise<z.infer<typeof zWorkspaceFiles>> {
  if (workspace_path === null) throw refused('invalid', 'This engagement has no workspace_path bound to it.');
  const words = foldedCase(q).split(/\s+/).filter(Boolean);
  const byName: string[] = [];
  const byFolder: string[] = [];
  const walk = await evidenceFiles.walk(workspace_path, (relative) => {
    const path = foldedCase(relative);
    if (!words.every((word) => path.includes(word))) return 'skip';
    const name = path.slice(path.lastIndexOf('/') + 1);
    (words.every((word) => name.includes(word)) ? byName : byFolder).push(relative);
    return 'skip';
  });
  if (walk === undefined) throw refused('invalid', 'workspace_path must name a directory that exists and can be read.');
  return {
    files: [...byName, ...byFolder].slice(0, limit).map((path) => ({ path })),
    found: byName.length + byFolder.length,
    truncated: walk.cutShort.length > 0,
    notes: [...walk.cutShort],
  };
}
