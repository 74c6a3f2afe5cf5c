/** Two runs side by side, with the first difference between them. */
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { count } from '../../format.ts';
import { href } from '../../router.ts';
import { compareRuns, type Pair } from '../../runs/compare.ts';
import { changesOf, type FileChange } from '../../runs/diff.ts';
import type { Item } from '../../runs/fold.ts';
import { type History, useHistory } from '../../runs/history.ts';
import { RunStatus } from '../../runs/run-status.tsx';
import { text as all } from '../../text.ts';
import { Head } from '../../ui/head.tsx';
import { Empty, Failure, Skeleton } from '../../ui/states.tsx';
import { Entry } from './conversation.tsx';

const text = all.runs.compare;

export function ComparePage({ left, right }: { readonly left: string; readonly right: string }): JSX.Element {
  const one = useHistory(left);
  const other = useHistory(right);
  const error = one.error.value ?? other.error.value;
  const isComplete = one.isComplete.value && other.isComplete.value;
  const missing = isComplete ? [one, other].findIndex(({ events }) => events.length === 0) : -1;
  if (missing >= 0) return <Missing id={[left, right][missing]!} />;
  return (
    <div class="compare">
      <Head title={text.title} above={<a href={href(['runs', left])}>{text.back}</a>} />
      {error !== null && <Failure error={error} retry={() => Promise.all([one.load(), other.load()])} />}
      {error === null && !isComplete && <Skeleton lines={6} />}
      {isComplete && <Sides one={one} other={other} ids={[left, right]} />}
    </div>
  );
}

function Missing({ id }: { readonly id: string }): JSX.Element {
  const { all: runs, notFound, notFoundHelp } = all.runs.run;
  return (
    <>
      <Head title={notFound} note={<code>{id}</code>} above={<a href={href(['runs'])}>{runs}</a>} />
      <Empty title={notFoundHelp} />
    </>
  );
}

interface SidesProps {
  readonly one: History;
  readonly other: History;
  readonly ids: readonly [string, string];
}

function Sides({ one, other, ids }: SidesProps): JSX.Element {
  const versions = [one.version.value, other.version.value];
  const { pairs, divergence } = useMemo(() => compareRuns(one.run, other.run, ids[0]), versions);
  const changes = useMemo(() => [changesOf(one.run.items), changesOf(other.run.items)] as const, versions);
  const first = divergence ?? pairs.length;
  return (
    <>
      <div class="compare-pair compare-heads">
        {ids.map((id, index) => (
          <p key={`${index}${id}`}>
            <RunStatus of={{ session_id: id, status: (index === 0 ? one : other).run.status }} />{' '}
            <a class="mono" href={href(['runs', id])}>
              {id.slice(0, 12)}
            </a>
          </p>
        ))}
      </div>
      {other.run.fork?.from === ids[0] && (
        <p class="quiet">{text.forked(count(other.run.fork.steps), taskOf(other))}</p>
      )}
      {first > 0 && (
        <details class="compare-same">
          <summary class="quiet">{text.same(first)}</summary>
          {pairs.slice(0, first).map((pair, index) => (
            <PairRow key={index} pair={pair} changes={changes} />
          ))}
        </details>
      )}
      {divergence === null ? (
        <p class="good">{text.identical}</p>
      ) : (
        <>
          <h2 class="compare-first">{text.divergence}</h2>
          {pairs.slice(first).map((pair, index) => (
            <PairRow key={index} pair={pair} changes={changes} isOpened={index === 0} />
          ))}
        </>
      )}
    </>
  );
}

/** The first task of a run. */
function taskOf({ run }: History): string {
  const first = run.items.find(({ kind }) => kind === 'user');
  return first?.kind === 'user' ? first.text : '';
}

interface PairRowProps {
  readonly pair: Pair;
  readonly changes: readonly [ReadonlyMap<number, FileChange>, ReadonlyMap<number, FileChange>];
  /** Whether tool calls are shown with their input and output at once. */
  readonly isOpened?: boolean;
}

function PairRow({ pair, changes: [one, other], isOpened = false }: PairRowProps): JSX.Element {
  return (
    <div class={`compare-pair ${pair.isSame ? '' : 'compare-differs'}`}>
      <Side item={pair.left} changes={one} isOpened={isOpened} />
      <Side item={pair.right} changes={other} isOpened={isOpened} />
    </div>
  );
}

interface SideProps {
  readonly item: Item | null;
  readonly changes: ReadonlyMap<number, FileChange>;
  readonly isOpened: boolean;
}

function Side({ item, changes, isOpened }: SideProps): JSX.Element {
  if (item === null) return <p class="quiet">{text.nothing}</p>;
  return (
    <div>
      <Entry item={item} change={changes.get(item.position)} isOpened={isOpened} />
    </div>
  );
}
