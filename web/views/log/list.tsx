/** The list of events with its filters; while it is followed, the newest event is at the top. */
import { signal, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Envelope } from '../../api.ts';
import { clock, count, when } from '../../format.ts';
import { useShortcuts } from '../../keys.ts';
import { position as newest } from '../../live.ts';
import { usePagedList } from '../../paged-list.ts';
import { href, setQuery } from '../../router.ts';
import { text as all } from '../../text.ts';
import { Button } from '../../ui/button.tsx';
import { Head } from '../../ui/head.tsx';
import { filterClass, valuesOf } from '../../ui/query-field.tsx';
import { Empty, Failure, Skeleton } from '../../ui/states.tsx';
import { focusList, VirtualList } from '../../ui/virtual-list.tsx';
import { EventList, type Filter } from './list-data.ts';

const text = all.log;
const FIELDS = ['stream', 'type', 'actor', 'correlation', 'from', 'to'] as const;
const ROW_HEIGHT = 36;
const ROW_HEIGHT_NARROW = 56;
const DATA_CHARACTERS = 220;

const narrow = matchMedia('(max-width: 52rem)');
const isNarrow = signal(narrow.matches);
narrow.addEventListener('change', ({ matches }) => {
  isNarrow.value = matches;
});

export function EventListPage({ query }: { readonly query: URLSearchParams }): JSX.Element {
  const filter = valuesOf(query, FIELDS);
  const list = usePagedList(() => new EventList(filter), JSON.stringify(filter));
  const isWished = useSignal(true);
  const isAtTop = useSignal(true);
  const isFollowing = isWished.value && isAtTop.value;
  useEffect(() => {
    isAtTop.value = true;
  }, [list]);
  useEffect(() => list.follow(isFollowing), [list, isFollowing]);
  const items = list.items.value;
  const toggle = (): void => {
    if (isFollowing) isWished.value = false;
    else showNewest();
  };
  const showNewest = (): void => {
    isWished.value = true;
    document.querySelector('.log .virtual')?.scrollTo({ top: 0 });
    list.follow(true);
  };
  useShortcuts(text.title, [
    { keys: '/', label: text.shortcuts.filter, run: () => document.querySelector<HTMLElement>('.log input')?.focus() },
    { keys: 'j', label: text.shortcuts.move, run: focusList },
    { keys: 'f', label: text.shortcuts.follow, run: toggle },
  ]);
  return (
    <div
      class="log"
      onScrollCapture={({ target }) => {
        if (target instanceof HTMLElement) isAtTop.value = target.scrollTop < ROW_HEIGHT;
      }}
    >
      <Head title={text.title} note={text.note(count(newest.value))}>
        {list.held.value > 0 && <Button onClick={showNewest}>{text.held(count(list.held.value))}</Button>}
        <Button
          icon={isFollowing ? 'play' : 'dash'}
          aria-pressed={isFollowing}
          title={text.followHelp}
          onClick={toggle}
        >
          {isFollowing ? text.following : text.follow}
        </Button>
      </Head>
      <Filters filter={filter} items={items ?? []} />
      <Found list={list} filter={filter} />
    </div>
  );
}

function Found({ list, filter }: { readonly list: EventList; readonly filter: Filter }): JSX.Element {
  const items = list.items.value;
  const { lookedTo, error } = list;
  return (
    <>
      {error.value !== null && <Failure error={error.value} retry={() => list.retry()} />}
      {items === undefined && error.value === null && <Skeleton lines={8} />}
      {items !== undefined && items.length > 0 && (
        <VirtualList
          key={JSON.stringify(filter)}
          label={text.list}
          items={items}
          rowHeight={isNarrow.value ? ROW_HEIGHT_NARROW : ROW_HEIGHT}
          keyOf={({ position }) => String(position)}
          href={({ position }) => href(['log', position])}
          row={(event) => <Row event={event} />}
          onNearEnd={() => list.more()}
        />
      )}
      {items !== undefined && items.length === 0 && lookedTo.value === null && <None filter={filter} />}
      {lookedTo.value !== null && (
        <p class="log-looked" role="status">
          {text.looked(count(lookedTo.value))}
          <Button onClick={() => list.retry()}>{text.further}</Button>
        </p>
      )}
    </>
  );
}

function Row({ event }: { readonly event: Envelope }): JSX.Element {
  const { position, stream, type, at, actor, data, erased } = event;
  return (
    <span class="log-row">
      <span class="quiet number">{count(position)}</span>
      <span class="quiet number log-at">{isToday(at) ? clock(at) : when(at)}</span>
      <code class="log-type">{type}</code>
      <span class="mono quiet log-stream">{stream}</span>
      <span class="mono quiet log-data" dir="auto">
        {erased === true ? text.erased : JSON.stringify(data).slice(0, DATA_CHARACTERS)}
      </span>
      <span class="quiet log-actor">{actor.slice(0, 18)}</span>
    </span>
  );
}

const isToday = (at: number): boolean => new Date(at).toDateString() === new Date().toDateString();

function None({ filter }: { readonly filter: Filter }): JSX.Element {
  if (Object.values(filter).some((value) => value !== '')) {
    return (
      <Empty title={text.noneFound}>
        <a class="button" href={href(['log'])}>
          {text.clear}
        </a>
      </Empty>
    );
  }
  return <Empty title={text.none} help={text.noneHelp} />;
}

const SUGGESTED = ['stream', 'type', 'actor', 'correlation'] as const;
const SUGGESTIONS_MAX = 60;

function Filters({ filter, items }: { readonly filter: Filter; readonly items: readonly Envelope[] }): JSX.Element {
  return (
    <search class="log-filters">
      {SUGGESTED.map((name) => (
        <Exactly key={name} name={name} value={filter[name]} seen={items} />
      ))}
      {(['from', 'to'] as const).map((name) => (
        <label key={name} class={filterClass(filter[name])}>
          <span>{text.filters[name]}</span>
          <input
            type="datetime-local"
            value={filter[name]}
            onChange={(event) => setQuery({ [name]: event.currentTarget.value })}
          />
        </label>
      ))}
    </search>
  );
}

interface ExactlyProps {
  readonly name: (typeof SUGGESTED)[number];
  readonly value: string;
  readonly seen: readonly Envelope[];
}

/** A field for a complete value, with the values seen so far as suggestions. */
function Exactly({ name, value, seen }: ExactlyProps): JSX.Element {
  const field = useRef<HTMLInputElement>(null);
  const id = `log-seen-${name}`;
  const isOpen = useSignal(false);
  // Before the next key press, which would be lost.
  useLayoutEffect(() => {
    if (field.current !== null) field.current.value = value;
  }, [value]);
  const values = isOpen.value ? [...new Set(seen.map((event) => event[name] ?? ''))].filter(Boolean) : [];
  return (
    <label class={filterClass(value)}>
      <span>{text.filters[name]}</span>
      <input
        ref={field}
        list={id}
        defaultValue={value}
        spellcheck={false}
        autocomplete="off"
        placeholder={name === 'stream' ? text.filters.streamHint : text.filters.any}
        onFocus={() => (isOpen.value = true)}
        onChange={(event) => setQuery({ [name]: event.currentTarget.value.trim() })}
      />
      <datalist id={id}>
        {values.slice(0, SUGGESTIONS_MAX).map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </label>
  );
}
