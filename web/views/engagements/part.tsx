/** A part of an engagement with a list, to which the user can add unless the page shows an earlier time. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';
import { Icon } from '../../ui/icon.tsx';

interface PartProps {
  readonly words: { readonly title: string; readonly addTitle: string; readonly add: string; readonly none: string };
  readonly isPast: boolean;
  readonly isEmpty: boolean;
  /** The list. */
  readonly children: ComponentChildren;
  dialog(opened: { readonly isOpen: boolean; onClose(): void }): JSX.Element;
}

export function Part({ words, isPast, isEmpty, children, dialog }: PartProps): JSX.Element {
  const isAdding = useSignal(false);
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <div class="section-head">
        <h2 id={id}>{words.title}</h2>
        {!isPast && (
          <button type="button" class="button" aria-label={words.addTitle} onClick={() => (isAdding.value = true)}>
            <Icon name="plus" /> {words.add}
          </button>
        )}
      </div>
      {isEmpty ? <p class="quiet">{words.none}</p> : children}
      {dialog({ isOpen: isAdding.value, onClose: () => (isAdding.value = false) })}
    </section>
  );
}
