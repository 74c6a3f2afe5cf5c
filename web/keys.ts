/**
 * Keyboard shortcuts: a key (`?`), a chord (`Mod+k`; Mod is Ctrl, or Command on a Mac) or two keys in sequence (`g n`).
 * A shortcut other than a chord is inactive while the user types in a field or a dialog is open.
 */
import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';

export interface Shortcut {
  readonly keys: string;
  readonly label: string;
  run(): void;
}

export interface ShortcutGroup {
  readonly title: string;
  readonly shortcuts: readonly Shortcut[];
}

const SEQUENCE_MS_MAX = 1_200;
/** The `keyCode` of a key that an input method has taken. */
const COMPOSED = 229;

/** The shortcuts that `?` shows; the newest group is that of the view. */
export const groups = signal<readonly ShortcutGroup[]>([]);

/** Registers the shortcuts while the component is shown. */
export function useShortcuts(title: string, shortcuts: readonly Shortcut[]): void {
  const newest = useRef(shortcuts);
  newest.current = shortcuts;
  // Before the component is painted: the user may press a key as soon as it is visible.
  useLayoutEffect(() => {
    const group: ShortcutGroup = {
      title,
      get shortcuts() {
        return newest.current;
      },
    };
    groups.value = [...groups.value, group];
    return () => {
      groups.value = groups.value.filter((each) => each !== group);
    };
  }, [title]);
}

let first = '';
let firstAt = 0;

function nameOf(event: KeyboardEvent): string {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  return event.ctrlKey || event.metaKey ? `Mod+${key}` : key;
}

/**
 * `target` is the innermost element, also inside a shadow tree. The field of a dialog that has just closed keeps the
 * focus until the next frame.
 */
function isWriting(target: EventTarget | undefined): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement && /^(?:checkbox|radio|range)$/.test(target.type)) return false;
  if (!target.isContentEditable && !/^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return false;
  return target.checkVisibility();
}

/**
 * Whether the key belongs to an input method in which the user composes a word: Enter takes the word, arrows choose among
 * its forms. Safari ends the composition before the event and tells it by the code only.
 */
export function isComposed({ isComposing, keyCode }: KeyboardEvent): boolean {
  return isComposing || keyCode === COMPOSED;
}

export function listenToKeys(): void {
  addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.altKey || isComposed(event)) return;
    const name = nameOf(event);
    const isChord = name.startsWith('Mod+');
    if (!isChord && (isWriting(event.composedPath()[0]) || document.querySelector('dialog[open]') !== null)) return;
    const both = event.timeStamp - firstAt < SEQUENCE_MS_MAX ? `${first} ${name}` : '';
    const known = groups.value.toReversed().flatMap(({ shortcuts }) => shortcuts);
    const found = known.find(({ keys }) => keys === both) ?? known.find(({ keys }) => keys === name);
    first = found === undefined ? name : '';
    firstAt = event.timeStamp;
    if (found === undefined) return;
    event.preventDefault();
    found.run();
  });
}

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** The parts of a shortcut as printed on keys. */
export function keyNames(keys: string): readonly (readonly string[])[] {
  const written: Readonly<Record<string, string>> = { Mod: isMac ? '⌘' : 'Ctrl', ArrowUp: '↑', ArrowDown: '↓' };
  return keys
    .split(' ')
    .map((stroke) => stroke.split('+').map((key) => written[key] ?? (key.length === 1 ? key.toUpperCase() : key)));
}

/** Moves the focus by so many elements of a list, or to its first element when it is elsewhere. */
export function moveFocus(elements: Iterable<HTMLElement>, by: number): void {
  const all = [...elements];
  const at = all.indexOf(document.activeElement as HTMLElement);
  all[Math.max(0, Math.min(all.length - 1, at + by))]?.focus();
}
