/** `daybook engagement deliverables` and `deliver`. */
import type { EngagementsUpdateDeliverableBody } from '../../client/client.ts';
import type { Phase } from '../../events/engagement/events.ts';
import { UsageError } from '../errors.ts';
import { counted, print, printable, printJson, stateCell, table } from '../text.ts';
import { type ChangeOptions, currentPhaseOf, deliverableOf, type PhaseOptions, withEngagement } from './find.ts';

interface DeliverOptions extends ChangeOptions {
  readonly owner?: string;
  readonly notes?: string;
}

export async function listDeliverables(nameOrId: string, options: PhaseOptions): Promise<void> {
  await withEngagement(nameOrId, options, async (client, id) => {
    const { phase, at } = options;
    const answer = await client.api.engagements.listDeliverables(id, { query: { phase, at } });
    if (options.json === true) return printJson(answer);
    if (answer.deliverables.length === 0) return print('No deliverables.\n');
    const rows = answer.deliverables.map((each) => [
      each.key,
      each.phase,
      stateCell(each.status),
      each.evidence_count === 0 ? '' : String(each.evidence_count),
      each.owner ?? '',
      each.title,
    ]);
    const head = ['KEY', 'PHASE', 'STATUS', 'EVIDENCE', 'OWNER', 'TITLE'];
    await print(table([head, ...rows], { optional: ['TITLE', 'OWNER', 'PHASE', 'EVIDENCE'] }));
  });
}

export async function deliver(
  { id: nameOrId, key, status }: { readonly id: string; readonly key: string; readonly status?: DeliverableStatus },
  options: DeliverOptions,
): Promise<void> {
  const { owner, notes, reason } = options;
  if (status === undefined && owner === undefined && notes === undefined)
    throw new UsageError('Give a status, --owner or --notes: there is nothing to change.');
  await withEngagement(nameOrId, options, async (client, id) => {
    const { id: deliverable } = await deliverableOf(client, id, { nameOrId: key });
    const body = { status, owner: owner === '' ? null : owner, notes, reason };
    const answer = await client.api.engagements.updateDeliverable(id, deliverable, body);
    if (options.json === true) return printJson(answer);
    const now = await deliverableOf(client, id, { nameOrId: deliverable });
    const by = now.owner === null ? '' : `, owner ${now.owner}`;
    const evidence = counted(now.evidence_count, 'piece').concat(' of evidence');
    await print(printable(`${now.key}: ${now.status.replaceAll('_', ' ')}${by}, ${evidence}\n`));
    if (now.status !== 'accepted' || now.evidence_count > 0) return;
    process.stderr.write('daybook: it is accepted without evidence, which blocks the phase.\n');
  });
}

type DeliverableStatus = EngagementsUpdateDeliverableBody['status'];

interface AddOptions extends ChangeOptions {
  readonly phase?: Phase;
  readonly description?: string;
  readonly tool?: string;
}

export async function addDeliverable(
  { id: nameOrId, key, title }: { readonly id: string; readonly key: string; readonly title: string },
  options: AddOptions,
): Promise<void> {
  await withEngagement(nameOrId, options, async (client, id) => {
    const { description, tool: tool_hint, reason, phase = await currentPhaseOf(client, id) } = options;
    const body = { phase, key, title, description, tool_hint, reason };
    const answer = await client.api.engagements.addDeliverable(id, body);
    if (options.json === true) return printJson(answer);
    const { deliverable } = answer;
    await print(`${printable(deliverable.key)}  ${deliverable.phase}  ${printable(deliverable.title)}\n`);
  });
}
