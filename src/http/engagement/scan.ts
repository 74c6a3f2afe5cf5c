/** Proposes files of a workspace as evidence. With `attach` they are recorded; statuses never change. */
import { z } from 'zod';
import { engagementId } from '../../commands/engagement/commands.ts';
import { engagement as decider } from '../../commands/engagement/decide.ts';
import type { Config } from '../../config.ts';
import type { EvidenceFiles } from '../../ports/evidence-files.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import { documentAsOf, type EngagementSources } from '../../queries/engagement/as-of.ts';
import {
  CANDIDATES_MAX,
  type Candidate,
  scanRoot,
  scanWorkspace,
  unattachedCandidates,
  zScanReport,
} from '../../queries/engagement/scan.ts';
import { type Answer, type Call, ok, type RouteSpec, value } from '../server/route.ts';
import { ofEngagement, zId, zName, zPath, zReason } from './schemas.ts';

export interface Dependencies extends EngagementSources {
  readonly config: Pick<Config, 'workspace'>;
  readonly ids: IdGenerator;
  readonly evidenceFiles: EvidenceFiles;
}

const zChosen = z.object({ deliverable_key: zName, path: zPath.describe('The file, as the scan named it.') });

const zScanBody = z
  .object({
    path: zPath
      .nullish()
      .describe('Folder to scan, relative to the workspace of the engagement; absent: that workspace.'),
    attach: z
      .boolean()
      .nullish()
      .transform((attach) => attach === true),
    only: z
      .array(zChosen)
      .max(CANDIDATES_MAX)
      .nullish()
      .describe('The candidates to attach, as an earlier scan named them; absent: all of them.'),
    reason: zReason,
  })
  .optional();
z.globalRegistry.add(zScanBody, { examples: [{ path: '/home/ada/archive', attach: true }] });

export function scanRoute(deps: Dependencies): RouteSpec {
  return ofEngagement.post('/scan', {
    operation: 'scan',
    summary: 'Proposes files of a workspace as evidence; `attach` records them, or `only` some; statuses never change.',
    params: zId,
    body: zScanBody,
    responses: ok('What was found, and how many files were attached; null without `attach`.', {
      scan: zScanReport.describe('The proposed files.'),
      attached: z.int().nullable().describe('Files that were attached; null without `attach`.'),
    }),
    handle: (call) => scan(deps, call),
  });
}

async function scan(
  deps: Dependencies,
  { params: { id }, body, answerAfter }: Call<z.infer<typeof zId>, unknown, z.infer<typeof zScanBody>>,
): Promise<Answer> {
  const { config, evidenceFiles, ids } = deps;
  const { document } = await documentAsOf(deps, id, undefined);
  const root = scanRoot(document, { path: body?.path, workspace: config.workspace });
  const { report, candidates } = await scanWorkspace(evidenceFiles, root);
  if (body?.attach !== true) return value({ scan: report, attached: null });
  const chosen = body.only == null ? candidates : chosenOf(candidates, body.only);
  const unattached = await unattachedCandidates(evidenceFiles, document, chosen);
  const files = unattached.map(({ candidate: { deliverable_key, rule, path }, file }) => ({
    evidence_id: engagementId(ids.hex(16)),
    deliverable_key,
    label: `detected: ${rule}`,
    reference: path,
    file,
  }));
  const command = { type: 'AttachFound', found: files, reason: body.reason } as const;
  return answerAfter(decider, id, command, (_, { length: attached }) => value({ scan: report, attached }));
}

function chosenOf(candidates: readonly Candidate[], only: readonly z.infer<typeof zChosen>[]): readonly Candidate[] {
  const keys = new Set(only.map(({ deliverable_key, path }) => `${deliverable_key}\n${path}`));
  return candidates.filter(({ deliverable_key, path }) => keys.has(`${deliverable_key}\n${path}`));
}
