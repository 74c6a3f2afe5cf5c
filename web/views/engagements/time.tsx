/** The time slider: shows the page as of any change of the engagement, or of any date and time. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { AsOf } from '../../api.ts';
import { count, when } from '../../format.ts';
import { useResource } from '../../resource.ts';
import { setQuery } from '../../router.ts';
import { text as all } from '../../text.ts';
import { Button } from '../../ui/button.tsx';
import { type Change, histories, type Whole } from './data.ts';
import { momentAt, momentsOf, sentenceOfMoment, titlesOf } from './words.ts';

const text = all.engagements.time;
/** The page is loaded when the slider has not moved for this long. */
const REST_MS = 250;
const RANGE_ID = 'engagement-time';

export function focusTime(): void {
  document.getElementById(RANGE_ID)?.focus();
}

interface TimeSliderProps {
  readonly id: string;
  readonly at: string | null;
  readonly whole: Whole;
  /** Whether `whole` is of another time. */
  readonly isOther: boolean;
}

export function TimeSlider({ id, at, whole, isOther }: TimeSliderProps): JSX.Element {
  const { asOf } = whole;
  const changes: readonly Change[] = useResource(histories(id)).value.value ?? [];
  const moments = useMemo(() => momentsOf(changes), [changes]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  /** The position of the slider, before the page follows. */
  const hand = useSignal<number | null>(null);
  useLayoutEffect(() => {
    hand.value = null;
    return () => clearTimeout(timer.current);
  }, [at]);
  const last = moments.length - 1;
  const asked = at === null ? last : momentAt(moments, /^\d+$/.test(at) ? Number(at) : (asOf?.position ?? 0));
  const index = Math.max(0, hand.value ?? asked);
  const shown = moments[index];
  const isNow = index >= last && (hand.value !== null || at === null);
  const move = (to: number): void => {
    hand.value = to;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      hand.value = null;
      setQuery({ at: to >= last ? null : moments[to]?.last.position });
    }, REST_MS);
  };
  const words = isNow || shown === undefined ? text.now : when(shown.last.at);
  return (
    <section class={`engagement-time ${at === null ? '' : 'engagement-past'}`} aria-label={text.title}>
      <div class="engagement-slider">
        <label for={RANGE_ID}>
          {text.title} <strong>{words}</strong>
        </label>
        <input
          id={RANGE_ID}
          type="range"
          min={0}
          max={Math.max(0, last)}
          value={index}
          disabled={last < 1}
          aria-valuetext={words}
          onInput={(event) => move(Number(event.currentTarget.value))}
        />
        <span class="quiet number">{text.of(count(index + 1), count(last + 1))}</span>
        <DateField asOf={asOf} />
      </div>
      {at !== null && (
        <p class="row-ends" role="status">
          <span dir="auto" hidden={isOther}>
            {text.past(asOf?.at == null ? words : when(asOf.at))}
            {shown !== undefined &&
              `, ${text.after(shown.last.actor, sentenceOfMoment(shown, titlesOf(whole, changes)))}`}
            . {all.engagements.page.inPast}
          </span>
          <Button onClick={() => setQuery({ at: null })}>{text.back}</Button>
        </p>
      )}
    </section>
  );
}

const MINUTE_CHARACTERS = 16;

/** The value of a date and time field, in the time zone of the browser. */
function localTime(at: number): string {
  const date = new Date(at);
  return new Date(at - date.getTimezoneOffset() * 60_000).toISOString().slice(0, MINUTE_CHARACTERS);
}

function DateField({ asOf }: { readonly asOf: AsOf | undefined }): JSX.Element {
  return (
    <label class="engagement-date">
      <span class="visually-hidden">{text.at}</span>
      <input
        type="datetime-local"
        value={asOf?.at == null ? '' : localTime(asOf.at)}
        onChange={({ currentTarget: { value } }) => {
          const at = Date.parse(value);
          if (!Number.isNaN(at)) setQuery({ at: new Date(at).toISOString() });
        }}
      />
    </label>
  );
}
