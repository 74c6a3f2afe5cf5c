/** The data of Now, kept up to date by events. */
import { api, type Engagement, type EngagementsGetAnswer, type Envelope, type StorageStats } from '../../api.ts';
import { ofCategory, type Resource, resource, resources } from '../../resource.ts';

const RUNNING_MAX = 50;
/** How many runs are loaded: those of one night. */
const RECENT = 12;
const ENGAGEMENTS_MAX = 4;
/** The newest, and those of the week before it. */
const BRIEFINGS = 8;

type Report = EngagementsGetAnswer['report'];
export type PhaseReadiness = Report['phases'][number];

const ofTypes =
  (...types: readonly string[]) =>
  ({ type }: Envelope): boolean =>
    types.includes(type);

/** Running, queued, or waiting for the user. */
export const running = resource({
  load: () => api.runs.list({ query: { status: 'queued,running', limit: RUNNING_MAX } }),
  concerns: ofTypes(
    'RunRequested',
    'RunResumed',
    'RunBegun',
    'RunCompleted',
    'RunStopped',
    'RunFailed',
    'RunCancelled',
  ),
  fold(jobs, { stream, type, at }) {
    const id = stream.slice('run-'.length);
    if (type === 'RunRequested' || type === 'RunResumed') return null;
    if (!jobs.some(({ session_id }) => session_id === id)) return type === 'RunBegun' ? null : jobs;
    // Another may have been left out.
    if (jobs.length === RUNNING_MAX) return null;
    if (type !== 'RunBegun') return jobs.filter(({ session_id }) => session_id !== id);
    return jobs.map((job) => (job.session_id === id ? { ...job, status: 'running', started_at: at } : job));
  },
});

export const recent = resource({
  load: () => api.runs.list({ query: { status: 'complete,partial,failed,cancelled', limit: RECENT } }),
  concerns: ofTypes('RunResumed', 'RunCompleted', 'RunStopped', 'RunFailed', 'RunCancelled'),
});

export const goals = resource({
  load: () => api.goals.list({ query: { status: 'active', limit: 6 } }),
  concerns: ofCategory('goal'),
});

/** The readiness of an engagement: one request each, when it changed. */
export const reportOf = resources(20, (id) => ({
  load: async (): Promise<Report> => (await api.engagements.get(id)).report,
  concerns: ({ stream }) => stream === `engagement-${id}`,
}));

/** Engagements that are not closed, last changed first. */
export const engagements = resource({
  load: async (): Promise<readonly Engagement[]> => {
    const query = { status: 'draft,active,paused', limit: ENGAGEMENTS_MAX };
    return (await api.engagements.list({ query })).engagements;
  },
  concerns: ofCategory('engagement'),
});

export const briefings = resource({
  load: () => api.briefing.list({ query: { limit: BRIEFINGS } }),
  concerns: ofCategory('briefing', 'briefing_turn'),
});

export const storage: Resource<StorageStats> = resource({
  load: () => api.storage.stats(),
  // The figures of the store change with every event, so the view loads them at its own pace. But an event after a
  // failure means that the store accepts writes again.
  concerns: () => storage.value.value?.failure != null,
});
