/** A choice of one of several values, all of which are in sight. */
import type { Signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useId } from 'preact/hooks';

interface RadiosProps<Id extends string> {
  readonly label: string;
  readonly hidesLabel?: boolean;
  readonly words: Readonly<Record<Id, string>>;
  readonly of: readonly Id[];
  readonly chosen: Signal<Id>;
}

export function Radios<Id extends string>({ label, hidesLabel, words, of, chosen }: RadiosProps<Id>): JSX.Element {
  const name = useId();
  return (
    <fieldset class="engagement-choices">
      <legend class={hidesLabel ? 'visually-hidden' : undefined}>{label}</legend>
      {of.map((each) => (
        <label key={each} class="check">
          <input type="radio" name={name} checked={chosen.value === each} onChange={() => (chosen.value = each)} />
          {words[each]}
        </label>
      ))}
    </fieldset>
  );
}
