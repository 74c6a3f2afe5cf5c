/** Engagements by phase, each with the readiness of its phase. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { api, type Engagement, repeatable } from '../../api.ts';
import { count, percent } from '../../format.ts';
import { moveFocus, useShortcuts } from '../../keys.ts';
import { go, href, setQuery } from '../../router.ts';
import { text as all } from '../../text.ts';
import { Button } from '../../ui/button.tsx';
import { Field, FormDialog, written } from '../../ui/form-dialog.tsx';
import { Growing } from '../../ui/growing.tsx';
import { Head } from '../../ui/head.tsx';
import { QueryCheck, QuerySearch, useSettled } from '../../ui/query-field.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Badge, Status } from '../../ui/status.tsx';
import { Ago } from '../../ui/time.tsx';
import { toast } from '../../ui/toasts.tsx';
import { type Board as BoardData, board, PHASES, type Phase, type Wanted } from './data.ts';

const text = all.engagements;
/** The number of cards of a column that are rendered first. */
const CARDS = 12;
/** The number of engagements of a phase that are loaded first; `more` multiplies it by `READ_FACTOR`. */
const READ = 24;
const READ_FACTOR = 4;
/** The daemon takes no greater number. */
const READ_MAX = 10_000;
const SEARCH_MS = 200;

export function Board({ query }: { readonly query: URLSearchParams }): JSX.Element {
  const create = (): void => setQuery({ new: '1' });
  const search = useRef<HTMLInputElement>(null);
  useShortcuts(all.shortcuts.here, [
    { keys: 'n', label: text.keys.new, run: create },
    { keys: '/', label: text.search, run: () => search.current?.focus() },
    { keys: 'j', label: text.keys.next, run: () => step(1) },
    { keys: 'k', label: text.keys.previous, run: () => step(-1) },
  ]);
  const wanted = useWanted(query);
  const last = useRef<BoardData>(undefined);
  const known = board(wanted);
  const shown = known.value.value ?? last.current;
  /** While more are read already, the end that is in sight asks for nothing. */
  const more = (): void => {
    if (shown === known.value.value) wanted.more();
  };
  last.current = shown;
  return (
    <>
      <Head title={text.title} note={shown && text.note(count(shown.counts.all))}>
        <Button tone="primary" icon="plus" onClick={create}>
          {text.create.title}
        </Button>
      </Head>
      <div class="stack">
        {shown !== undefined && shown.counts.all > 0 && (
          <search class="engagements-filters">
            <QuerySearch
              query={query}
              field={search}
              label={text.search}
              hint={text.searchHint}
              enter={() => step(1)}
            />
            <QueryCheck query={query} name="closed" label={text.closed} />
          </search>
        )}
        <Loaded of={known} meanwhile={shown}>
          {(found) =>
            found.counts.all === 0 ? (
              <Empty title={text.none} help={text.noneHelp}>
                <Button tone="primary" onClick={create}>
                  {text.create.title}
                </Button>
              </Empty>
            ) : (
              <Columns board={found} query={query} more={more} />
            )
          }
        </Loaded>
      </div>
      <NewEngagement isOpen={query.get('new') !== null} />
    </>
  );
}

/** The engagements that match the address, once the user has stopped typing; `more` loads further ones. */
function useWanted(query: URLSearchParams): Wanted & { more(): void } {
  const q = useSettled(query.get('q') ?? '', SEARCH_MS);
  const withClosed = query.get('closed') !== null;
  const perPhase = useSignal(READ);
  useEffect(() => {
    perPhase.value = READ;
  }, [q, withClosed]);
  const more = (): void => {
    perPhase.value = Math.min(perPhase.value * READ_FACTOR, READ_MAX);
  };
  return { q, withClosed, perPhase: perPhase.value, more };
}

const step = (by: number): void => moveFocus(document.querySelectorAll<HTMLElement>('.engagements-card'), by);

interface ColumnsProps {
  readonly board: BoardData;
  readonly query: URLSearchParams;
  more(): void;
}

function Columns({ board: shown, query, more }: ColumnsProps): JSX.Element {
  const { engagements, counts } = shown;
  const isFiltered = (query.get('q') ?? '') !== '' || query.get('closed') !== null;
  return (
    <>
      {engagements.length === 0 && <p class="quiet">{isFiltered ? text.nothingLike : text.allClosed}</p>}
      <div class="engagements-board">
        {PHASES.map((phase) => (
          <Column
            key={phase}
            board={shown}
            phase={phase}
            list={engagements.filter(({ current_phase }) => current_phase === phase)}
            total={counts[phase]}
            more={more}
          />
        ))}
      </div>
    </>
  );
}

interface ColumnProps {
  readonly board: BoardData;
  readonly phase: Phase;
  /** The first of them. */
  readonly list: readonly Engagement[];
  readonly total: number;
  more(): void;
}

function Column({ board, phase, list, total, more }: ColumnProps): JSX.Element {
  const id = `engagements-${phase}`;
  return (
    <section class="engagements-column" aria-labelledby={id}>
      <h2 id={id}>
        {text.phases[phase]} <span class="quiet number">{count(total)}</span>
      </h2>
      {list.length === 0 && <p class="quiet engagements-nobody">{text.nobodyHere}</p>}
      <Growing items={list} step={CARDS} total={total} onMore={more}>
        {(shown) => (
          <ul>
            {shown.map((engagement) => (
              <Card
                key={engagement.id}
                engagement={engagement}
                readiness={board.readiness[engagement.id]}
                isChanged={board.changed.has(engagement.id)}
              />
            ))}
          </ul>
        )}
      </Growing>
    </section>
  );
}

interface CardProps {
  readonly engagement: Engagement;
  /** Undefined for cards far down a long column. */
  readonly readiness: BoardData['readiness'][string] | undefined;
  /** The readiness is being loaded again. */
  readonly isChanged: boolean;
}

function Card({ engagement, readiness, isChanged }: CardProps): JSX.Element {
  const { id, name, client, status, updated_at } = engagement;
  return (
    <li>
      <a class="card engagements-card" href={href(['engagements', id])}>
        <strong dir="auto">{name}</strong>
        {client !== '' && (
          <span class="quiet" dir="auto">
            {client}
          </span>
        )}
        {readiness && <Readiness of={readiness} isChanged={isChanged} />}
        <span class="row-ends quiet">
          <Status of={status} />
          <Ago at={updated_at} />
        </span>
      </a>
    </li>
  );
}

interface ReadinessProps {
  readonly of: BoardData['readiness'][string];
  readonly isChanged: boolean;
}

function Readiness({ of: { phase, completion, can_exit, blockers }, isChanged }: ReadinessProps): JSX.Element {
  return (
    <span class={`engagements-readiness ${isChanged ? 'pending' : ''}`}>
      {completion !== null && (
        <progress class="progress" max={1} value={completion} aria-label={text.readiness.label(text.phases[phase])} />
      )}
      <span class="row">
        {can_exit ? (
          <Badge tone="good" icon="check">
            {text.readiness.ready}
          </Badge>
        ) : (
          <Badge tone="warn" icon="warning">
            {text.readiness.blockers(blockers.length)}
          </Badge>
        )}
        <span class="quiet">
          {completion === null ? text.readiness.empty : text.readiness.done(percent(completion))}
        </span>
      </span>
    </span>
  );
}

const createEngagement = repeatable(api.engagements.create);

function NewEngagement({ isOpen }: { readonly isOpen: boolean }): JSX.Element {
  const send = async (fields: FormData): Promise<() => void> => {
    const { engagement } = await createEngagement({
      name: written(fields, 'name'),
      client: written(fields, 'client'),
      workspace_path: written(fields, 'workspace_path') || null,
      summary: written(fields, 'summary'),
    });
    toast(text.create.created);
    return () => go(['engagements', engagement.id]);
  };
  const { create: words } = text;
  return (
    <FormDialog
      title={words.title}
      isOpen={isOpen}
      onClose={() => setQuery({ new: null })}
      submit={words.submit}
      send={send}
    >
      <Field label={words.name} name="name" required />
      <Field label={words.client} name="client" />
      <Field label={words.workspace} name="workspace_path" help={words.workspaceHelp} />
      <Field label={words.summary} name="summary" rows={3} />
    </FormDialog>
  );
}
