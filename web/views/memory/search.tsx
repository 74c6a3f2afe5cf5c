/** The newest memories, or the results of a search, each with the terms of its score. */
import { type Signal, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { FoundMemory, Memory } from '../../api.ts';
import { count } from '../../format.ts';
import { setQuery } from '../../router.ts';
import { text as all } from '../../text.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { Growing } from '../../ui/growing.tsx';
import { Empty, Failure, Loaded, Skeleton } from '../../ui/states.tsx';
import { answer, ask, newest, stats } from './data.ts';
import { DeleteDialog, type Doomed } from './forms.tsx';
import { MemoryCard } from './memory-card.tsx';

const text = all.memory;
const STEP = 40;
const SECTORS = ['episodic', 'semantic', 'procedural', 'emotional', 'reflective'] as const;

export function SearchPart({ query }: { readonly query: URLSearchParams }): JSX.Element {
  const question = query.get('q') ?? '';
  const sector = query.get('sector') ?? '';
  const doomed = useSignal<Doomed | null>(null);
  return (
    <div class="stack">
      <SearchForm question={question} sector={sector} />
      {question === '' ? (
        <Newest sector={sector} doomed={doomed} />
      ) : (
        <Answer key={`${question}\n${sector}`} question={question} sector={sector} doomed={doomed} />
      )}
      <DeleteDialog of={doomed} after={() => Promise.all([newest(sector).refresh(), stats.refresh()])} />
    </div>
  );
}

interface AskedProps {
  readonly question: string;
  readonly sector: string;
}

function SearchForm({ question, sector }: AskedProps): JSX.Element {
  const field = useRef<HTMLInputElement>(null);
  // Before the next key press, which would be lost.
  useLayoutEffect(() => {
    field.current!.value = question;
  }, [question]);
  return (
    <search>
      <form
        class="memory-search"
        onSubmit={(event) => {
          event.preventDefault();
          const data = new FormData(event.currentTarget);
          setQuery({ q: String(data.get('q')).trim() });
        }}
      >
        <label class="field">
          <span>{text.search.label}</span>
          <input ref={field} type="search" name="q" dir="auto" defaultValue={question} placeholder={text.search.hint} />
        </label>
        <Choice
          label={text.sector}
          value={sector}
          options={[['', text.any], ...SECTORS.map((each) => [each, text.sectors[each]] as const)]}
          choose={(chosen) => setQuery({ sector: chosen })}
        />
        <Button type="submit">{text.search.submit}</Button>
      </form>
    </search>
  );
}

interface DoomedProps {
  readonly doomed: Signal<Doomed | null>;
}

function Newest({ sector, doomed }: DoomedProps & { readonly sector: string }): JSX.Element {
  return (
    <Loaded of={newest(sector)} lines={6}>
      {({ memories }) =>
        memories.length === 0 ? (
          <Empty title={sector === '' ? text.search.none : text.search.noneFound} help={text.search.noneHelp} />
        ) : (
          <>
            <p class="quiet">{text.search.newest}</p>
            <Cards memories={memories} doomed={doomed} />
          </>
        )
      }
    </Loaded>
  );
}

function Answer({ question, sector, doomed }: AskedProps & DoomedProps): JSX.Element {
  const failure = useSignal<Error | null>(null);
  const isAsked = answer.value?.question === question && answer.value.sector === sector;
  const send = async (): Promise<void> => {
    failure.value = null;
    await ask(question, sector).catch((error: Error) => {
      failure.value = error;
    });
  };
  useEffect(() => {
    if (!isAsked) void send();
  }, []);
  if (failure.value !== null) return <Failure error={failure.value} retry={send} />;
  if (!isAsked) return <Skeleton lines={6} />;
  const { results, warming, vectors } = answer.value!.found;
  return (
    <>
      <p class="quiet" role="status">
        {text.search.found(count(results.length))} · {text.search.note}
      </p>
      {warming === true && <p class="stale">{text.search.warming}</p>}
      {vectors?.fallback_reason !== undefined && <p class="stale">{text.search.vectorsNot(vectors.fallback_reason)}</p>}
      {results.length === 0 ? <Empty title={text.search.noneFound} /> : <Cards memories={results} doomed={doomed} />}
    </>
  );
}

interface CardsProps extends DoomedProps {
  readonly memories: readonly (Memory | FoundMemory)[];
}

function Cards({ memories, doomed }: CardsProps): JSX.Element {
  return (
    <Growing items={memories} step={STEP}>
      {(shown) => (
        <ol class="stack">
          {shown.map((each) => (
            <li key={each.id}>
              <MemoryCard memory={each} doomed={doomed} />
            </li>
          ))}
        </ol>
      )}
    </Growing>
  );
}
