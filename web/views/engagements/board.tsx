/** Engagements by phase, each with how ready its phase is to be left. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { api, type Engagement, freshKey } from '../../api.ts';
import { count, percent } from '../../format.ts';
import { useShortcuts } from '../../keys.ts';
import { go, href, setQuery } from '../../router.ts';
import { text as all } from '../../text.ts';
import { Field, FormDialog, written } from '../../ui/form-dialog.tsx';
import { Growing } from '../../ui/growing.tsx';
import { Head } from '../../ui/head.tsx';
import { Icon } from '../../ui/icon.tsx';
import { isFound, QueryCheck, QuerySearch } from '../../ui/query-field.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Badge, Status } from '../../ui/status.tsx';
import { Ago } from '../../ui/time.tsx';
import { toast } from '../../ui/toasts.tsx';
import { engagements, knownReadiness, PHASES, type Phase, type Readiness, readReadiness } from './data.ts';

const text = all.engagements;
/** Cards of a column that are in the page at first. */
const CARDS = 12;

export function Board({ query }: { readonly query: URLSearchParams }): JSX.Element {
  const create = (): void => setQuery({ new: '1' });
  const search = useRef<HTMLInputElement>(null);
  useShortcuts(all.shortcuts.here, [
    { keys: 'n', label: text.keys.new, run: create },
    { keys: '/', label: text.search, run: () => search.current?.focus() },
    { keys: 'j', label: text.keys.next, run: () => step(1) },
    { keys: 'k', label: text.keys.previous, run: () => step(-1) },
  ]);
  const shown = engagements.value.value;
  return (
    <>
      <Head title={text.title} note={shown && text.note(count(shown.length))}>
        <button type="button" class="button primary" onClick={create}>
          <Icon name="plus" /> {text.create.title}
        </button>
      </Head>
      <Loaded of={engagements}>
        {(list) =>
          list.length === 0 ? (
            <Empty title={text.none}>
              <p>{text.noneHelp}</p>
              <button type="button" class="button" onClick={create}>
                {text.create.title}
              </button>
            </Empty>
          ) : (
            <Columns list={list} query={query} search={search} />
          )
        }
      </Loaded>
      <NewEngagement isOpen={query.get('new') !== null} />
    </>
  );
}

function step(by: 1 | -1): void {
  const cards = [...document.querySelectorAll<HTMLElement>('.engagements-card')];
  const at = cards.indexOf(document.activeElement as HTMLElement);
  cards[Math.max(0, Math.min(cards.length - 1, at + by))]?.focus();
}

interface ColumnsProps {
  readonly list: readonly Engagement[];
  readonly query: URLSearchParams;
  readonly search: { current: HTMLInputElement | null };
}

function Columns({ list, query, search }: ColumnsProps): JSX.Element {
  const withClosed = query.get('closed') !== null;
  const found = list.filter(
    ({ name, client, status }) => (withClosed || status !== 'closed') && isFound(query, [name, client]),
  );
  return (
    <div class="stack">
      <search class="engagements-filters">
        <QuerySearch query={query} field={search} label={text.search} hint={text.searchHint} enter={() => step(1)} />
        <QueryCheck query={query} name="closed" label={text.closed} />
      </search>
      {found.length === 0 && <p class="quiet">{text.nothingLike}</p>}
      <div class="engagements-board">
        {PHASES.map((phase) => (
          <Column key={phase} phase={phase} list={found.filter(({ current_phase }) => current_phase === phase)} />
        ))}
      </div>
    </div>
  );
}

function Column({ phase, list }: { readonly phase: Phase; readonly list: readonly Engagement[] }): JSX.Element {
  const id = `engagements-${phase}`;
  return (
    <section class="engagements-column" aria-labelledby={id}>
      <h2 id={id}>
        {text.phases[phase]} <span class="quiet number">{count(list.length)}</span>
      </h2>
      {list.length === 0 && <p class="quiet engagements-nobody">{text.nobodyHere}</p>}
      <Growing items={list} step={CARDS}>
        {(shown) => (
          <ul>
            {shown.map((engagement) => (
              <Card key={engagement.id} engagement={engagement} />
            ))}
          </ul>
        )}
      </Growing>
    </section>
  );
}

function Card({ engagement }: { readonly engagement: Engagement }): JSX.Element {
  const { id, name, client, status, updated_at } = engagement;
  const element = useRef<HTMLAnchorElement>(null);
  const isSeen = useSignal(false);
  const readiness = useSignal(knownReadiness(id));
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => {
      isSeen.value = entry?.isIntersecting ?? false;
    });
    observer.observe(element.current!);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (!isSeen.value) return undefined;
    let isAsked = true;
    const show = (): void => {
      readiness.value = knownReadiness(id);
    };
    // What cannot be read stays as it was, and marked.
    readReadiness(engagement, () => isAsked).then(show, show);
    return () => {
      isAsked = false;
    };
  }, [isSeen.value, updated_at]);
  return (
    <li>
      <a ref={element} class="card engagements-card" href={href(['engagements', id])}>
        <strong dir="auto">{name}</strong>
        {client !== '' && (
          <span class="quiet" dir="auto">
            {client}
          </span>
        )}
        <ReadinessOf of={readiness.value} engagement={engagement} />
        <span class="row-ends quiet">
          <Status of={status} />
          <Ago at={updated_at} />
        </span>
      </a>
    </li>
  );
}

interface ReadinessProps {
  readonly of: Readiness | null;
  readonly engagement: Engagement;
}

function ReadinessOf({ of, engagement: { current_phase, updated_at } }: ReadinessProps): JSX.Element {
  if (of === null || of.phase.phase !== current_phase) return <span class="quiet">{text.readiness.unknown}</span>;
  const { phase, completion, can_exit, blockers } = of.phase;
  return (
    <span class={`engagements-readiness ${of.at === updated_at ? '' : 'pending'}`}>
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

function NewEngagement({ isOpen }: { readonly isOpen: boolean }): JSX.Element {
  const key = useRef(freshKey());
  const send = async (fields: FormData): Promise<false> => {
    const { engagement } = await api.engagements.create(
      {
        name: written(fields, 'name'),
        client: written(fields, 'client'),
        workspace_path: written(fields, 'workspace') || null,
        summary: written(fields, 'summary'),
      },
      { idempotencyKey: key.current },
    );
    key.current = freshKey();
    toast(text.create.created);
    go(['engagements', engagement.id]);
    return false;
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
      <Field label={words.workspace} name="workspace" help={words.workspaceHelp} />
      <Field label={words.summary} name="summary" rows={3} />
    </FormDialog>
  );
}
