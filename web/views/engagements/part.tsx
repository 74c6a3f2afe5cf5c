/** A part of an engagement with a list, to which the user can add unless the page shows an earlier time. */
import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';
import { Button } from '../../ui/button.tsx';
import { type DialogState, useDialog } from '../../ui/dialog.tsx';

interface PartProps {
  readonly words: { readonly title: string; readonly addTitle: string; readonly add: string; readonly none: string };
  readonly isPast: boolean;
  readonly isEmpty: boolean;
  /** The list. */
  readonly children: ComponentChildren;
  dialog(opened: DialogState): JSX.Element;
}

export function Part({ words, isPast, isEmpty, children, dialog }: PartProps): JSX.Element {
  const { open, opened } = useDialog();
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <div class="section-head">
        <h2 id={id}>{words.title}</h2>
        {!isPast && (
          <Button icon="plus" aria-label={words.addTitle} onClick={open}>
            {words.add}
          </Button>
        )}
      </div>
      {isEmpty ? <p class="quiet">{words.none}</p> : children}
      {dialog(opened)}
    </section>
  );
}
