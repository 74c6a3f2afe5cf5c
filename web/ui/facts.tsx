/** Facts: each name with its value. */
import type { ComponentChildren, JSX } from 'preact';

export type Fact = readonly [name: string, value: ComponentChildren];

interface FactsProps {
  /** Those with an empty value are not shown. */
  readonly of: readonly Fact[];
  readonly class?: string;
}

export function Facts({ of, class: className = 'facts' }: FactsProps): JSX.Element {
  return (
    <dl class={className}>
      {of
        .filter(([, value]) => value !== '' && value !== null)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd dir="auto">{value}</dd>
          </div>
        ))}
    </dl>
  );
}
