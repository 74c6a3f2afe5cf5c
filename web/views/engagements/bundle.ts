/** The evidence bundle: everything that the documents of an engagement rest on, of one moment, with the hashes that prove it. */
import { api, type EngagementsListEvidenceAnswer } from '../../api.ts';
import { histories } from './data.ts';

export async function bundleOf(id: string, at: string | null): Promise<object> {
  const query = { at: at ?? undefined };
  const [{ report, as_of }, { deliverables }, { gates }, document] = await Promise.all([
    api.engagements.get(id, { query }),
    api.engagements.listDeliverables(id, { query }),
    api.engagements.listGates(id, { query }),
    api.engagements.report(id, { query }),
  ]);
  const evidence: EngagementsListEvidenceAnswer['evidence'][number][] = [];
  for (const { id: did, evidence_count } of deliverables) {
    if (evidence_count > 0) evidence.push(...(await api.engagements.listEvidence(id, did, { query })).evidence);
  }
  const history = histories(id);
  await history.refresh();
  const until = as_of?.position ?? Number.POSITIVE_INFINITY;
  const changes = (history.value.value ?? []).filter(({ position }) => position <= until);
  return { as_of: as_of ?? null, report, deliverables, gates, evidence, history: changes, document };
}
