/** A dialog that asks the daemon for something when it is opened, and shows the answer or why there is none. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { Dialog, type DialogState } from './dialog.tsx';
import { Failure, Skeleton } from './states.tsx';

interface AskingProps<Answer> {
  ask(): Promise<Answer>;
  /** What is shown until the answer comes. */
  readonly meanwhile: string;
  readonly children: (answer: Answer) => ComponentChildren;
}

interface AnswerDialogProps<Answer> extends AskingProps<Answer>, DialogState {
  readonly title: string;
}

export function AnswerDialog<Answer>({ title, isOpen, onClose, ...rest }: AnswerDialogProps<Answer>): JSX.Element {
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose}>
      <Asking {...rest} />
    </Dialog>
  );
}

/** Is there as long as the dialog is open, so a late answer is not that of the next one. */
function Asking<Answer>({ ask, meanwhile, children }: AskingProps<Answer>): JSX.Element {
  const state = useSignal<{ readonly answer: Answer } | { readonly error: Error } | null>(null);
  const send = async (): Promise<void> => {
    state.value = null;
    try {
      state.value = { answer: await ask() };
    } catch (error) {
      state.value = { error: error as Error };
    }
  };
  useEffect(() => void send(), []);
  if (state.value === null) {
    return (
      <>
        <p role="status">{meanwhile}</p>
        <Skeleton />
      </>
    );
  }
  if ('error' in state.value) return <Failure error={state.value.error} retry={send} />;
  return <>{children(state.value.answer)}</>;
}
