/** A new run from the conversation of this one after a step. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { api, freshKey, isStatus, type JobRecord } from '../../api.ts';
import { go } from '../../router.ts';
import { text as all } from '../../text.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { attempt, toast } from '../../ui/toasts.tsx';

const text = all.runs.fork;

interface ForkProps {
  readonly job: JobRecord;
  /** Null: after the last step. */
  readonly step: number | null;
  readonly label: string;
}

export function ForkButton(props: ForkProps): JSX.Element {
  const isOpen = useSignal(false);
  return (
    <>
      <button type="button" class="button" onClick={() => (isOpen.value = true)}>
        <Icon name="fork" /> {props.label}
      </button>
      <Dialog title={text.title} isOpen={isOpen.value} onClose={() => (isOpen.value = false)}>
        <ForkForm {...props} />
      </Dialog>
    </>
  );
}

function ForkForm({ job, step }: ForkProps): JSX.Element {
  const key = useRef(freshKey());
  const isBusy = useSignal(false);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (isBusy.value) return;
    const fields = new FormData(event.currentTarget as HTMLFormElement);
    const task = String(fields.get('task')).trim();
    const body = { step: Number(fields.get('step')), ...(task !== '' && { task }) };
    isBusy.value = true;
    await attempt(async () => {
      const { session_id } = await api.runs
        .fork(job.session_id, body, { idempotencyKey: key.current })
        .catch((error) => {
          if (!isStatus(error, 0)) key.current = freshKey();
          throw error;
        });
      toast(text.done);
      go(['runs', session_id]);
    });
    isBusy.value = false;
  };
  return (
    <form class="stack" onSubmit={(event) => void submit(event)}>
      <p>{text.body}</p>
      <label class="field">
        <span>{text.step}</span>
        <input
          type="number"
          name="step"
          required
          min={0}
          max={job.steps_completed}
          defaultValue={String(step ?? job.steps_completed)}
        />
      </label>
      <label class="field">
        <span>{text.task}</span>
        <textarea name="task" rows={3} dir="auto" placeholder={text.taskHint} />
      </label>
      <div class="row-ends">
        <span />
        <button type="submit" class="button primary" aria-busy={isBusy.value}>
          {text.start}
        </button>
      </div>
    </form>
  );
}
