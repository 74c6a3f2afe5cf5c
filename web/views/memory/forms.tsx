/** The dialogs that add a memory, add a fact, and delete something permanently. */
import type { Signal } from '@preact/signals';
import type { JSX } from 'preact';
import { api, repeatable } from '../../api.ts';
import { text as all } from '../../text.ts';
import { type DialogState, openedBy } from '../../ui/dialog.tsx';
import { Field, FormDialog, written, writtenList } from '../../ui/form-dialog.tsx';
import { toast } from '../../ui/toasts.tsx';
import { deleteForGood, facts, newest, stats } from './data.ts';

const text = all.memory;
const addMemory = repeatable(api.memory.add);

export function KeepDialog(opened: DialogState): JSX.Element {
  const send = async (fields: FormData): Promise<void> => {
    const tags = writtenList(fields, 'tags', ',');
    const { recognised } = await addMemory({ content: written(fields, 'content'), tags });
    toast(recognised === undefined ? text.keep.done : text.keep.recognised);
    await Promise.all([newest('').refresh(), stats.refresh()]);
  };
  return (
    <FormDialog title={text.keep.title} submit={text.keep.submit} send={send} {...opened}>
      <Field label={text.keep.content} name="content" rows={5} required />
      <Field label={text.keep.tags} name="tags" />
    </FormDialog>
  );
}

const FACT_FIELDS = ['subject', 'predicate', 'object'] as const;

export function TellDialog(opened: DialogState): JSX.Element {
  const send = async (fields: FormData): Promise<void> => {
    const from = written(fields, 'from');
    await api.memory.addFact({
      subject: written(fields, 'subject'),
      predicate: written(fields, 'predicate'),
      object: written(fields, 'object'),
      ...(from !== '' && { valid_from: new Date(`${from}T00:00`).getTime() / 1_000 }),
    });
    toast(text.facts.done);
    await facts.refresh();
  };
  return (
    <FormDialog title={text.facts.action} submit={text.facts.submit} send={send} {...opened}>
      {FACT_FIELDS.map((name) => (
        <Field key={name} label={text.facts[name]} name={name} required />
      ))}
      <Field label={text.facts.from} name="from" type="date" help={text.facts.fromHelp} />
    </FormDialog>
  );
}

export interface Doomed {
  readonly id: string;
  /** What is shown of it. */
  readonly words: string;
  readonly loss: string;
}

interface DeleteDialogProps {
  /** The object in question; null closes the dialog. */
  readonly of: Signal<Doomed | null>;
  /** Called with the id of what is deleted. A function that it resolves to is called if the user is still here. */
  after(id: string): Promise<unknown>;
}

export function DeleteDialog({ of, after }: DeleteDialogProps): JSX.Element {
  const doomed = of.value;
  const remove = async (): Promise<unknown> => {
    await deleteForGood(doomed!.id);
    toast(text.loss.done);
    return after(doomed!.id);
  };
  return (
    <FormDialog title={text.loss.title} submit={text.loss.confirm} tone="danger" send={remove} {...openedBy(of)}>
      <blockquote class="memory-doomed" dir="auto">
        {doomed?.words}
      </blockquote>
      <p>{doomed?.loss}</p>
      <p>{text.loss.rest}</p>
      <p>
        <strong>{text.loss.irreversible}</strong>
      </p>
    </FormDialog>
  );
}
