/** The data of the view, and how it deletes. */
import { signal } from '@preact/signals';
import { api, type MemoryQueryAnswer } from '../../api.ts';
import { ofCategory, resource, resources } from '../../resource.ts';

const isOfMemory = ofCategory('memory', 'fact', 'drawer');

const LISTED = 200;
const FACTS_MAX = 500;
const KEPT = 30;

export const stats = resource({ load: () => api.memory.stats(), concerns: isOfMemory });
export const newest = resources(KEPT, (sector) => ({
  load: () => api.memory.list({ query: { limit: LISTED, ...(sector !== '' && { sector }) } }),
  concerns: isOfMemory,
}));
export const entry = resources(KEPT, (id) => ({
  load: () => api.memory.get(id),
  concerns: ofCategory('memory', 'recall'),
}));
export const facts = resource({
  load: () => api.memory.listFacts({ query: { limit: FACTS_MAX } }),
  concerns: isOfMemory,
});
/** The facts as known at a time, in RFC 3339. */
export const factsAt = resources(KEPT, (at) => ({
  load: () => api.memory.listFacts({ query: { at, limit: FACTS_MAX } }),
  concerns: isOfMemory,
}));
export const drawerStats = resource({ load: () => api.memory.drawerStats(), concerns: isOfMemory });

/** The newest answer to a search: a search is recorded, so it is sent once and never repeated automatically. */
export const answer = signal<{
  readonly question: string;
  readonly sector: string;
  readonly found: MemoryQueryAnswer;
} | null>(null);

const RESULTS = 30;
let asked = 0;

/** The answer to an older question may come last; it is not shown. */
export async function ask(question: string, sector: string): Promise<void> {
  asked += 1;
  const own = asked;
  const found = await api.memory.query({ query: question, limit: RESULTS, ...(sector !== '' && { sector }) });
  if (own === asked) answer.value = { question, sector, found };
}

/** The daemon reports what it could not do with status 200 and a message. */
export async function done(answered: Promise<{ readonly ok: boolean; readonly error?: string }>): Promise<void> {
  const { ok, error } = await answered;
  if (!ok) throw new Error(error);
}

export async function setPinned(id: string, isPinned: boolean): Promise<void> {
  await done(isPinned ? api.memory.pin({ id }) : api.memory.unpin({ id }));
  const { value } = answer;
  if (value === null) return;
  const results = value.found.results.map((each) => (each.id === id ? { ...each, pinned: isPinned } : each));
  answer.value = { ...value, found: { ...value.found, results } };
}

export async function deleteForGood(id: string): Promise<void> {
  await done(api.memory.delete({ id }));
  const { value } = answer;
  if (value === null) return;
  const results = value.found.results.filter((each) => each.id !== id);
  answer.value = { ...value, found: { ...value.found, results } };
}
