/**
 * A dialog with a form: if the daemon refuses the request, it stays open with the input and shows the reason, at the
 * fields that it names. If its part of the page leaves, because somebody deleted what it is about, a message says so. If
 * it is closed before the answer comes, a refusal is shown as a message. A form in which something is written is closed by
 * its Cancel button, or at the second attempt.
 */
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { type ComponentChildren, createContext, type InputHTMLAttributes, type JSX } from 'preact';
import { useContext, useId, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { sentenceOf } from '../resource.ts';
import { text } from '../text.ts';
import { useUnsent } from '../unsent.ts';
import { Button } from './button.tsx';
import { Dialog, type DialogState } from './dialog.tsx';
import { faultsOf } from './field-faults.ts';
import { toast, toastFailure } from './toasts.tsx';

export interface FormDialogProps extends DialogState {
  readonly title: string;
  /** The label of the submit button. */
  readonly submit: string;
  readonly tone?: 'primary' | 'danger';
  /** Whether the form cannot be submitted. */
  readonly disabled?: boolean;
  /** Whether the form has what is written in it when it is opened again. */
  readonly keepsWords?: boolean;
  /**
   * Submits the form. The dialog closes when it resolves, unless it resolves to `false`. A function that it resolves to
   * is then called, such as one that opens what was made; not if the user has closed the dialog or left the page.
   */
  send(fields: FormData): Promise<unknown>;
  readonly children: ComponentChildren;
}

/** What a form and its fields share. */
interface FormFields {
  /** The names of the fields that can show a fault. */
  readonly names: Set<string>;
  /** The faults that the daemon found, by the name of the field. */
  readonly faults: ReadonlyMap<string, string>;
}

const NO_FAULTS: FormFields['faults'] = new Map();
const FormContext = createContext<FormFields>({ names: new Set(), faults: NO_FAULTS });

export function FormDialog(props: FormDialogProps): JSX.Element {
  const { title, isOpen, onClose, submit, tone = 'primary', disabled = false, send, children } = props;
  const isBusy = useSignal(false);
  const failure = useSignal<Error | null>(null);
  const words = useWords(isOpen);
  useLayoutEffect(() => {
    failure.value = null;
    isBusy.value = false;
  }, [isOpen]);
  const opening = useOpening(isOpen, isBusy);
  const close = (): void => {
    opening.current = null;
    onClose();
  };
  const leave = (): void => {
    if (isBusy.value || props.keepsWords || words.mayLeave()) close();
  };
  const sent = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (isBusy.value || disabled) return;
    const own = opening.current!;
    isBusy.value = true;
    failure.value = null;
    try {
      const next = await send(new FormData(event.target as HTMLFormElement));
      if (next !== false && opening.current === own && own.address === location.hash) {
        close();
        if (typeof next === 'function') next();
      }
    } catch (error) {
      if (opening.current === own && own.isInPage) failure.value = error as Error;
      else toastFailure(error);
    }
    if (opening.current === own) isBusy.value = false;
  };
  const names = useRef(new Set<string>()).current;
  const { fields: faults, rest } = useMemo(
    () => faultsOf(failure.value === null ? '' : sentenceOf(failure.value, text), names),
    [failure.value],
  );
  return (
    <Dialog title={title} isOpen={isOpen} onClose={leave}>
      <form class="stack" onSubmit={(event) => void sent(event)} onInput={words.note}>
        <FormContext.Provider value={useMemo(() => ({ names, faults }), [faults])}>{children}</FormContext.Provider>
        <p class="failure-line" role="alert">
          {rest}
        </p>
        {words.isAsking.value && <Question />}
        <div class="row form-end">
          <Button onClick={close}>{text.cancel}</Button>
          <Button tone={tone} type="submit" aria-busy={isBusy.value} disabled={disabled}>
            {submit}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface Words {
  readonly isAsking: ReadonlySignal<boolean>;
  /** Notes that something is written. */
  note(): void;
  /** False when the words would be lost; the form then says so, and the next attempt is true. */
  mayLeave(): boolean;
}

/** What is written in a form, until it is closed. */
function useWords(isOpen: boolean): Words {
  const isWritten = useRef(false);
  const isAsking = useSignal(false);
  useUnsent(() => isWritten.current);
  useLayoutEffect(() => {
    isWritten.current = false;
    isAsking.value = false;
  }, [isOpen]);
  return {
    isAsking,
    note() {
      isWritten.current = true;
      isAsking.value = false;
    },
    mayLeave() {
      const mayLeave = isAsking.value || !isWritten.current;
      isAsking.value = !mayLeave;
      return mayLeave;
    },
  };
}

/** In view also when the form is longer than the window. */
function Question(): JSX.Element {
  const line = useRef<HTMLParagraphElement>(null);
  useLayoutEffect(() => line.current?.scrollIntoView({ block: 'nearest' }), []);
  return (
    <p ref={line} class="failure-line" role="alert">
      {text.closeAgain}
    </p>
  );
}

/** One time that the form is open. */
interface Opening {
  /** Of the page on which it was opened. */
  readonly address: string;
  isInPage: boolean;
}

/** Null when the form is closed. Tells the user when an open one leaves the page while the address stays the same. */
function useOpening(isOpen: boolean, isBusy: ReadonlySignal<boolean>): { current: Opening | null } {
  const opening = useRef<Opening>(null);
  if (isOpen) opening.current ??= { address: location.hash, isInPage: true };
  else opening.current = null;
  useLayoutEffect(
    () => () => {
      if (opening.current === null) return;
      opening.current.isInPage = false;
      if (opening.current.address === location.hash && !isBusy.peek()) toast(text.formGone, 'bad');
    },
    [],
  );
  return opening;
}

interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly help?: string;
  readonly value?: string;
  readonly placeholder?: string;
  readonly required?: boolean;
  readonly type?: 'text' | 'date' | 'password';
  /** More than one row makes it a multi-line text field. */
  readonly rows?: number;
}

export function Field({ label, help, value = '', rows = 1, type = 'text', ...rest }: FieldProps): JSX.Element {
  const id = useId();
  const fault = useFault(rest.name, id);
  const helpId = `${id}-help`;
  const faultId = `${id}-fault`;
  const common = {
    ...rest,
    id,
    dir: 'auto',
    defaultValue: value,
    'aria-invalid': fault !== undefined,
    'aria-describedby': [help && helpId, fault && faultId].filter(Boolean).join(' ') || undefined,
  } as const;
  return (
    <div class="field">
      <label class="field" for={id}>
        <span>{label}</span>
        {rows > 1 ? <textarea rows={rows} {...common} /> : <Input type={type} {...common} />}
      </label>
      {help !== undefined && (
        <small id={helpId} class="quiet">
          {help}
        </small>
      )}
      {fault !== undefined && (
        <small id={faultId} class="failure-line" dir="auto">
          {fault}
        </small>
      )}
    </div>
  );
}

/** The fault that the daemon found in a field. The first field with one gets the focus. */
function useFault(name: string, id: string): string | undefined {
  const { names, faults } = useContext(FormContext);
  const fault = faults.get(name);
  useLayoutEffect(() => {
    names.add(name);
    return () => names.delete(name);
  }, [name]);
  useLayoutEffect(() => {
    const [first] = faults.keys();
    if (first === name) document.getElementById(id)?.focus();
  }, [faults]);
  return fault;
}

type InputProps = Omit<InputHTMLAttributes<HTMLInputElement>, 'type' | 'list' | 'role'>;

/** Each type has an element of its own, because the type of an element's attributes depends on it. */
function Input({ type, ...rest }: InputProps & { readonly type: Required<FieldProps>['type'] }): JSX.Element {
  switch (type) {
    case 'text':
      return <input type="text" autocomplete="off" {...rest} />;
    case 'date':
      return <input type="date" {...rest} />;
    case 'password':
      return <input type="password" autocomplete="new-password" {...rest} />;
  }
}

/** The value of a field, trimmed. */
export function written(fields: FormData, name: string): string {
  const value = fields.get(name);
  return typeof value === 'string' ? value.trim() : '';
}

/** The parts of a field's value, trimmed; blank ones are left out. */
export function writtenList(fields: FormData, name: string, separator: ',' | '\n'): string[] {
  const parts = written(fields, name).split(separator);
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}
