/** The reasons why a phase cannot be completed. */
import type { JSX } from 'preact';
import type { Blocker } from '../../api.ts';
import { text as all } from '../../text.ts';
import type { Phase, Whole } from './data.ts';

const text = all.engagements.blockers;

/** Properties of every part of the page. */
export interface Shown {
  readonly id: string;
  /** The time that is shown; null is now. */
  readonly at: string | null;
  readonly phase: Phase;
  readonly whole: Whole;
}

export function Blockers({ whole, phase }: Shown): JSX.Element {
  const blockers = whole.report.phases.find((each) => each.phase === phase)?.blockers ?? [];
  return (
    <section class="card" aria-labelledby="engagement-blockers">
      <h2 id="engagement-blockers">{text.title}</h2>
      {blockers.length === 0 ? <p class="quiet">{text.none}</p> : <BlockerList of={blockers} />}
    </section>
  );
}

export function BlockerList({ of }: { readonly of: readonly Blocker[] }): JSX.Element {
  return (
    <ul class="engagement-blockers">
      {of.map(({ kind, subject, detail }) => (
        <li key={`${kind} ${subject}`}>
          <span class={kind === 'gate_failed' ? 'bad' : ''} dir="auto">
            {detail}
          </span>
        </li>
      ))}
    </ul>
  );
}
