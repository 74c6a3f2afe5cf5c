/** Ids for completion: a line each, with a tab and what the id stands for. */
import { homeOf } from '../../config.ts';
import { readDiscovery } from '../../discovery.ts';
import { type Client, createClient } from '../client.ts';
import { shortId } from '../ids.ts';
import { oneLine } from '../text.ts';
import type { IdKind } from './tree.ts';

const IDS_MAX = 50;
const NAME_CHARACTERS_MAX = 60;
/** A shell waits for it at a key press. */
const WAIT_MS_MAX = 2_000;

type Known = readonly [id: string, name: string];
type Ask = (api: Client['api'], options: { readonly signal: AbortSignal }) => Promise<readonly Known[]>;

const ASK: Readonly<Record<IdKind, Ask>> = {
  async sessions(api, options) {
    const runs = await api.runs.list({ ...options, query: { limit: IDS_MAX } });
    return runs.map(({ session_id, status, task }) => [shortId(session_id), `${status}: ${task}`]);
  },
  async engagements(api, options) {
    const { engagements } = await api.engagements.list(options);
    return engagements.map(({ id, name }) => [shortId(id), name]);
  },
  async goals(api, options) {
    const { goals } = await api.goals.list({ ...options, query: { limit: IDS_MAX } });
    return goals.map(({ id, title }) => [shortId(id), title]);
  },
  async approvals(api, options) {
    const { approvals } = await api.approvals.list({ ...options, query: { status: 'pending' } });
    return approvals.map(({ id, tool_name }) => [shortId(id), tool_name]);
  },
  async rooms(api, options) {
    return (await api.rooms.list(options)).map((id) => [id, 'room']);
  },
};

/** Empty when no daemon runs or it does not answer soon: a shell shows no errors. */
export async function knownIds(kind: IdKind): Promise<string> {
  const home = homeOf(process.env, {});
  if (readDiscovery(home) === null) return '';
  const signal = AbortSignal.timeout(WAIT_MS_MAX);
  const known = await ASK[kind](createClient(home).api, { signal }).catch(() => []);
  return known
    .slice(0, IDS_MAX)
    .map(([id, name]) => `${id}\t${oneLine(name, NAME_CHARACTERS_MAX)}\n`)
    .join('');
}
