/** A choice of one of several values. */
import type { ComponentChildren, JSX } from 'preact';

type Pairs<Id extends string> = readonly (readonly [id: Id, words: string])[];

interface OptionsProps {
  readonly of: Pairs<string>;
  /** The option that is selected at first, of a select that has no value of its own. */
  readonly chosen?: string | undefined;
}

/** The options of a select. */
export function Options({ of, chosen }: OptionsProps): JSX.Element {
  return (
    <>
      {of.map(([id, words]) => (
        <option key={id} value={id} selected={chosen === undefined ? undefined : id === chosen}>
          {words}
        </option>
      ))}
    </>
  );
}

interface ChoiceFieldProps {
  readonly label: string;
  readonly name: string;
  readonly options: Pairs<string>;
  readonly value?: string;
}

/** A choice among the fields of a form. */
export function ChoiceField({ label, name, options, value }: ChoiceFieldProps): JSX.Element {
  return (
    <label class="field">
      <span>{label}</span>
      <select name={name}>
        <Options of={options} chosen={value} />
      </select>
    </label>
  );
}

interface ChoiceProps<Id extends string> {
  readonly label: ComponentChildren;
  readonly value: string;
  readonly options: Pairs<Id>;
  choose(id: Id): unknown;
  readonly class?: string;
}

/** A value that is not among the options, as in an old address, is shown as it is. */
export function Choice<Id extends string>(props: ChoiceProps<Id>): JSX.Element {
  const { label, value, options, choose, class: className = 'field' } = props;
  const change = (chosen: string): void => {
    const found = options.find(([id]) => id === chosen);
    if (found !== undefined) void choose(found[0]);
  };
  return (
    <label class={className}>
      <span>{label}</span>
      <select value={value} onChange={(event) => change(event.currentTarget.value)}>
        {options.every(([id]) => id !== value) && <option value={value}>{value}</option>}
        <Options of={options} />
      </select>
    </label>
  );
}
