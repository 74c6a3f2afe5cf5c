/** The dialogs that add a memory, add a fact, and delete something permanently. */
import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { api } from '../../api.ts';
import { text as all } from '../../text.ts';
import { Action } from '../../ui/action.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { attempt, toast } from '../../ui/toasts.tsx';
import { deleteForGood, facts, newest, stats } from './data.ts';

const text = all.memory;

interface FormProps {
  readonly isOpen: Signal<boolean>;
}

/** The text of a field of a form. */
function fieldOf(form: HTMLFormElement, name: string): string {
  const value = new FormData(form).get(name);
  return typeof value === 'string' ? value.trim() : '';
}

interface FormDialogProps extends FormProps {
  readonly title: string;
  readonly submit: string;
  send(form: HTMLFormElement): Promise<void>;
  readonly children: ComponentChildren;
}

function FormDialog({ title, submit, isOpen, send, children }: FormDialogProps): JSX.Element {
  const isBusy = useSignal(false);
  const close = (): void => {
    isOpen.value = false;
  };
  return (
    <Dialog title={title} isOpen={isOpen.value} onClose={close}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (isBusy.value) return;
          const form = event.currentTarget;
          isBusy.value = true;
          void attempt(() => send(form)).then((isSent) => {
            isBusy.value = false;
            if (isSent) close();
          });
        }}
      >
        {children}
        <div class="row">
          <button type="submit" class="button primary" aria-busy={isBusy.value}>
            {submit}
          </button>
          <button type="button" class="button" onClick={close}>
            {all.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

export function KeepDialog({ isOpen }: FormProps): JSX.Element {
  const send = async (form: HTMLFormElement): Promise<void> => {
    const tags = fieldOf(form, 'tags')
      .split(',')
      .map((tag) => tag.trim())
      .filter(Boolean);
    const { recognised } = await api.memory.add({ content: fieldOf(form, 'content'), tags });
    toast(recognised === undefined ? text.keep.done : text.keep.recognised);
    await Promise.all([newest('').refresh(), stats.refresh()]);
  };
  return (
    <FormDialog title={text.keep.title} submit={text.keep.submit} isOpen={isOpen} send={send}>
      <label class="field">
        <span>{text.keep.content}</span>
        <textarea name="content" rows={5} dir="auto" required />
      </label>
      <label class="field">
        <span>{text.keep.tags}</span>
        <input name="tags" dir="auto" />
      </label>
    </FormDialog>
  );
}

const FACT_FIELDS = ['subject', 'predicate', 'object'] as const;

export function TellDialog({ isOpen }: FormProps): JSX.Element {
  const send = async (form: HTMLFormElement): Promise<void> => {
    const from = fieldOf(form, 'from');
    await api.memory.addFact({
      subject: fieldOf(form, 'subject'),
      predicate: fieldOf(form, 'predicate'),
      object: fieldOf(form, 'object'),
      ...(from !== '' && { valid_from: new Date(`${from}T00:00`).getTime() / 1_000 }),
    });
    toast(text.facts.done);
    await facts.refresh();
  };
  return (
    <FormDialog title={text.facts.action} submit={text.facts.submit} isOpen={isOpen} send={send}>
      {FACT_FIELDS.map((name) => (
        <label key={name} class="field">
          <span>{text.facts[name]}</span>
          <input name={name} dir="auto" required />
        </label>
      ))}
      <label class="field">
        <span>{text.facts.from}</span>
        <input name="from" type="date" />
        <span class="quiet">{text.facts.fromHelp}</span>
      </label>
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
  after(): Promise<unknown>;
}

export function DeleteDialog({ of, after }: DeleteDialogProps): JSX.Element {
  const doomed = of.value;
  const close = (): void => {
    of.value = null;
  };
  const confirm = async (): Promise<void> => {
    await deleteForGood(doomed!.id);
    close();
    toast(text.loss.done);
    await after();
  };
  return (
    <Dialog title={text.loss.title} isOpen={doomed !== null} onClose={close}>
      {doomed !== null && (
        <>
          <blockquote class="memory-doomed" dir="auto">
            {doomed.words}
          </blockquote>
          <p>{doomed.loss}</p>
          <p>{text.loss.rest}</p>
          <p>
            <strong>{text.loss.irreversible}</strong>
          </p>
          <div class="row">
            <button type="button" class="button" onClick={close}>
              {all.cancel}
            </button>
            <Action run={confirm} tone="danger">
              {text.loss.confirm}
            </Action>
          </div>
        </>
      )}
    </Dialog>
  );
}
