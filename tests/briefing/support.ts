/** Facts and texts of a briefing for tests, and the steps that its end-to-end tests share. */
import type { Gathered } from '../../src/commands/briefing/decide.ts';
import type { BriefingText } from '../../src/events/briefing/events.ts';
import type { BriefingFacts } from '../../src/events/briefing/facts.ts';
import type { TestDaemon } from '../support/daemon.ts';

export const FACTS: BriefingFacts = {
  period: {
    from_position: 3,
    to_position: 9,
    tree_hash: 'a'.repeat(64),
    from: Date.UTC(2026, 10, 21, 6),
    to: Date.UTC(2026, 10, 22, 6),
    previous: null,
    is_cut: false,
  },
  timezone: 'Europe/Berlin',
  scheduled_for: null,
  late_minutes: 0,
  workspace: null,
  attention: { items: [], more: 0 },
};

export const GATHERED: Gathered = { facts: FACTS, headline: 'Nothing.', markdown: '# Briefing\n' };

export const TEXT: BriefingText = {
  headline: 'Nothing.',
  markdown: '# Briefing\n',
  writer: { kind: 'computed', provider: null, model: null },
  dropped: [],
  notes: [],
};

export interface Overview {
  readonly settings: Record<string, unknown>;
  readonly history: readonly Entry[];
  readonly routine: Record<string, unknown>;
  readonly running: boolean;
  readonly last_error: string | null;
}

export interface Entry {
  readonly id: string;
  readonly status: string;
  readonly trigger: string;
  readonly scheduled_for: number | null;
  readonly from_position: number;
  readonly to_position: number;
  readonly headline: string;
  readonly markdown: string;
  readonly writer: { readonly kind: string; readonly provider: string | null; readonly model: string | null };
  readonly dropped: readonly string[];
  readonly notes: readonly string[];
  readonly error: string | null;
}

export interface Detail extends Entry {
  readonly settings: Record<string, unknown>;
  readonly computed_markdown: string;
  readonly facts: BriefingFacts;
}

type Asked = Pick<TestDaemon, 'request'>;

export async function overview(daemon: Asked, query = ''): Promise<Overview> {
  return (await (await daemon.request(`/briefing${query}`)).json()) as Overview;
}

export async function detail(daemon: Asked, id: string): Promise<Detail> {
  return (await (await daemon.request(`/briefing/${id}`)).json()) as Detail;
}

export function post(daemon: Asked, path: string, body: unknown, headers: Record<string, string> = {}) {
  return daemon.request(path, { method: 'POST', body: JSON.stringify(body), headers });
}

export function put(daemon: Asked, path: string, body: unknown) {
  return daemon.request(path, { method: 'PUT', body: JSON.stringify(body) });
}

/** Asks for a briefing and answers its id, without waiting for its end. */
export async function requested(daemon: Asked, settings: object = {}): Promise<{ readonly id: string }> {
  return (await (await post(daemon, '/briefing/generate', settings)).json()) as { id: string };
}

/** Asks for a briefing and waits for its end. */
export async function generated(daemon: Asked, settings: object = {}): Promise<Detail> {
  const { id } = await requested(daemon, settings);
  while ((await overview(daemon, '?limit=0&wait=20000')).running);
  return detail(daemon, id);
}
