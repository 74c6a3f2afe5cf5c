/**
 * A modal dialog of the browser: it traps the focus, Escape closes it, and the focus then returns to the previous
 * element.
 */
import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { text } from '../text.ts';
import { Button } from './button.tsx';
/** Whether a dialog is open, and how it is closed. */
export interface DialogState {
  readonly isOpen: boolean;
  onClose(): void;
}

/** A dialog that something in the page opens. */
export function useDialog(): { open(): void; readonly opened: DialogState } {
  const { open, opened } = useDialogs<'it'>();
  return { open: open('it'), opened: opened('it') };
}

/** The dialogs of a part of the page, of which one is open at a time. */
export function useDialogs<Name extends string>() {
  const current = useSignal<Name | null>(null);
  return {
    open: (name: Name) => () => {
      current.value = name;
    },
    opened: (name: Name): DialogState => ({ ...openedBy(current), isOpen: current.value === name }),
  };
}

/** A dialog about the value of a signal; null closes it. */
export function openedBy(of: Signal<unknown>): DialogState {
  return {
    isOpen: of.value !== null,
    onClose() {
      of.value = null;
    },
  };
}

interface DialogProps extends DialogState {
  readonly title: string;
  readonly children: ComponentChildren;
  /** For a dialog whose first field is its title. */
  readonly hidesTitle?: boolean;
  readonly class?: string;
}

export function Dialog({ title, isOpen, onClose, children, hidesTitle, class: name = '' }: DialogProps): JSX.Element {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Before the paint, so that the next key press goes to the dialog.
  useLayoutEffect(() => {
    const dialog = element.current!;
    if (isOpen && !dialog.open) {
      dialog.showModal();
      // The browser would focus the close button.
      dialog.querySelector<HTMLElement>('.dialog-content :is(input, textarea, select, button, a)')?.focus();
    }
    if (!isOpen && dialog.open) dialog.close();
  });
  // A selection of text that ends outside is a click on the dialog too.
  const isPressedOutside = useRef(false);
  const closeOutside = (event: MouseEvent): void => {
    if (isPressedOutside.current && event.target === element.current) onClose();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same, by the browser.
    <dialog
      ref={element}
      class={`dialog ${name}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      // A browser closes it without asking at the second Escape in succession. The event comes later: it may be open again.
      onClose={() => {
        if (isOpen && element.current?.open === false) onClose();
      }}
      onPointerDown={({ target }) => {
        isPressedOutside.current = target === element.current;
      }}
      onClick={closeOutside}
    >
      {isOpen && (
        <div class="dialog-body">
          <div class={hidesTitle ? 'visually-hidden' : 'dialog-head'}>
            <h2 id={id}>{title}</h2>
            {!hidesTitle && <Button tone="plain" icon="close" aria-label={text.close} onClick={onClose} />}
          </div>
          <div class="dialog-content">{children}</div>
        </div>
      )}
    </dialog>
  );
}
