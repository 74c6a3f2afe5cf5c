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
      {blockers.length === 0 ? <p class="quiet">{text.none}</p> : <BlockerList of={blockers} areLinks />}
    </section>
  );
}

interface BlockerListProps {
  readonly of: readonly Blocker[];
  /** Each blocker leads to its deliverable or gate on this page. */
  readonly areLinks?: boolean;
}

export function BlockerList({ of, areLinks = false }: BlockerListProps): JSX.Element {
  return (
    <ul class="engagement-blockers">
      {of.map(({ kind, subject, detail }) => {
        const words = (
          <span class={kind === 'gate_failed' ? 'bad' : ''} dir="auto">
            {detail}
          </span>
        );
        return (
          <li key={`${kind} ${subject}`}>
            {areLinks ? (
              <button type="button" onClick={() => document.getElementById(elementOf(subject))?.focus()}>
                {words}
              </button>
            ) : (
              words
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** The id of the element of a deliverable or a gate, by the subject of its blocker. */
export const elementOf = (subject: string): string => `engagement-of-${subject}`;
