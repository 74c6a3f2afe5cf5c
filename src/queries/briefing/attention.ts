/** The facts of a briefing that need a person, most urgent first. Pure. */
import type { Attention, BriefingFacts } from '../../events/briefing/facts.ts';
import { shortened } from './observations.ts';

/** An approval that expired without an answer. */
export interface ExpiredApproval {
  readonly id: string;
  readonly session_id: string;
  readonly tool_name: string;
  readonly position: number;
}

/** Backups are made daily: if the newest one is older than this, at least one is missing. */
const BACKUP_AGE_HOURS_MAX = 48;
const HOUR_MS = 3_600_000;
/** From here on an age is told in days. */
const DAYS_FROM_HOURS = 96;
const TASK_CHARACTERS_MAX = 100;

export function attentionOf(
  facts: Omit<BriefingFacts, 'attention'>,
  expired: readonly ExpiredApproval[],
): readonly Attention[] {
  return [
    ...ofStorage(facts),
    ...ofApprovals(facts, expired),
    ...ofRuns(facts),
    ...ofEngagements(facts),
    ...ofReviews(facts),
    ...ofIndex(facts),
    ...ofRepositories(facts),
  ];
}

type Facts = Omit<BriefingFacts, 'attention'>;

function ofStorage({ storage, period }: Facts): readonly Attention[] {
  if (storage === undefined) return [];
  const items: Attention[] = [];
  const say = (kind: 'storage' | 'backup', text: string): void => {
    items.push({ kind, ref: '', text, position: null });
  };
  if (storage.failure !== null) say('storage', `The log takes no writes: ${storage.failure}`);
  if (storage.backup_failure !== null) say('backup', `The last backup failed: ${storage.backup_failure}`);
  else if (storage.keeps_backups) {
    const since = storage.backup?.made_at ?? storage.begun_at;
    const hours = since === null ? 0 : Math.floor((period.to - since) / HOUR_MS);
    if (hours > BACKUP_AGE_HOURS_MAX) {
      const age = hours < DAYS_FROM_HOURS ? `${hours} hours` : `${Math.floor(hours / 24)} days`;
      say('backup', storage.backup === null ? 'There is no backup.' : `The newest backup is ${age} old.`);
    }
  }
  return items;
}

function ofApprovals({ approvals }: Facts, expired: readonly ExpiredApproval[]): readonly Attention[] {
  const waiting = (approvals?.items ?? []).map(({ id, tool_name, session_id, position }): Attention => {
    const text = `${tool_name} waits for your approval in the run ${shortId(session_id)}.`;
    return { kind: 'approval_waiting', ref: id, text, position };
  });
  const missed = expired.map(({ id, tool_name, session_id, position }): Attention => {
    const text = `Nobody answered in time whether the run ${shortId(session_id)} may use ${tool_name}; it was denied.`;
    return { kind: 'approval_expired', ref: id, text, position };
  });
  return [...waiting, ...missed];
}

function ofRuns({ runs }: Facts): readonly Attention[] {
  const having = (status: 'failed' | 'partial') => (runs?.items ?? []).filter((run) => run.status === status);
  return [
    ...having('failed').map(({ session_id, task, summary, position }): Attention => {
      return { kind: 'run_failed', ref: session_id, text: `Failed: ${cut(task)}: ${summary}`, position };
    }),
    ...having('partial').map(({ session_id, task, remaining, position }): Attention => {
      const left = remaining === 0 ? '' : ` (${remaining} planned ${remaining === 1 ? 'step is' : 'steps are'} left)`;
      return { kind: 'run_partial', ref: session_id, text: `Stopped before the end: ${cut(task)}${left}`, position };
    }),
  ];
}

function ofEngagements({ engagements }: Facts): readonly Attention[] {
  return (engagements?.items ?? []).flatMap(({ id, name, gates, position }) =>
    gates
      .filter(({ verdict }) => verdict === 'fail')
      .map(({ title }): Attention => {
        return { kind: 'gate_failed', ref: id, text: `The gate “${title}” of ${name ?? id} failed.`, position };
      }),
  );
}

function ofReviews({ reviews }: Facts): readonly Attention[] {
  return (reviews?.items ?? [])
    .filter(({ status }) => status === 'failed')
    .map(({ id, repository, number, position }): Attention => {
      return { kind: 'review_failed', ref: id, text: `The review of ${repository}#${number} failed.`, position };
    });
}

function ofIndex({ index }: Facts): readonly Attention[] {
  const item = { kind: 'index', ref: '', position: null } as const;
  const { error = null, failure = null } = index ?? {};
  return [
    ...(error === null ? [] : [{ ...item, text: `The code index has no model: ${error}` }]),
    ...(failure === null ? [] : [{ ...item, text: `The last build of the code index failed: ${failure}` }]),
  ];
}

function ofRepositories({ repositories = [] }: Facts): readonly Attention[] {
  return repositories.flatMap(({ path, error }): readonly Attention[] =>
    error === null
      ? []
      : [{ kind: 'repository', ref: path, text: `${path} could not be read: ${error}`, position: null }],
  );
}

/** The beginning of an id, which is enough for a person and for commands that take an id. */
export function shortId(id: string): string {
  return id.slice(0, 12);
}

const cut = (task: string): string => shortened(task, TASK_CHARACTERS_MAX);
