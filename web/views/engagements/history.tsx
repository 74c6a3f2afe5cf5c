/** Every change of an engagement, newest first: what, who, when and why. Each links to the page as of then. */
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { when } from '../../format.ts';
import { setQuery } from '../../router.ts';
import { text as all } from '../../text.ts';
import { Growing } from '../../ui/growing.tsx';
import { Loaded } from '../../ui/states.tsx';
import { When } from '../../ui/time.tsx';
import type { Shown } from './blockers.tsx';
import { type Change, histories } from './data.ts';
import { isForced, type Moment, momentsOf, sentenceOfMoment, titlesOf } from './words.ts';

const text = all.engagements.history;
const STEP = 100;

export function History(shown: Shown): JSX.Element {
  return (
    <section aria-labelledby="engagement-history">
      <h2 id="engagement-history" class="visually-hidden">
        {text.title}
      </h2>
      <Loaded of={histories(shown.id)}>{(changes) => <Moments changes={changes} shown={shown} />}</Loaded>
    </section>
  );
}

interface MomentsProps {
  readonly changes: readonly Change[];
  readonly shown: Shown;
}

function Moments({ changes, shown: { whole } }: MomentsProps): JSX.Element {
  const until = whole.asOf?.position ?? Number.POSITIVE_INFINITY;
  const moments = useMemo(
    () => momentsOf(changes.filter(({ position }) => position <= until)).toReversed(),
    [changes, until],
  );
  const titles = useMemo(() => titlesOf(whole, changes), [whole, changes]);
  return (
    <Growing items={moments} step={STEP}>
      {(shown) => (
        <ol class="rows">
          {shown.map((moment) => (
            <Line key={moment.last.position} moment={moment} words={sentenceOfMoment(moment, titles)} />
          ))}
        </ol>
      )}
    </Growing>
  );
}

function Line({ moment, words }: { readonly moment: Moment; readonly words: string }): JSX.Element {
  const { last } = moment;
  const reason = moment.changes[0]?.reason ?? '';
  return (
    <li class={`engagement-change ${isForced(moment) ? 'engagement-forced' : ''}`}>
      <button
        type="button"
        class="button plain engagement-when"
        aria-label={text.see(when(last.at))}
        onClick={() => setQuery({ at: last.position, show: null })}
      >
        <When at={last.at} />
      </button>
      <div>
        <p dir="auto">
          <span class="quiet">{last.actor}</span> {words}
        </p>
        {reason !== '' && (
          <p class="quiet" dir="auto">
            {reason}
          </p>
        )}
      </div>
    </li>
  );
}
