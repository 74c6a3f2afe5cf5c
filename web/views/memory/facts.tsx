/**
 * Facts on two time axes: vertically when they were recorded, horizontally when they are valid. A slider shows them as
 * known at an earlier time, a field those valid on a day.
 */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Fact, MemoryListFactsAnswer } from '../../api.ts';
import { count, date, percent, when } from '../../format.ts';
import { setQuery } from '../../router.ts';
import { text as all } from '../../text.ts';
import { Button } from '../../ui/button.tsx';
import { useSettled } from '../../ui/query-field.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { type FactAxis, factAxis } from './axis.ts';
import { facts, factsAt, stats } from './data.ts';
import { DeleteDialog, type Doomed } from './forms.tsx';

const text = all.memory.facts;
const SECOND_MS = 1_000;
const MARGIN = 0.04;
/** The facts are read when the slider has rested for this long, not at every time that it passes. */
const REST_MS = 250;

export function FactsPart({ query }: { readonly query: URLSearchParams }): JSX.Element {
  return (
    <Loaded of={facts} lines={6}>
      {(present) =>
        present.total === 0 ? (
          <Empty title={text.none} help={text.noneHelp} />
        ) : (
          <Timeline present={present} known={query.get('known') ?? ''} held={query.get('held') ?? ''} />
        )
      }
    </Loaded>
  );
}

interface TimelineProps {
  readonly present: MemoryListFactsAnswer;
  /** The time, in Unix seconds, as of which facts are known; empty: now. */
  readonly known: string;
  /** A day, in the format of a date field; empty: any. */
  readonly held: string;
}

function Timeline({ present, known, held }: TimelineProps): JSX.Element {
  const moments = [...new Set(present.facts.map(({ recorded_at }) => recorded_at))].sort((a, b) => a - b);
  const latest = moments.findLastIndex((at) => at <= Number(known));
  const chosen = known === '' ? moments.length : Math.max(0, latest);
  const heldAt = held === '' ? null : new Date(`${held}T12:00`).getTime() / SECOND_MS;
  const knownAt = moments[chosen];
  const shownAt = useSettled(knownAt, REST_MS);
  return (
    <div class="stack">
      <div class="memory-axes">
        <label class="field">
          <span>
            {text.known}: {knownAt === undefined ? text.knownNow : text.knownAt(when(knownAt * SECOND_MS))}
          </span>
          <input
            type="range"
            min={0}
            max={moments.length}
            value={chosen}
            aria-valuetext={knownAt === undefined ? text.knownNow : when(knownAt * SECOND_MS)}
            onInput={(event) => setQuery({ known: moments[Number(event.currentTarget.value)] ?? '' })}
          />
        </label>
        <label class="field">
          <span>{text.heldAt}</span>
          <input type="date" value={held} onChange={(event) => setQuery({ held: event.currentTarget.value })} />
        </label>
      </div>
      {shownAt === undefined ? (
        <Rows of={present.facts} scale={present.facts} heldAt={heldAt} total={present.total} />
      ) : (
        <Loaded of={factsAt(new Date((shownAt + 1) * SECOND_MS - 1).toISOString())}>
          {(then) => (
            <>
              <p class="memory-past" role="status">
                {text.known}: {when(shownAt * SECOND_MS)}. {text.later(count(Math.max(0, present.total - then.total)))}
              </p>
              <Rows of={then.facts} scale={present.facts} heldAt={heldAt} total={then.total} />
            </>
          )}
        </Loaded>
      )}
    </div>
  );
}

function axisOf(shown: readonly Fact[], heldAt: number | null): FactAxis {
  const now = Date.now() / SECOND_MS;
  const axis = factAxis([
    ...shown.flatMap(({ valid_from, valid_to }) => [valid_from, valid_to ?? now]),
    ...[now, heldAt ?? now],
  ]);
  return { ...axis, at: (seconds) => axis.at(seconds) * (1 - 2 * MARGIN) + MARGIN };
}

interface RowsProps {
  readonly of: readonly Fact[];
  /** The facts that determine the range of the axis, so that it does not change while the slider moves. */
  readonly scale: readonly Fact[];
  readonly heldAt: number | null;
  readonly total: number;
}

function holdsAt({ valid_from, valid_to }: Fact, at: number): boolean {
  return valid_from <= at && (valid_to === null || at < valid_to);
}

function Rows({ of, scale, heldAt, total }: RowsProps): JSX.Element {
  const doomed = useSignal<Doomed | null>(null);
  const axis = axisOf(scale, heldAt);
  return (
    <>
      {heldAt !== null && <p role="status">{text.held(count(of.filter((fact) => holdsAt(fact, heldAt)).length))}</p>}
      {total > of.length && <p class="stale">{text.truncated(count(of.length), count(total))}</p>}
      <p class="quiet">
        {text.note} {axis.isShortened && text.shortened}
      </p>
      <ol class="rows memory-facts" aria-label={text.list}>
        {of.map((fact) => (
          <li key={fact.id} class={heldAt !== null && !holdsAt(fact, heldAt) ? 'memory-not-held' : ''}>
            <Row fact={fact} axis={axis} heldAt={heldAt} ask={(each) => (doomed.value = each)} />
          </li>
        ))}
      </ol>
      <DeleteDialog of={doomed} after={() => Promise.all([facts.refresh(), stats.refresh()])} />
    </>
  );
}

interface RowProps {
  readonly fact: Fact;
  readonly axis: FactAxis;
  readonly heldAt: number | null;
  ask(doomed: Doomed): void;
}

function Row({ fact, axis, heldAt, ask }: RowProps): JSX.Element {
  const { id, subject, predicate, object, valid_from, valid_to, confidence, recorded_at } = fact;
  const words = `${subject} ${predicate} ${object}`;
  const now = Date.now() / SECOND_MS;
  const start = axis.at(valid_from);
  const from = date(valid_from * SECOND_MS);
  const holds = valid_to === null ? text.since(from) : text.during(from, date(valid_to * SECOND_MS));
  return (
    <div class="memory-fact">
      <span class="quiet number">{when(recorded_at * SECOND_MS)}</span>
      <span class="memory-words" dir="auto">
        {subject} <span class="quiet">{predicate}</span> <strong>{object}</strong>
        {confidence < 1 && <span class="quiet"> · {text.confidence(percent(confidence))}</span>}
      </span>
      <span class="memory-track" title={holds}>
        <span class="visually-hidden">{holds}</span>
        <span
          class={`memory-span ${valid_to === null ? 'memory-open' : ''}`}
          style={{
            insetInlineStart: `${start * 100}%`,
            width: `${Math.max(0.6, (axis.at(valid_to ?? now) - start) * 100)}%`,
          }}
        />
        <span class="memory-now" style={{ insetInlineStart: `${axis.at(now) * 100}%` }} />
        {heldAt !== null && <span class="memory-held" style={{ insetInlineStart: `${axis.at(heldAt) * 100}%` }} />}
      </span>
      <span class="quiet memory-holds">{holds}</span>
      <Button tone="plain" onClick={() => ask({ id, words, loss: all.memory.loss.fact })}>
        <span class="visually-hidden">{`${all.memory.remove} ${words}`}</span>
        <span aria-hidden="true">✕</span>
      </Button>
    </div>
  );
}
