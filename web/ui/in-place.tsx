/**
 * A text that is edited in place. It is sent when it loses the focus, or by Enter (Ctrl-Enter with several lines);
 * Escape restores the text. If somebody else changes the text meanwhile, both versions are shown. A text that the daemon
 * has not taken is there again when the view is shown again.
 */
import { type Signal, signal } from '@preact/signals';
import type { JSX, TargetedFocusEvent, TargetedInputEvent, TargetedKeyboardEvent } from 'preact';
import { useId, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { isComposed } from '../keys.ts';
import { text } from '../text.ts';
import { guardUnsent } from '../unsent.ts';
import { Button } from './button.tsx';
import { attempt } from './toasts.tsx';

interface InPlaceProps {
  /** Names the text among all texts of the console. */
  readonly name: string;
  readonly label: string;
  readonly value: string;
  save(value: string): Promise<unknown>;
  readonly rows?: number;
  readonly placeholder?: string;
  /** Whether the label is only for screen readers. */
  readonly hidesLabel?: boolean;
}

type Element = HTMLInputElement | HTMLTextAreaElement;

interface Draft {
  /** The text when the edit began; null if there is no edit. */
  readonly base: Signal<string | null>;
  readonly isSending: Signal<boolean>;
  readonly hasFailed: Signal<boolean>;
  words: string;
}

/** The edits that the daemon has not taken, also those of views that were left, by the names of their texts. */
const drafts = new Map<string, Draft>();
guardUnsent(() => drafts.size > 0);

function freshDraft(): Draft {
  return { base: signal(null), isSending: signal(false), hasFailed: signal(false), words: '' };
}

export function InPlace(props: InPlaceProps): JSX.Element {
  const { label, value, rows = 1, placeholder, hidesLabel } = props;
  const id = useId();
  const field = useRef<Element>(null);
  const { isConflict, isUnconfirmed, write, done, take, keep } = useEdit(field, props);
  const pressed = (event: TargetedKeyboardEvent<Element>): void => {
    if (isComposed(event)) return;
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
    onInput: (event: TargetedInputEvent<Element>) => write(event.currentTarget.value),
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
  write(words: string): void;
  /** Sends the text, again if it changed meanwhile. The element is no longer in the page if the view was left. */
  done(from: Element): Promise<void>;
  /** Ends the edit with the text of the daemon. */
  take(): void;
  /** Sends the text in spite of a conflict. */
  keep(): void;
}

function useEdit(field: { readonly current: Element | null }, props: InPlaceProps): Edit {
  const { name, value } = props;
  const draft = useMemo(() => drafts.get(name) ?? freshDraft(), [name]);
  const { base, isSending, hasFailed } = draft;
  const newest = useRef(props);
  newest.current = props;
  useLayoutEffect(() => {
    const words = base.value === null ? value : draft.words;
    if (field.current!.value !== words) field.current!.value = words;
  }, [value, draft]);
  const take = (): void => {
    drafts.delete(name);
    base.value = null;
    hasFailed.value = false;
    if (field.current !== null) field.current.value = newest.current.value;
  };
  const done = async (from: Element): Promise<void> => {
    const mine = draft.words.trim();
    if (isSending.value) return;
    if (base.value === null || mine === newest.current.value) return take();
    if (base.value !== newest.current.value) return;
    isSending.value = true;
    const isSaved = await attempt(() => newest.current.save(mine));
    isSending.value = false;
    hasFailed.value = !isSaved;
    if (!isSaved) return;
    // What was written meanwhile is the next edit.
    base.value = draft.words.trim() === mine ? null : mine;
    if (base.value === null) drafts.delete(name);
    else if (document.activeElement !== from) await done(from);
  };
  return {
    isConflict: base.value !== null && base.value !== value && !isSending.value,
    isUnconfirmed: isSending.value || hasFailed.value,
    write: (words) => {
      base.value ??= value;
      draft.words = words;
      drafts.set(name, draft);
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
      <Button onClick={take}>{text.takeTheirs}</Button>
      <Button onClick={keep}>{text.keepMine}</Button>
    </div>
  );
}
