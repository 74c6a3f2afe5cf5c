/** The tree of goals next to one of them. */
import type { JSX } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import type { Goal } from '../../api.ts';
import { count } from '../../format.ts';
import { useShortcuts } from '../../keys.ts';
import { href, setQuery, type ViewProps } from '../../router.ts';
import { text as all } from '../../text.ts';
import { Button } from '../../ui/button.tsx';
import { Head } from '../../ui/head.tsx';
import { isFound, QueryCheck, QuerySearch } from '../../ui/query-field.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { filtered, forest, found, goals, type Node } from './data.ts';
import { CreateDialog } from './edit.tsx';
import { GoalPage } from './goal.tsx';
import { focusTree, Tree } from './tree.tsx';

const text = all.goals;

export function View({ path: [id], query }: ViewProps): JSX.Element {
  const search = useRef<HTMLInputElement>(null);
  const create = (): void => setQuery({ new: '1' });
  useShortcuts(all.views.goals.name, [
    { keys: 'n', label: text.keys.new, run: create },
    { keys: '/', label: text.search, run: () => search.current?.focus() },
    { keys: 'j', label: text.keys.next, run: () => focusTree(1) },
    { keys: 'k', label: text.keys.previous, run: () => focusTree(-1) },
  ]);
  const list = goals.value.value ?? [];
  const active = list.filter(({ status }) => status === 'active').length;
  return (
    <div class={id === undefined ? 'goals' : 'goals goals-chosen'}>
      {id === undefined && <Head title={text.title} note={text.note(count(active), count(list.length))} />}
      <Loaded of={goals} lines={6}>
        {(known) => <Split list={known} id={id} query={query} search={search} create={create} />}
      </Loaded>
    </div>
  );
}

interface SplitProps {
  readonly list: readonly Goal[];
  readonly id: string | undefined;
  readonly query: URLSearchParams;
  readonly search: { current: HTMLInputElement | null };
  create(): void;
}

function Split({ list, id, query, search, create }: SplitProps): JSX.Element {
  const nodes = useMemo(() => forest(list), [list]);
  const parent = query.get('new');
  const node = id === undefined ? undefined : found(nodes, id);
  return (
    <>
      {list.length === 0 && id === undefined ? (
        <Empty title={text.none} help={text.noneHelp}>
          <Button tone="primary" onClick={create}>
            {text.create.title}
          </Button>
        </Empty>
      ) : (
        <div class="goals-split">
          <Side nodes={nodes} id={id} query={query} search={search} create={create} />
          <div class="goals-main">
            {id === undefined && <Empty title={text.choose} help={text.chooseHelp} />}
            {id !== undefined && node === undefined && (
              <>
                <Head title={text.page.missing} above={<a href={href(['goals'])}>{text.page.all}</a>} />
                <Empty title={text.page.gone} />
              </>
            )}
            {node !== undefined && <GoalPage key={id} node={node} list={list} />}
          </div>
        </div>
      )}
      {/* At one place: what is written stays when the first goal comes. */}
      <CreateDialog list={list} parent={parent === null || parent === '1' ? null : parent} isOpen={parent !== null} />
    </>
  );
}

interface SideProps extends Omit<SplitProps, 'list'> {
  readonly nodes: readonly Node[];
}

function Side({ nodes, id, query, search, create }: SideProps): JSX.Element {
  const withEnded = query.get('ended') !== null;
  const keep = ({ id: each, title, statement, tags, status }: Goal): boolean =>
    each === id ||
    ((withEnded || status === 'active' || status === 'paused') && isFound(query, [title, statement, ...tags]));
  const shown = filtered(nodes, keep);
  const isFiltered = (query.get('q') ?? '') !== '' || withEnded;
  const why = nodes.length === 0 ? text.none : isFiltered ? text.nothingLike : text.allEnded;
  return (
    <div class="goals-side">
      <div class="goals-search">
        <QuerySearch
          query={query}
          field={search}
          label={text.search}
          hint={text.searchHint}
          enter={() => focusTree(0)}
        />
        <Button tone="primary" icon="plus" onClick={create} aria-label={text.create.title} />
      </div>
      <QueryCheck query={query} name="ended" label={text.ended} />
      {shown.length === 0 ? <p class="quiet">{why}</p> : <Tree nodes={shown} chosen={id} />}
    </div>
  );
}
