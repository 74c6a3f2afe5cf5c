/** Engagements, deliverables and gates as people name them. */
import type { Deliverable, Engagement, Gate } from '../../client/client.ts';
import type { Client } from '../client.ts';
import { pickId } from '../ids.ts';

const WHOLE = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

interface Moment {
  readonly at?: string;
}

export async function engagementIdOf({ api }: Client, given: string): Promise<string> {
  // Also of a removed engagement, whose past and history stay.
  if (WHOLE.test(given)) return given;
  const { engagements } = await api.engagements.list();
  return pickId(
    given,
    engagements.map(({ id, name, client }) => ({ id, names: [name, client].filter((text) => text !== '') })),
    { one: 'engagement', many: 'engagements', list: 'daybook engagement list' },
  );
}

export async function deliverableOf(
  { api }: Client,
  engagement: string,
  { given, at }: Moment & { readonly given: string },
): Promise<Deliverable> {
  const { deliverables } = await api.engagements.listDeliverables(engagement, { query: { at } });
  const choices = deliverables.map(({ id, key, title }) => ({ id, names: [key, title] }));
  const list = 'daybook engagement deliverables <engagement>';
  const id = pickId(given, choices, { one: 'deliverable', many: 'deliverables', list });
  return deliverables.find((each) => each.id === id)!;
}

export async function gateOf(
  { api }: Client,
  engagement: string,
  { given, at }: Moment & { readonly given: string },
): Promise<Gate> {
  const { gates } = await api.engagements.listGates(engagement, { query: { at } });
  const choices = gates.map(({ id, title }) => ({ id, names: [title] }));
  const list = 'daybook engagement gate list <engagement>';
  const id = pickId(given, choices, { one: 'gate', many: 'gates', list });
  return gates.find((each) => each.id === id)!;
}

/** The phase that the engagement is in. */
export async function currentPhaseOf({ api }: Client, engagement: string): Promise<Engagement['current_phase']> {
  return (await api.engagements.get(engagement)).report.engagement.current_phase;
}
