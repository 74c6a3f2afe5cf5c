/** Finds goals by id or title. */
import type { Client } from '../client.ts';
import { pickId } from '../ids.ts';

const WHOLE = /^[0-9a-f]{32}$/;
/** No limit, for the list. */
const ALL = 0;

export async function goalIdOf({ api }: Client, nameOrId: string): Promise<string> {
  if (WHOLE.test(nameOrId)) return nameOrId;
  const { goals } = await api.goals.list({ query: { limit: ALL } });
  const choices = goals.map(({ id, title }) => ({ id, names: [title] }));
  return pickId(nameOrId, choices, { one: 'goal', many: 'goals', list: 'daybook goal list' });
}
