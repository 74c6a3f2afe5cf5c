/** The active runs, each with its current step and the end of its model's output. */
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { api, type JobRecord } from '../../api.ts';
import { count } from '../../format.ts';
import { href } from '../../router.ts';
import type { Run } from '../../runs/fold.ts';
import { useHistory } from '../../runs/history.ts';
import { RunStatus } from '../../runs/run-status.tsx';
import { reasonOf, subjectOf } from '../../runs/words.ts';
import { openOverlay } from '../../shell/overlay.ts';
import { text as all } from '../../text.ts';
import { Action } from '../../ui/action.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Ago, Elapsed } from '../../ui/time.tsx';
import { recent, running } from './data.ts';

const text = all.now.running;
const TAIL_CHARACTERS = 700;

export function Running(): JSX.Element {
  return (
    <section class="now-section" aria-labelledby="now-running">
      <div class="section-head">
        <h2 id="now-running">{text.title}</h2>
      </div>
      <Loaded of={running}>
        {(jobs) =>
          jobs.length === 0 ? (
            <Empty title={text.none} help={text.noneHelp}>
              <Button tone="primary" onClick={() => openOverlay('new-run')}>
                {all.newRun} <kbd>C</kbd>
              </Button>
            </Empty>
          ) : (
            <ul class="now-stack">
              {jobs.map((job) => (
                <RunningCard key={job.session_id} job={job} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
}

function RunningCard({ job }: { readonly job: JobRecord }): JSX.Element {
  const { run } = useHistory(job.session_id);
  const done = run.plan.filter(({ status }) => status === 'done').length;
  return (
    <li class="card now-run">
      <div class="row-ends">
        <a class="now-task" dir="auto" href={href(['runs', job.session_id])}>
          {job.task}
        </a>
        <RunStatus of={job} />
      </div>
      <p class="quiet now-facts">
        <Elapsed since={job.queued_at} />
        <span>{text.step(count(run.steps))}</span>
        <span>
          {job.provider} / {job.model}
        </span>
        {run.plan.length > 0 && <span>{text.plan(count(done), count(run.plan.length))}</span>}
      </p>
      {run.plan.length > 0 && (
        <progress
          class="progress"
          value={done}
          max={run.plan.length}
          aria-label={text.plan(count(done), count(run.plan.length))}
        />
      )}
      <CurrentStep run={run} />
      <Tail run={run} task={job.task} />
      <div class="row">
        <Action icon="stop" run={() => cancelRun(job.session_id)} label={`${text.cancel}: ${job.task}`}>
          {text.cancel}
        </Action>
      </div>
    </li>
  );
}

async function cancelRun(id: string): Promise<void> {
  await running.change(
    (jobs) => jobs.filter(({ session_id }) => session_id !== id),
    () => api.runs.cancel(id),
  );
}

function CurrentStep({ run }: { readonly run: Run }): JSX.Element | null {
  const { activity } = run;
  if (activity === null) return null;
  const tool = run.items.findLast((item) => item.kind === 'tool');
  const subject = activity.kind === 'tool' && tool?.kind === 'tool' ? subjectOf(tool.input) : '';
  const name = activity.kind === 'tool' || activity.kind === 'approval' ? activity.name : '';
  return (
    <p class="now-step">
      <span class="busy">{text.activities[activity.kind]}</span> {name !== '' && <code>{name}</code>}{' '}
      {subject !== '' && (
        <span class="quiet now-cut" dir="auto">
          {subject}
        </span>
      )}{' '}
      <span class="quiet">
        <Elapsed since={activity.since} />
      </span>
    </p>
  );
}

/**
 * The end of the newest answer. It is no live region, which would make screen readers talk all the time; the run's page
 * says each answer once it is whole.
 */
function Tail({ run, task }: { readonly run: Run; readonly task: string }): JSX.Element | null {
  const element = useRef<HTMLDivElement>(null);
  const answer = run.items.findLast((item) => item.kind === 'answer' && item.text !== '');
  const words = answer?.kind === 'answer' ? answer.text.slice(-TAIL_CHARACTERS) : '';
  useEffect(() => {
    const box = element.current;
    if (box !== null) box.scrollTop = box.scrollHeight;
  }, [words]);
  if (words === '') return null;
  return (
    <div
      ref={element}
      class="now-tail"
      role="log"
      aria-live="off"
      aria-label={text.output(task)}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keyboard.
      tabIndex={0}
      dir="auto"
    >
      {words}
    </div>
  );
}

export function Recent(): JSX.Element {
  return (
    <Loaded of={recent}>
      {(jobs) =>
        jobs.length === 0 ? null : (
          <section class="now-section" aria-labelledby="now-recent">
            <div class="section-head">
              <h2 id="now-recent">{all.now.recent.title}</h2>
              <a class="quiet" href={href(['runs'])}>
                {all.now.recent.all}
              </a>
            </div>
            <ul class="rows">
              {jobs.map((job) => (
                <li key={job.session_id} class="now-row">
                  <RunStatus of={job} />
                  <span class="now-ended">
                    <a class="now-cut" dir="auto" href={href(['runs', job.session_id])}>
                      {job.task}
                    </a>
                    <Why of={job} />
                  </span>
                  <span class="quiet">
                    <Ago at={job.finished_at ?? job.started_at} />
                  </span>
                </li>
              ))}
            </ul>
          </section>
        )
      }
    </Loaded>
  );
}

function Why({ of }: { readonly of: JobRecord }): JSX.Element | null {
  const reason = reasonOf(of);
  return reason === '' ? null : (
    <span class="now-why quiet" dir="auto">
      {reason}
    </span>
  );
}
