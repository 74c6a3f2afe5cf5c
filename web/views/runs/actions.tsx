/** The actions of a run: cancel, resume, fork, check its replay, compare it, save it. */
import type { JSX } from 'preact';
import { api, type JobRecord, type Replay } from '../../api.ts';
import { count } from '../../format.ts';
import { save, saveBundle, savePdf } from '../../lib/save.ts';
import type { Resource } from '../../resource.ts';
import type { History } from '../../runs/history.ts';
import { text as all } from '../../text.ts';
import { Action } from '../../ui/action.tsx';
import { AnswerDialog } from '../../ui/answer-dialog.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog, useDialog } from '../../ui/dialog.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Badge } from '../../ui/status.tsx';
import { ChooseOther } from './choose.tsx';
import { ForkButton } from './fork.tsx';
import { ResumeButton } from './resume.tsx';

const text = all.runs.run;

/** A run, and the step at which it is shown; null: the last. */
export interface RunActionsProps {
  readonly job: JobRecord;
  readonly record: Resource<JobRecord>;
  readonly history: History;
  readonly steps: number;
  readonly step: number | null;
}

export function RunActions({ job, record, history, steps, step }: RunActionsProps): JSX.Element {
  const comparing = useDialog();
  return (
    <>
      {job.finished_at === null ? <Cancel job={job} record={record} /> : <ResumeButton job={job} />}
      <ForkButton job={job} steps={steps} step={step} label={text.fork} disabled={!history.isComplete.value} />
      <ReplayCheck id={job.session_id} />
      <Button onClick={comparing.open}>{text.compare}</Button>
      <Dialog title={all.runs.compare.choose} {...comparing.opened}>
        <ChooseOther id={job.session_id} />
      </Dialog>
      <Save job={job} history={history} />
    </>
  );
}

function Cancel({ job, record }: Pick<RunActionsProps, 'job' | 'record'>): JSX.Element {
  const { open, opened } = useDialog();
  const cancel = async (): Promise<void> => {
    opened.onClose();
    await record.change(
      (shown) => ({ ...shown, status: 'cancelled' }),
      () => api.runs.cancel(job.session_id),
    );
  };
  return (
    <>
      <Button tone="danger" icon="stop" onClick={open}>
        {text.cancel}
      </Button>
      <Dialog title={text.cancelTitle} {...opened}>
        <p>{text.cancelBody}</p>
        <div class="row">
          <Button onClick={opened.onClose}>{text.keep}</Button>
          <Action tone="danger" run={cancel}>
            {text.cancel}
          </Action>
        </div>
      </Dialog>
    </>
  );
}

function ReplayCheck({ id }: { readonly id: string }): JSX.Element {
  const { open, opened } = useDialog();
  return (
    <>
      <Button onClick={open}>{text.replay}</Button>
      <AnswerDialog
        title={all.runs.replay.title}
        ask={() => api.runs.replay(id)}
        meanwhile={all.runs.replay.checking}
        {...opened}
      >
        {(replay) => <ReplayResult of={replay} />}
      </AnswerDialog>
    </>
  );
}

function ReplayResult({ of }: { readonly of: Replay }): JSX.Element {
  const { replay: words } = all.runs;
  if (of.divergence === null) {
    return (
      <p>
        <Badge tone="good" icon="check">
          {all.statuses.ok!}
        </Badge>{' '}
        {words.same(count(of.effects), count(of.events))}
      </p>
    );
  }
  const { position, field, recorded, replayed } = of.divergence;
  return (
    <>
      <p>{words.diverges(count(position), field)}</p>
      <h3>{words.recorded}</h3>
      <pre class="well">{JSON.stringify(recorded, null, 2)}</pre>
      <h3>{words.replayed}</h3>
      <pre class="well">{JSON.stringify(replayed, null, 2)}</pre>
    </>
  );
}

function Save({ job, history }: Pick<RunActionsProps, 'job' | 'history'>): JSX.Element {
  const name = `run-${job.session_id.slice(0, 12)}`;
  const html = async (): Promise<void> =>
    save(await api.sessions.share(job.session_id), { type: 'text/html', name: `${name}.html` });
  const json = async (): Promise<void> => {
    await history.load();
    if (history.error.value !== null) throw history.error.value;
    save(JSON.stringify({ job, events: history.events }, null, 2), { type: 'application/json', name: `${name}.json` });
  };
  const pdf = async (): Promise<void> => savePdf(await api.runs.exportPdf(job.session_id), name);
  const bundle = async (): Promise<void> =>
    saveBundle(await api.runs.evidenceBundle(job.session_id, { query: { with_files: '1' } }), job.session_id);
  return (
    <Menu label={text.export}>
      <Action run={html}>{text.exports.html}</Action>
      <Action run={pdf}>{text.exports.pdf}</Action>
      <Action run={json}>{text.exports.json}</Action>
      <Action run={async () => print()}>{text.exports.print}</Action>
      <Action run={bundle} label={`${all.bundle.save}. ${all.bundle.help}`}>
        {all.bundle.save}
      </Action>
    </Menu>
  );
}
