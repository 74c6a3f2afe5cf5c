/**
 * A text that is edited in place. It is sent when it loses the focus, or by Enter (Ctrl-Enter with several lines);
 * Escape restores the text. If somebody else changes the text meanwhile, both versions are shown.
 */
import { useSignal } from '@preact/signals';
import type { JSX, TargetedFocusEvent, TargetedKeyboardEvent } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { text } from '../text.ts';
import { useUnsent } from '../unsent.ts';
import { attempt } from './toasts.tsx';

interface InPlaceProps {
  readonly label: string;
  readonly value: string;
  save(value: string): Promise<unknown>;
  readonly rows?: number;
  readonly placeholder?: string;
  /** Whether the label is only for screen readers. */
  readonly hidesLabel?: boolean;
}

type Element = HTMLInputElement | HTMLTextAreaElement;

export function InPlace(props: InPlaceProps): JSX.Element {
  const { label, value, rows = 1, placeholder, hidesLabel } = props;
  const id = useId();
  const field = useRef<Element>(null);
  const { isConflict, isUnconfirmed, begin, done, take, keep } = useEdit(field, props);
  const pressed = (event: TargetedKeyboardEvent<Element>): void => {
    const isChord = event.ctrlKey || event.metaKey;
    if (event.key === 'Enter' && (rows === 1 || isChord)) {
      event.preventDefault();
      void done(event.currentTarget);
    } else if (event.key === 'Escape') {
      event.stopPropagation();
      take();
    }
  };
  const common = {
    id,
    dir: 'auto' as const,
    placeholder,
    defaultValue: value,
    class: 'in-place',
    onInput: begin,
    onBlur: (event: TargetedFocusEvent<Element>) => void done(event.currentTarget),
    onKeyDown: pressed,
  };
  return (
    <div class="field">
      <label class="field" for={id}>
        <span class={hidesLabel ? 'visually-hidden' : ''}>{label}</span>
        {rows === 1 ? (
          <input type="text" ref={field as { current: HTMLInputElement | null }} {...common} />
        ) : (
          <textarea rows={rows} ref={field as { current: HTMLTextAreaElement | null }} {...common} />
        )}
      </label>
      {isUnconfirmed && <span class="pending-mark">{text.unconfirmed}</span>}
      {isConflict && <Conflict theirs={value} take={take} keep={keep} />}
    </div>
  );
}

interface Edit {
  /** Whether somebody else changed the text since the edit began. */
  readonly isConflict: boolean;
  /** Whether the text was sent, and the daemon has not taken it. */
  readonly isUnconfirmed: boolean;
  begin(): void;
  /** Sends the text of the element, which is no longer in the page if the view is left during an edit. */
  done(from: Element): Promise<void>;
  /** Ends the edit with the text of the daemon. */
  take(): void;
  /** Sends the text in spite of a conflict. */
  keep(): void;
}

function useEdit(field: { readonly current: Element | null }, props: InPlaceProps): Edit {
  const { value } = props;
  /** The text when the edit began; null if there is no edit. */
  const base = useSignal<string | null>(null);
  const isSending = useSignal(false);
  const hasFailed = useSignal(false);
  useUnsent(() => base.peek() !== null);
  const newest = useRef(props);
  newest.current = props;
  useLayoutEffect(() => {
    if (base.value === null && field.current !== null) field.current.value = value;
  }, [value]);
  const take = (): void => {
    base.value = null;
    hasFailed.value = false;
    if (field.current !== null) field.current.value = newest.current.value;
  };
  const done = async (from: Element): Promise<void> => {
    const mine = from.value.trim();
    if (isSending.value) return;
    if (base.value === null || mine === newest.current.value) return take();
    if (base.value !== newest.current.value) return;
    isSending.value = true;
    const isSaved = await attempt(() => newest.current.save(mine));
    isSending.value = false;
    hasFailed.value = !isSaved;
    if (!isSaved) return;
    // What was written meanwhile is the next edit.
    base.value = from.value.trim() === mine ? null : mine;
    if (base.value !== null && document.activeElement !== from) await done(from);
  };
  return {
    isConflict: base.value !== null && base.value !== value && !isSending.value,
    isUnconfirmed: isSending.value || hasFailed.value,
    begin: () => {
      base.value ??= value;
    },
    done,
    take,
    keep: () => {
      base.value = value;
      void done(field.current!);
    },
  };
}

interface ConflictProps {
  readonly theirs: string;
  take(): void;
  keep(): void;
}

function Conflict({ theirs, take, keep }: ConflictProps): JSX.Element {
  return (
    <div class="failure" role="alert">
      <p dir="auto">{text.changedMeanwhile(theirs)}</p>
      <button type="button" class="button" onClick={take}>
        {text.takeTheirs}
      </button>
      <button type="button" class="button" onClick={keep}>
        {text.keepMine}
      </button>
    </div>
  );
}
