/** Goals as people name them. */
import type { Client } from '../client.ts';
import { pickId } from '../ids.ts';

const WHOLE = /^[0-9a-f]{32}$/;
/** The limit of the list: all of them. */
const ALL = 0;

export async function goalIdOf({ api }: Client, given: string): Promise<string> {
  if (WHOLE.test(given)) return given;
  const { goals } = await api.goals.list({ query: { limit: ALL } });
  const choices = goals.map(({ id, title }) => ({ id, names: [title] }));
  return pickId(given, choices, { one: 'goal', many: 'goals', list: 'daybook goal list' });
}
