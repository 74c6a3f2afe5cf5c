/** A finished run goes on with a further task, under its own id and with its settings. */
import type { JSX } from 'preact';
import { api, type JobRecord, repeatable } from '../../api.ts';
import { text as all } from '../../text.ts';
import { Button } from '../../ui/button.tsx';
import { useDialog } from '../../ui/dialog.tsx';
import { Field, FormDialog, written } from '../../ui/form-dialog.tsx';
import { toast } from '../../ui/toasts.tsx';

const text = all.runs.resume;

const startRun = repeatable(api.runs.start);

export function ResumeButton({ job }: { readonly job: JobRecord }): JSX.Element {
  const { open, opened } = useDialog();
  const { session_id: resume_session_id, approval, provider, model } = job;
  const resume = async (fields: FormData): Promise<void> => {
    const task = written(fields, 'task');
    await startRun({ task, resume_session_id, approval, provider, model, interactive: true });
    toast(text.done);
  };
  return (
    <>
      <Button onClick={open}>{text.label}</Button>
      <FormDialog title={text.title} submit={text.start} send={resume} {...opened}>
        <Field label={text.task} name="task" rows={3} required />
      </FormDialog>
    </>
  );
}
