/** Ctrl-K: one search field for commands, runs, goals, engagements and rooms. A combobox with a list, for the keyboard. */
import { type Signal, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { count } from '../format.ts';
import { isComposed, keyNames } from '../keys.ts';
import { commands, type Found, matching, SOURCES } from '../palette-sources.ts';
import { RunStatus } from '../runs/run-status.tsx';
import { text } from '../text.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Status } from '../ui/status.tsx';
import type { OverlayProps } from './overlay.ts';

const SHOWN_MAX = 50;
const SEARCH_MS = 200;

interface Read {
  readonly items: readonly Found[];
  readonly isReading: boolean;
  readonly isIncomplete: boolean;
}

/** The newest things first, and the daemon's search results once the user has stopped typing. */
function useFound(query: string): Read {
  const read = useSignal<Read>({ items: commands(), isReading: true, isIncomplete: false });
  /** Counts the searches: the answer of an older one does not end a newer one. */
  const asked = useRef(0);
  const words = query.trim();
  useEffect(() => {
    const isKnown = words === '' && asked.current > 0;
    read.value = { ...read.value, isReading: !isKnown };
    if (isKnown) return undefined;
    const timer = setTimeout(() => ask(words, { read, asked }), asked.current === 0 ? 0 : SEARCH_MS);
    return () => clearTimeout(timer);
  }, [words]);
  return read.value;
}

interface Asking {
  readonly read: Signal<Read>;
  readonly asked: { current: number };
}

/** Adds the results of each source as they come. */
function ask(words: string, { read, asked }: Asking): void {
  asked.current += 1;
  const own = asked.current;
  let left = SOURCES.length;
  read.value = { ...read.value, isReading: true, isIncomplete: false };
  const end = (items: readonly Found[], failed: boolean): void => {
    left -= 1;
    const answers = new Map(items.map((item) => [item.key, { ...item, answers: words }]));
    const known = read.value.items.map((item) => answers.get(item.key) ?? item);
    for (const { key } of known) answers.delete(key);
    const isIncomplete = read.value.isIncomplete || failed;
    const isReading = own === asked.current ? left > 0 : read.value.isReading;
    read.value = {
      items: [...known, ...answers.values()],
      isReading,
      isIncomplete,
    };
  };
  for (const source of SOURCES) {
    source(words).then(
      (items) => end(items, false),
      () => end([], true),
    );
  }
}

export function Overlay({ onClose, typed }: OverlayProps): JSX.Element {
  const query = useSignal(typed.replaceAll('\n', ''));
  const { items, isReading, isIncomplete } = useFound(query.value);
  /** Enter was pressed before there was anything to choose. */
  const isTaking = useSignal(typed.includes('\n'));
  /** Its key: results that come later change its place. Null is the first one. */
  const chosen = useSignal<string | null>(null);
  const found = matching(items, query.value, SHOWN_MAX);
  const place = found.findIndex(({ key }) => key === chosen.value);
  const index = Math.max(0, place);
  const take = (item: Found | undefined): void => {
    if (item === undefined) return;
    onClose();
    item.run();
  };
  // Before the paint, so that the next key press goes to what was chosen.
  useLayoutEffect(() => {
    if (isTaking.value && (found.length > 0 || !isReading)) take(found[index]);
  }, [isTaking.value, found.length, isReading]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (isComposed(event)) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) chosen.value = found[Math.max(0, Math.min(found.length - 1, index + step))]?.key ?? null;
    else if (event.key === 'Enter') isTaking.value = true;
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title={text.palette.title} isOpen hidesTitle class="palette" onClose={onClose}>
      <input
        class="palette-field"
        role="combobox"
        aria-label={text.palette.placeholder}
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={found[index] && `palette-${index}`}
        aria-autocomplete="list"
        autoComplete="off"
        spellcheck={false}
        placeholder={text.palette.placeholder}
        value={query.value}
        onInput={(event) => {
          query.value = event.currentTarget.value;
          isTaking.value = false;
          chosen.value = null;
        }}
        onKeyDown={onKeyDown}
      />
      <Results found={found} index={index} take={take} />
      <p class="palette-foot" role="status">
        {isReading
          ? text.palette.loading
          : isIncomplete
            ? text.palette.failed
            : text.palette.results(count(found.length))}
        <span class="quiet">{text.palette.keys}</span>
      </p>
    </Dialog>
  );
}

function StatusOf({ status, session_id }: Pick<Found, 'status' | 'session_id'>): JSX.Element | null {
  if (status === undefined) return null;
  return session_id === undefined ? <Status of={status} /> : <RunStatus of={{ session_id, status }} />;
}

interface ResultsProps {
  readonly found: readonly Found[];
  readonly index: number;
  take(item: Found): void;
}

function Results({ found, index, take }: ResultsProps): JSX.Element {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [index]);
  return (
    <div ref={list} id="palette-list" class="palette-list" role="listbox" aria-label={text.palette.title}>
      {found.length === 0 && <p class="quiet palette-none">{text.palette.empty}</p>}
      {found.map((item, at) => (
        // biome-ignore lint/a11y: the field has the focus and handles the keys, as a combobox does.
        <div key={item.key} id={`palette-${at}`} role="option" aria-selected={at === index} onClick={() => take(item)}>
          <span class="palette-name" dir="auto">
            {item.name}
          </span>
          <StatusOf {...item} />
          <span class="quiet palette-detail">
            {item.group === 'command' ? item.detail : `${text.palette.groups[item.group]} · ${item.detail}`}
          </span>
          {item.keys !== undefined && <kbd>{keyNames(item.keys).flat().join(' ')}</kbd>}
        </div>
      ))}
    </div>
  );
}
