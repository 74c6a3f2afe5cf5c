/** One run: its facts, its timeline, and its conversation or events, also as of any step. */
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { api, type Envelope, isStatus, type JobRecord } from '../../api.ts';
import { count, duration } from '../../format.ts';
import { objectOf } from '../../lib/json.ts';
import { type Resource, resources, useResource } from '../../resource.ts';
import { href } from '../../router.ts';
import { foldRun, type Run } from '../../runs/fold.ts';
import { useHistory } from '../../runs/history.ts';
import { RunStatus } from '../../runs/run-status.tsx';
import { text as all } from '../../text.ts';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { Head } from '../../ui/head.tsx';
import { Segments } from '../../ui/segments.tsx';
import { Empty, Failure, Skeleton } from '../../ui/states.tsx';
import { Elapsed, When } from '../../ui/time.tsx';
import { RunActions, type RunActionsProps } from './actions.tsx';
import { Conversation } from './conversation.tsx';
import { EventTable } from './events.tsx';
import { Heard } from './heard.tsx';
import { Timeline } from './timeline.tsx';

const text = all.runs.run;
const SHOWN = { '': text.conversation, events: text.events };
const TITLE_CHARACTERS_MAX = 160;
/** Events that end a step, unless the tool call is repeated: what a fork counts. */
const STEP_ENDS = new Set(['ToolFinished', 'ToolRejected', 'ToolInterrupted', 'PlanUpdated']);
const UNCHANGED = new Set(['ModelAsked', 'ModelFramesReceived', 'ToolStarted', 'SystemNoted', 'HealthChanged']);

const jobOf = resources<JobRecord>(50, (id) => ({
  load: () => api.runs.get(id),
  concerns: ({ stream, type }) => stream === `run-${id}` && !UNCHANGED.has(type),
}));

/** The positions at which the steps of a run end, for the slider. */
function stepsOf(events: readonly Envelope[]): readonly number[] {
  return events
    .filter(({ type, data }) => STEP_ENDS.has(type) && objectOf(data).repeat !== true)
    .map(({ position }) => position);
}

export function RunPage({ id, query }: { readonly id: string; readonly query: URLSearchParams }): JSX.Element {
  const record = useResource(jobOf(id));
  const job = record.value.value;
  if (job !== undefined) return <Known job={job} record={record} query={query} />;
  const error = record.error.value;
  if (error === null) return <Skeleton lines={6} />;
  if (!isStatus(error, 404)) return <Failure error={error} retry={() => record.refresh()} />;
  return (
    <>
      <Head title={text.notFound} above={<a href={href(['runs'])}>{text.all}</a>} />
      <Empty title={text.notFoundHelp} />
    </>
  );
}

interface KnownProps {
  readonly job: JobRecord;
  readonly record: Resource<JobRecord>;
  readonly query: URLSearchParams;
}

function Known({ job, record, query }: KnownProps): JSX.Element {
  const history = useHistory(job.session_id);
  const { events } = history;
  const version = history.version.value;
  const steps = useMemo(() => stepsOf(events), [version]);
  const asked = query.get('step');
  const step = asked === null ? null : Math.max(0, Math.min(steps.length, Math.trunc(Number(asked)) || 0));
  const run = useMemo(() => (step === null ? history.run : foldRun(upTo(events, steps, step))), [version, step]);
  const isEvents = query.get('show') === 'events';
  return (
    <div class="run">
      <RunHead
        job={job}
        record={record}
        history={history}
        steps={Math.max(steps.length, job.steps_completed)}
        step={step}
      />
      <About job={job} run={history.run} />
      {history.error.value !== null && <Failure error={history.error.value} retry={() => history.load()} />}
      {!history.isComplete.value && history.error.value === null && <Skeleton lines={4} />}
      {history.isComplete.value && (
        <>
          <Timeline run={history.run} steps={steps} step={step} job={job} />
          <Segments label={text.views} of={SHOWN} shown={isEvents ? 'events' : ''} />
          <h2 class="visually-hidden">{SHOWN[isEvents ? 'events' : '']}</h2>
          {isEvents ? (
            <EventTable events={step === null ? events : upTo(events, steps, step)} version={version} />
          ) : (
            <Conversation run={run} version={version} />
          )}
          <Heard run={history.run} isLive={job.finished_at === null} />
        </>
      )}
    </div>
  );
}

function upTo(events: readonly Envelope[], steps: readonly number[], step: number): readonly Envelope[] {
  const last = steps[step - 1] ?? events.find(({ type }) => type === 'ModelAsked')?.position ?? 0;
  return events.filter(({ position }) => position <= last);
}

function RunHead({ job, record, history, steps, step }: RunActionsProps): JSX.Element {
  const { task, parent_session_id: parent, session_id: id } = job;
  const title = task.length > TITLE_CHARACTERS_MAX ? `${task.slice(0, TITLE_CHARACTERS_MAX)}…` : task;
  const above = (
    <>
      <a href={href(['runs'])}>{text.all}</a>
      {parent !== null && (
        <span class="quiet">
          {' · '}
          {text.forkOf} <a href={href(['runs', parent])}>{parent.slice(0, 12)}</a>
          {', '}
          <a href={href(['runs', parent, 'compare', id])}>{text.compareParent}</a>
        </span>
      )}
    </>
  );
  const note = (
    <span class="row">
      <RunStatus of={job} />
      {record.isPending.value && <span class="pending-mark">{all.unconfirmed}</span>}
      {job.cancellation_reason}
    </span>
  );
  return (
    <Head title={title} above={above} note={note}>
      <RunActions job={job} record={record} history={history} steps={steps} step={step} />
    </Head>
  );
}

function About({ job, run }: { readonly job: JobRecord; readonly run: Run }): JSX.Element {
  const { facts } = text;
  const took =
    job.finished_at === null ? (
      <Elapsed since={job.started_at - job.took_ms} />
    ) : (
      <span class="number">{duration(job.took_ms)}</span>
    );
  const rows: readonly Fact[] = [
    [facts.model, `${job.provider} / ${job.model}`],
    [facts.approval, job.approval],
    [facts.started, <When key="at" at={job.first_started_at} />],
    [facts.took, took],
    [facts.steps, count(job.steps_completed)],
    ...(job.calls_rejected > 0 ? [[facts.rejected, count(job.calls_rejected)] as const] : []),
    [facts.tokens, text.tokens(count(run.inputTokens), count(run.outputTokens))],
    [facts.files, job.files_modified.join(', ') || all.none],
    [facts.workspace, job.workspace],
    [facts.id, job.session_id],
  ];
  return <Facts of={rows} class="run-facts" />;
}
