/**
 * The data of the view, kept up to date by events. The daemon allows 60 requests a minute, so an event that contains
 * the whole change is folded in without a request.
 */
import { useRef } from 'preact/hooks';
import {
  type AsOf,
  api,
  type Deliverable,
  type Engagement,
  type EngagementsGetAnswer,
  type EngagementsHistoryAnswer,
  type EngagementsListAnswer,
  type EngagementsListEvidenceAnswer,
  type Envelope,
  type Gate,
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
/** Events that change the names, phases or statuses in the list. */
const LISTED = ['EngagementOpened', 'EngagementStatusChanged', 'PhaseAdvanced', 'PhaseSet', 'EngagementRemoved'];
const STREAM = 'engagement-';

const concerns =
  (id: string, ...prefixes: readonly string[]) =>
  ({ stream, type }: Envelope): boolean =>
    stream === STREAM + id && (prefixes.length === 0 || prefixes.some((prefix) => type.startsWith(prefix)));

/** The filter of the board. */
export interface Wanted {
  /** Words in the name or the client. */
  readonly q: string;
  readonly withClosed: boolean;
  /** How many of each phase to load; the board also has their total. */
  readonly perPhase: number;
}

export interface Board extends Pick<EngagementsListAnswer, 'engagements'> {
  readonly counts: NonNullable<EngagementsListAnswer['counts']>;
  /** The readiness of the current phase, by the engagement's id. */
  readonly readiness: NonNullable<EngagementsListAnswer['readiness']>;
  /** Ids of engagements that have changed since the answer, so their readiness may have changed. */
  readonly changed: ReadonlySet<string>;
}

/** Events of an engagement that do not change its readiness. */
const BESIDE_READINESS = ['DeliverableAssigned', 'DeliverableNoted'];

const OPEN = 'draft,active,paused';
const BOARDS_KEPT = 8;

/** The engagements of a board, last changed first. There may be ten thousand: the daemon searches and counts them. */
export const board = ({ q, withClosed, perPhase }: Wanted): Resource<Board> =>
  boards(JSON.stringify([q, withClosed, perPhase]));

const boards = resources<Board>(BOARDS_KEPT, (key) => {
  const [q, withClosed, perPhase] = JSON.parse(key) as [string, boolean, number];
  const words = { ...(q !== '' && { q }), ...(!withClosed && { status: OPEN }) };
  const query = { limit_per_phase: perPhase, readiness: 'true', ...words } as const;
  return {
    async load() {
      const { engagements, counts, readiness } = await api.engagements.list({ query });
      if (counts === undefined || readiness === undefined) {
        throw new Error('The daemon is older than this page: reload it.');
      }
      return { engagements, counts, readiness, changed: new Set() };
    },
    concerns: ofCategory('engagement'),
    fold: foldBoard,
    isWhole: ({ changed }) => changed.size === 0,
  };
});

/** Marks a card whose readiness may have changed, and moves it to its place. */
function foldBoard(shown: Board, { stream, type, at }: Envelope): Board | null {
  const moved = shown.engagements.find(({ id }) => STREAM + id === stream);
  if (moved === undefined || LISTED.includes(type)) return null;
  const changed = BESIDE_READINESS.includes(type) ? shown.changed : new Set(shown.changed).add(moved.id);
  if (moved.updated_at >= at) return { ...shown, changed };
  const others = shown.engagements.filter((each) => each !== moved);
  return { ...shown, changed, engagements: [{ ...moved, updated_at: at }, ...others] };
}

export const reports = resources(KEPT, (id) => ({
  load: () => api.engagements.get(id),
  concerns: (event) => concerns(id)(event) && event.type !== 'DeliverableNoted',
}));

export const deliverables = resources(KEPT, (id) => ({
  load: async () => (await api.engagements.listDeliverables(id)).deliverables,
  concerns: concerns(id, 'Deliverable', 'Evidence'),
  fold: foldDeliverables,
}));

/**
 * Folds only idempotent changes: an answer may be newer than an event that comes after it. So evidence is not counted
 * here.
 */
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

/** The key of evidence: engagement, deliverable, and the time, if any. */
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

/** Every change of an engagement, oldest first. */
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

/** Everything that one page shows, as of one time. */
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
  /** The last loaded page, which may be of another time while this one is loaded. */
  readonly whole: Whole | undefined;
  /** The time that `whole` is of; null is now. */
  readonly shownAt: string | null;
  readonly error: Error | null;
  readonly isReading: boolean;
  /** Whether `whole` is of another time than the one that was asked for. */
  readonly isOther: boolean;
}

const none = resource<Whole | undefined>({ load: async () => undefined, concerns: () => false });

/** The page as of a time (`at`), or now. */
export function useWhole(id: string, at: string | null): Read {
  const report = useResource(reports(id));
  const work = useResource(deliverables(id));
  const judged = useResource(gates(id));
  const past: Resource<Whole | undefined> = useResource(at === null ? none : pasts(`${id} ${at}`));
  const last = useRef<{ readonly whole: Whole; readonly at: string | null }>(undefined);
  const live = [report, work, judged] as const;
  let whole: Whole | undefined;
  if (at !== null) whole = past.value.value;
  else if (report.value.value && work.value.value && judged.value.value) {
    whole = { report: report.value.value.report, deliverables: work.value.value, gates: judged.value.value };
  }
  const error = at === null ? (live.find((each) => each.error.value !== null)?.error.value ?? null) : past.error.value;
  if (last.current?.whole.report.engagement.id !== id) last.current = undefined;
  if (whole !== undefined) last.current = { whole, at };
  const isReading = whole === undefined && error === null;
  const { whole: shown, at: shownAt = null } = last.current ?? {};
  return { whole: shown, shownAt, error, isReading, isOther: shownAt !== at };
}
