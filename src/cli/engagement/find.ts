/** Finds engagements, deliverables and gates by id or name. */
import type { Deliverable, Engagement, Gate } from '../../client/client.ts';
import type { Phase } from '../../events/engagement/events.ts';
import type { PastOptions } from '../as-of.ts';
import type { Client } from '../client.ts';
import { pickId } from '../ids.ts';
import type { AnswerOptions } from '../options.ts';
import { withLog } from '../temporary-daemon.ts';

const WHOLE = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Options of a command that changes an engagement. */
export interface ChangeOptions extends AnswerOptions {
  readonly reason?: string;
}

/** Options of a command that may be limited to one phase. */
export interface PhaseOptions extends PastOptions {
  readonly phase?: Phase;
}

interface Moment {
  readonly at?: string | undefined;
}

export async function engagementIdOf({ api }: Client, nameOrId: string): Promise<string> {
  // A full id may name a removed engagement, which is not listed; its history remains.
  if (WHOLE.test(nameOrId)) return nameOrId;
  const { engagements } = await api.engagements.list();
  return pickId(
    nameOrId,
    engagements.map(({ id, name, client }) => ({ id, names: [name, client].filter((text) => text !== '') })),
    { one: 'engagement', many: 'engagements', list: 'daybook engagement list' },
  );
}

/** As `withLog`, with the id of the engagement. */
export async function withEngagement(
  nameOrId: string,
  options: AnswerOptions,
  work: (client: Client, id: string) => Promise<void>,
): Promise<void> {
  await withLog(options, async (client) => work(client, await engagementIdOf(client, nameOrId)));
}

export async function deliverableOf(
  { api }: Client,
  engagement: string,
  { nameOrId, at }: Moment & { readonly nameOrId: string },
): Promise<Deliverable> {
  const { deliverables } = await api.engagements.listDeliverables(engagement, { query: { at } });
  const choices = deliverables.map(({ id, key, title }) => ({ id, names: [key, title] }));
  const list = 'daybook engagement deliverables <engagement>';
  const id = pickId(nameOrId, choices, { one: 'deliverable', many: 'deliverables', list });
  return deliverables.find((each) => each.id === id)!;
}

export async function gateOf(
  { api }: Client,
  engagement: string,
  { nameOrId, at }: Moment & { readonly nameOrId: string },
): Promise<Gate> {
  const { gates } = await api.engagements.listGates(engagement, { query: { at } });
  const choices = gates.map(({ id, title }) => ({ id, names: [title] }));
  const list = 'daybook engagement gate list <engagement>';
  const id = pickId(nameOrId, choices, { one: 'gate', many: 'gates', list });
  return gates.find((each) => each.id === id)!;
}

/** The phase that the engagement is in. */
export async function currentPhaseOf({ api }: Client, engagement: string): Promise<Engagement['current_phase']> {
  return (await api.engagements.get(engagement)).report.engagement.current_phase;
}
