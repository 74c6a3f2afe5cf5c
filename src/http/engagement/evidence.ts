/** Evidence for the deliverables of an engagement. */
import { z } from 'zod';
import { engagementId } from '../../commands/engagement/commands.ts';
import { engagement as decider } from '../../commands/engagement/decide.ts';
import type { Config } from '../../config.ts';
import { zEvidenceKind } from '../../events/engagement/events.ts';
import { zEvidence } from '../../events/engagement/records.ts';
import type { EvidenceFiles } from '../../ports/evidence-files.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import { evidenceItem } from '../../projections/engagement/document.ts';
import type { EngagementSources } from '../../queries/engagement/as-of.ts';
import { deliverableEvidence, referencedFile } from '../../queries/engagement/evidence.ts';
import { requireEngagement } from '../../queries/engagement/lookup.ts';
import { asOfField, zAt } from '../server/as-of.ts';
import { type Answer, type Call, ok, type RouteSpec, value } from '../server/route.ts';
import { deleted, ofEngagement, valueAsOf, zDid, zId, zOptionalText, zReason, zReasonQuery } from './schemas.ts';

export interface Dependencies extends EngagementSources {
  readonly config: Pick<Config, 'workspace'>;
  readonly ids: IdGenerator;
  readonly evidenceFiles: EvidenceFiles;
}

const zShownEvidence = zEvidence.extend({
  changed_since: z
    .boolean()
    .nullable()
    .describe('Whether the file differs from the attached state; null when it cannot be compared.'),
});

const zNewEvidence = z.object({
  kind: zEvidenceKind
    .nullish()
    .transform((kind) => kind ?? 'note')
    .describe('The kind of `reference`; absent: note.'),
  label: zOptionalText.describe('Short description; absent: empty.'),
  reference: zOptionalText,
  reason: zReason,
});
z.globalRegistry.add(zNewEvidence, {
  examples: [{ kind: 'file', label: 'Load test', reference: '/home/ada/archive/load-test.md' }],
});

export function evidenceRoutes(deps: Dependencies): readonly RouteSpec[] {
  return [
    ofEngagement.get('/deliverables/{did}/evidence', {
      params: zDid,
      operation: 'listEvidence',
      summary: 'Evidence by time of capture, and whether each file has changed since; `at` answers as it was then.',
      query: z.object({ at: zAt }),
      responses: ok('Evidence.', {
        evidence: z.array(zShownEvidence).describe('Pieces of evidence, by time of attaching.'),
        ...asOfField,
      }),
      async handle({ params, query }) {
        const { evidence, asOf } = await deliverableEvidence(deps, { ...params, at: query.at });
        return valueAsOf({ evidence }, asOf);
      },
    }),
    ofEngagement.post('/deliverables/{did}/evidence', {
      params: zDid,
      operation: 'addEvidence',
      dispatchOnly: true,
      summary: 'Attaches evidence; a local file is recorded with its size and SHA-256.',
      body: zNewEvidence,
      responses: ok('The evidence.', { evidence: zShownEvidence.describe('The new piece of evidence.') }),
      handle: (call) => attach(deps, call),
    }),
    ofEngagement.del('/evidence/{eid}', {
      operation: 'deleteEvidence',
      dispatchOnly: true,
      summary: 'Removes one evidence item.',
      params: zId.extend({ eid: z.string() }),
      query: zReasonQuery,
      responses: deleted,
      handle: async ({ params: { id, eid }, query: { reason }, answerAfter }) =>
        answerAfter(decider, id, { type: 'RemoveEvidence', evidence_id: eid, reason }, () => value({ deleted: true })),
    }),
  ];
}

type NewEvidence = Call<z.infer<typeof zDid>, unknown, z.infer<typeof zNewEvidence>>;

async function attach(deps: Dependencies, { params: { id, did }, body, answerAfter }: NewEvidence): Promise<Answer> {
  const { config, evidenceFiles, ids, views } = deps;
  const { workspace_path } = requireEngagement(views, id);
  const { kind, reference } = body;
  const workspace = workspace_path ?? config.workspace;
  const file = kind === 'file' ? await referencedFile(evidenceFiles, { workspace, reference }) : null;
  const evidence_id = engagementId(ids.hex(16));
  const changed_since = file === null || file.sha256 === null ? null : false;
  const command = { type: 'AttachEvidence', evidence_id, deliverable_id: did, ...body, file } as const;
  return answerAfter(decider, id, command, () =>
    value({ evidence: { ...evidenceItem(views, id, evidence_id), changed_since } }),
  );
}
