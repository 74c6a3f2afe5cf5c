/** A choice of one of several values. A value that is not among them, as in an old address, is shown as it is. */
import type { ComponentChildren, JSX } from 'preact';

interface ChoiceProps<Id extends string> {
  readonly label: ComponentChildren;
  readonly value: string;
  readonly options: readonly (readonly [id: Id, words: string])[];
  choose(id: Id): unknown;
  readonly class?: string;
}

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
        {options.map(([id, words]) => (
          <option key={id} value={id}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}
