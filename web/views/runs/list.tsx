/** The list of runs with its filters. */
import { type Signal, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { api, type JobRecord } from '../../api.ts';
import { count, duration, now, short } from '../../format.ts';
import { useShortcuts } from '../../keys.ts';
import { usePagedList } from '../../paged-list.ts';
import { ofCategory, resource, useResource } from '../../resource.ts';
import { href, setQuery } from '../../router.ts';
import { RunStatus } from '../../runs/run-status.tsx';
import { reasonOf } from '../../runs/words.ts';
import { openOverlay } from '../../shell/overlay.ts';
import { text as all } from '../../text.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { Head } from '../../ui/head.tsx';
import { filterClass, QuerySearch, useSettled, valuesOf } from '../../ui/query-field.tsx';
import { Empty, Failure, Skeleton } from '../../ui/states.tsx';
import { When } from '../../ui/time.tsx';
import { focusList, VirtualList } from '../../ui/virtual-list.tsx';
import { type Filter, RunList } from './list-data.ts';

const text = all.runs;
const FIELDS = ['q', 'status', 'provider', 'goal', 'from', 'to'] as const;
const STATUSES = ['running', 'queued', 'complete', 'partial', 'failed', 'cancelled'] as const;
const SEARCH_MS = 250;
const ROW_HEIGHT = 52;
const MARKED_MAX = 2;

const goals = resource({ load: () => api.goals.list({ query: { limit: 200 } }), concerns: ofCategory('goal') });

export function RunListPage({ query }: { readonly query: URLSearchParams }): JSX.Element {
  const filter = valuesOf(query, FIELDS);
  const settled = { ...filter, q: useSettled(filter.q.trim(), SEARCH_MS) };
  const list = usePagedList(() => new RunList(settled), JSON.stringify(settled));
  const marked = useSignal<readonly string[]>([]);
  const items = list.items.value;
  const note = items === undefined ? '\u00a0' : text.note(count(items.length), list.isComplete.value);
  return (
    <div class="runs">
      <Head title={text.title} note={note}>
        <Button tone="primary" icon="plus" onClick={() => openOverlay('new-run')}>
          {all.newRun}
        </Button>
      </Head>
      <Filters query={query} filter={filter} items={items ?? []} />
      {marked.value.length > 0 && <Marked marked={marked} />}
      {list.error.value !== null && <Failure error={list.error.value} retry={() => list.retry()} />}
      {items === undefined && list.error.value === null && <Skeleton lines={8} />}
      {items !== undefined && items.length === 0 && <None filter={filter} />}
      {items !== undefined && items.length > 0 && (
        <VirtualList
          label={text.list}
          items={items}
          rowHeight={ROW_HEIGHT}
          keyOf={({ session_id }) => session_id}
          href={({ session_id }) => href(['runs', session_id])}
          row={(job) => <Row job={job} isMarked={marked.value.includes(job.session_id)} />}
          onNearEnd={() => list.more()}
          onKey={(key, job) => {
            if (key !== 'x') return false;
            toggle(marked, job.session_id);
            return true;
          }}
        />
      )}
    </div>
  );
}

function toggle(marked: Signal<readonly string[]>, id: string): void {
  marked.value = marked.value.includes(id)
    ? marked.value.filter((each) => each !== id)
    : [...marked.value, id].slice(-MARKED_MAX);
}

function Row({ job, isMarked }: { readonly job: JobRecord; readonly isMarked: boolean }): JSX.Element {
  const reason = reasonOf(job);
  return (
    <span class={`runs-row ${isMarked ? 'runs-marked' : ''}`}>
      <RunStatus of={job} />
      <span class="runs-task" dir="auto">
        {job.task}
        {reason !== '' && <span class="quiet runs-why"> {reason}</span>}
      </span>
      <span class="quiet runs-model">{job.model}</span>
      <span class="quiet number runs-steps">{text.columns.steps(job.steps_completed, count(job.steps_completed))}</span>
      <span class="quiet number runs-tokens">
        {job.tokens_used === 0 ? '' : text.columns.tokens(short(job.tokens_used))}
      </span>
      <Took job={job} />
      <span class="quiet runs-when">
        <When at={job.started_at} />
      </span>
    </span>
  );
}

/** Only an active run follows the clock: ten thousand others do not. */
function Took({ job }: { readonly job: JobRecord }): JSX.Element {
  const current = job.finished_at === null ? now.value - job.started_at : 0;
  return <span class="quiet number runs-took">{duration(job.took_ms + current)}</span>;
}

function None({ filter }: { readonly filter: Filter }): JSX.Element {
  if (Object.values(filter).some((value) => value !== '')) {
    return (
      <Empty title={text.noneFound}>
        <a class="button" href={href(['runs'])}>
          {text.clear}
        </a>
      </Empty>
    );
  }
  return (
    <Empty title={text.none} help={text.noneHelp}>
      <Button tone="primary" onClick={() => openOverlay('new-run')}>
        {all.newRun} <kbd>C</kbd>
      </Button>
    </Empty>
  );
}

function Marked({ marked }: { readonly marked: Signal<readonly string[]> }): JSX.Element {
  const [one, other] = marked.value;
  return (
    <p class="runs-bar" role="status">
      {text.marked(marked.value.length)}
      {one !== undefined && other !== undefined && (
        <a class="button primary" href={href(['runs', one, 'compare', other])}>
          {text.compareMarked}
        </a>
      )}
      <Button onClick={() => (marked.value = [])}>{text.unmark}</Button>
    </p>
  );
}

interface FiltersProps {
  readonly query: URLSearchParams;
  readonly filter: Filter;
  readonly items: readonly JobRecord[];
}

function Filters({ query, filter, items }: FiltersProps): JSX.Element {
  const search = useRef<HTMLInputElement>(null);
  useResource(goals);
  useShortcuts(all.runs.title, [
    { keys: '/', label: text.shortcuts.search, run: () => search.current?.focus() },
    { keys: 'j', label: text.shortcuts.move, run: focusList },
    { keys: 'x', label: text.shortcuts.mark, run: focusList },
  ]);
  const choice = (name: 'status' | 'provider' | 'goal', options: readonly (readonly [string, string])[]) => (
    <Choice
      class={filterClass(filter[name])}
      label={text.filters[name]}
      value={filter[name]}
      options={[['', text.filters.any], ...options]}
      choose={(id) => setQuery({ [name]: id })}
    />
  );
  const providers = [...new Set(items.map(({ provider }) => provider))];
  return (
    <search class="runs-filters">
      {/* biome-ignore lint/a11y/noLabelWithoutControl: the control is in QuerySearch. */}
      <label class="field">
        <span>{text.filters.search}</span>
        <QuerySearch
          query={query}
          field={search}
          label={text.filters.search}
          hint={text.filters.searchHint}
          enter={focusList}
        />
      </label>
      {choice(
        'status',
        STATUSES.map((id) => [id, all.statuses[id] ?? id]),
      )}
      {choice(
        'provider',
        providers.sort().map((id) => [id, id]),
      )}
      {choice(
        'goal',
        (goals.value.value?.goals ?? []).map(({ id, title }) => [id, title]),
      )}
      <Day name="from" value={filter.from} />
      <Day name="to" value={filter.to} />
    </search>
  );
}

function Day({ name, value }: { readonly name: 'from' | 'to'; readonly value: string }): JSX.Element {
  return (
    <label class={filterClass(value)}>
      <span>{text.filters[name]}</span>
      <input type="date" value={value} onChange={(event) => setQuery({ [name]: event.currentTarget.value })} />
    </label>
  );
}
