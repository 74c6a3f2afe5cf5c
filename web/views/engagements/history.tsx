/** Every change of an engagement, newest first: what, who, when and why. Each links to the page as of then. */
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { when } from '../../format.ts';
import { href } from '../../router.ts';
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

function Moments({ changes, shown: { id, whole } }: MomentsProps): JSX.Element {
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
            <Line key={moment.last.position} id={id} moment={moment} words={sentenceOfMoment(moment, titles)} />
          ))}
        </ol>
      )}
    </Growing>
  );
}

interface LineProps {
  /** Of the engagement. */
  readonly id: string;
  readonly moment: Moment;
  readonly words: string;
}

function Line({ id, moment, words }: LineProps): JSX.Element {
  const { last } = moment;
  const reason = moment.changes[0]?.reason ?? '';
  return (
    <li class={`engagement-change ${isForced(moment) ? 'engagement-forced' : ''}`}>
      <a
        class="button plain engagement-when"
        aria-label={text.see(when(last.at))}
        href={href(['engagements', id], { at: last.position })}
      >
        <When at={last.at} />
      </a>
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
