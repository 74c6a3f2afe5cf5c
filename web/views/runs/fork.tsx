/** A new run from the conversation of this one after a step. */
import type { JSX } from 'preact';
import { api, type JobRecord, repeatable } from '../../api.ts';
import { go } from '../../router.ts';
import { text as all } from '../../text.ts';
import { Button } from '../../ui/button.tsx';
import { useDialog } from '../../ui/dialog.tsx';
import { Field, FormDialog, written } from '../../ui/form-dialog.tsx';
import { toast } from '../../ui/toasts.tsx';

const text = all.runs.fork;

interface ForkProps {
  readonly job: JobRecord;
  /** How many it has; rejected calls count, unlike in the record. */
  readonly steps: number;
  /** Null: after the last step. */
  readonly step: number | null;
  readonly label: string;
  /** Whether its steps are still being read, so that nothing can be forked yet. */
  readonly disabled?: boolean;
}

const forkRun = repeatable(api.runs.fork);

export function ForkButton({ job, steps, step, label, disabled = false }: ForkProps): JSX.Element {
  const { open, opened } = useDialog();
  const fork = async (fields: FormData): Promise<() => void> => {
    const task = written(fields, 'task');
    const { session_id } = await forkRun(job.session_id, {
      step: Number(fields.get('step')),
      ...(task !== '' && { task }),
    });
    toast(text.done);
    return () => go(['runs', session_id]);
  };
  return (
    <>
      <Button icon="fork" onClick={open}>
        {label}
      </Button>
      <FormDialog title={text.title} submit={text.start} disabled={disabled} send={fork} {...opened}>
        <p>{text.body}</p>
        <label class="field">
          <span>{text.step}</span>
          <input type="number" name="step" required min={0} max={steps} defaultValue={String(step ?? steps)} />
        </label>
        <Field label={text.task} name="task" rows={3} placeholder={text.taskHint} />
      </FormDialog>
    </>
  );
}
