/**
 * What the view knows of engagements, kept fresh by events. The daemon admits 60 requests a minute: what an event says whole is folded
 * in without a request.
 */
import { useRef } from 'preact/hooks';
import {
  type AsOf,
  api,
  type Deliverable,
  type Engagement,
  type EngagementsGetAnswer,
  type EngagementsHistoryAnswer,
  type EngagementsListEvidenceAnswer,
  type Envelope,
  type Gate,
  roomForBackground,
} from '../../api.ts';
import { objectOf, textOf } from '../../lib/json.ts';
import { ofCategory, type Resource, resource, resources, useResource } from '../../resource.ts';

export type Phase = Engagement['current_phase'];
export type Report = EngagementsGetAnswer['report'];
export type Change = EngagementsHistoryAnswer['events'][number];
export type EvidenceItem = EngagementsListEvidenceAnswer['evidence'][number];

export const PHASES: readonly Phase[] = ['discover', 'prove', 'build', 'operate'];
export const DELIVERABLE_STATUSES: readonly Deliverable['status'][] = [
  'not_started',
  'in_progress',
  'ready',
  'accepted',
  'waived',
];
const KEPT = 60;
const HISTORY_PAGE = 1_000;
/** Events after which the list has other names, phases or statuses. */
const LISTED = ['EngagementOpened', 'EngagementStatusChanged', 'PhaseAdvanced', 'PhaseSet', 'EngagementRemoved'];
const STREAM = 'engagement-';

const concerns =
  (id: string, ...prefixes: readonly string[]) =>
  ({ stream, type }: Envelope): boolean =>
    stream === STREAM + id && (prefixes.length === 0 || prefixes.some((prefix) => type.startsWith(prefix)));

/** Every engagement, the last changed first. */
export const engagements = resource({
  load: async () => (await api.engagements.list()).engagements,
  concerns: ofCategory('engagement'),
  fold(list, { stream, type, at }): readonly Engagement[] | null {
    const changed = list.find(({ id }) => STREAM + id === stream);
    if (changed === undefined || LISTED.includes(type)) return null;
    if (changed.updated_at >= at) return list;
    return [{ ...changed, updated_at: at }, ...list.filter((each) => each !== changed)];
  },
});

export const reports = resources(KEPT, (id) => ({
  load: () => api.engagements.get(id),
  concerns: (event) => concerns(id)(event) && event.type !== 'DeliverableNoted',
}));

export const deliverables = resources(KEPT, (id) => ({
  load: async () => (await api.engagements.listDeliverables(id)).deliverables,
  concerns: concerns(id, 'Deliverable', 'Evidence'),
  fold: foldDeliverables,
}));

/** Only what may be folded in twice: an answer may be newer than an event that comes after it. So evidence is not counted here. */
function foldDeliverables(list: readonly Deliverable[], event: Envelope): readonly Deliverable[] | null {
  const { type, at } = event;
  const data = objectOf(event.data);
  const changed = list.find(({ id }) => id === textOf(data.deliverable_id));
  if (changed === undefined) return null;
  if (changed.updated_at > at) return list;
  const to = (change: Partial<Deliverable>): readonly Deliverable[] =>
    list.map((each) => (each === changed ? { ...each, ...change, updated_at: at } : each));
  const status = DELIVERABLE_STATUSES.find((name) => name === data.to);
  if (type === 'DeliverableStatusChanged' && status !== undefined) return to({ status });
  if (type === 'DeliverableAssigned') return to({ owner: typeof data.owner === 'string' ? data.owner : null });
  if (type === 'DeliverableNoted') return to({ notes: textOf(data.notes) });
  return null;
}

export const gates = resources(KEPT, (id) => ({
  load: async () => (await api.engagements.listGates(id)).gates,
  concerns: concerns(id, 'Gate'),
}));

/** The key of evidence: engagement, deliverable, and the moment or nothing. */
export const evidenceKey = (id: string, did: string, at: string | null): string => [id, did, at ?? ''].join(' ');

export const evidence = resources(KEPT, (key) => {
  const [id = '', did = '', at = ''] = key.split(' ');
  return {
    load: async () =>
      (await api.engagements.listEvidence(id, did, { query: { at: at === '' ? undefined : at } })).evidence,
    concerns: (event: Envelope) =>
      at === '' && concerns(id, 'Evidence')(event) && textOf(objectOf(event.data).deliverable_id) === did,
  };
});

/** Every change of an engagement, the oldest first. */
export const histories = resources(KEPT, (id) => ({
  load: () => allChanges(id),
  concerns: concerns(id),
  fold: (changes: readonly Change[], event: Envelope): readonly Change[] =>
    changes.some(({ position }) => position >= event.position)
      ? changes
      : [...changes, { ...event, reason: textOf(objectOf(event.data).reason) }],
}));

async function allChanges(id: string): Promise<readonly Change[]> {
  const changes: Change[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page: EngagementsHistoryAnswer = await api.engagements.history(id, { query: { after, limit: HISTORY_PAGE } });
    changes.push(...page.events);
    after = page.next;
  }
  return changes;
}

/** All that one page shows, of one moment. */
export interface Whole {
  readonly report: Report;
  readonly deliverables: readonly Deliverable[];
  readonly gates: readonly Gate[];
  /** Absent for now. */
  readonly asOf?: AsOf | undefined;
}

const pasts = resources(KEPT, (key) => {
  const [id = '', at = ''] = key.split(' ');
  const query = { at };
  return {
    async load(): Promise<Whole> {
      const [{ report, as_of }, { deliverables }, { gates }] = await Promise.all([
        api.engagements.get(id, { query }),
        api.engagements.listDeliverables(id, { query }),
        api.engagements.listGates(id, { query }),
      ]);
      return { report, deliverables, gates, asOf: as_of };
    },
    concerns: () => false,
  };
});

export interface Read {
  /** What was read last: of another moment while this one is read. */
  readonly whole: Whole | undefined;
  readonly error: Error | null;
  readonly isReading: boolean;
}

const none = resource<Whole | undefined>({ load: async () => undefined, concerns: () => false });

/** The page as of a moment (`at`), or now. */
export function useWhole(id: string, at: string | null): Read {
  const report = useResource(reports(id));
  const work = useResource(deliverables(id));
  const judged = useResource(gates(id));
  const past: Resource<Whole | undefined> = useResource(at === null ? none : pasts(`${id} ${at}`));
  const last = useRef<Whole>(undefined);
  const live = [report, work, judged] as const;
  let whole: Whole | undefined;
  if (at !== null) whole = past.value.value;
  else if (report.value.value && work.value.value && judged.value.value) {
    whole = { report: report.value.value.report, deliverables: work.value.value, gates: judged.value.value };
  }
  const error = at === null ? (live.find((each) => each.error.value !== null)?.error.value ?? null) : past.error.value;
  if (last.current?.report.engagement.id !== id) last.current = undefined;
  last.current = whole ?? last.current;
  return { whole: last.current, error, isReading: whole === undefined && error === null };
}

/** How ready the current phase of an engagement was at its change at `at`. */
export interface Readiness {
  readonly at: number;
  readonly phase: Report['phases'][number];
}

/** By the engagement's id. These are no resources: a board has any number of cards. */
const known = new Map<string, Readiness>();

export const knownReadiness = (id: string): Readiness | null => known.get(id) ?? null;

/** Reads how ready an engagement is, unless that is known, when the rate limit has room and somebody still asks. */
export async function readReadiness({ id, updated_at }: Engagement, isAsked: () => boolean): Promise<void> {
  if (known.get(id)?.at === updated_at) return;
  await roomForBackground();
  if (!isAsked()) return;
  const { report } = await api.engagements.get(id);
  const { current_phase, updated_at: at } = report.engagement;
  const phase = report.phases.find((each) => each.phase === current_phase);
  if (phase !== undefined) known.set(id, { at, phase });
}
