/** The dialog that removes an engagement, and says what will be lost. */
import type { JSX } from 'preact';
import { api } from '../../api.ts';
import { count } from '../../format.ts';
import { go } from '../../router.ts';
import { text as all } from '../../text.ts';
import type { DialogState } from '../../ui/dialog.tsx';
import { Field, FormDialog, written } from '../../ui/form-dialog.tsx';
import { toast } from '../../ui/toasts.tsx';
import type { Whole } from './data.ts';

const text = all.engagements.removal;

export function RemoveDialog({ whole, ...opened }: DialogState & { readonly whole: Whole }): JSX.Element {
  const { id } = whole.report.engagement;
  const remove = async (fields: FormData): Promise<() => void> => {
    await api.engagements.delete(id, { query: { reason: written(fields, 'reason') } });
    toast(text.done);
    return () => go(['engagements']);
  };
  return (
    <FormDialog title={text.title} submit={text.submit} tone="danger" send={remove} {...opened}>
      <p>{text.lost(count(whole.deliverables.length), count(whole.gates.length))}</p>
      <Field label={text.reason} name="reason" required />
    </FormDialog>
  );
}
