/** How a verdict of a gate is shown: as a badge, and with its grounds. */
import type { JSX } from 'preact';
import type { Gate, Judgement } from '../../api.ts';
import { text as all } from '../../text.ts';
import type { IconName } from '../../ui/icon.tsx';
import { Badge, type Tone } from '../../ui/status.tsx';
import { When } from '../../ui/time.tsx';

const text = all.engagements.gates;

export type Verdict = Gate['verdict'];
const LOOKS: Readonly<Record<Verdict, readonly [Tone, IconName]>> = {
  not_measured: ['quiet', 'dot'],
  pending: ['warn', 'clock'],
  pass: ['good', 'check'],
  fail: ['bad', 'cross'],
  waived: ['quiet', 'dash'],
};

export function VerdictBadge({ of }: { readonly of: Verdict }): JSX.Element {
  const [tone, icon] = LOOKS[of];
  return (
    <Badge tone={tone} icon={icon}>
      {text.verdicts[of]}
    </Badge>
  );
}

/** A verdict with its grounds, its author and its time. */
export function JudgementText({ of }: { readonly of: Judgement }): JSX.Element {
  const { observed, rationale, decided_by, recorded_by, at, verdict } = of;
  return (
    <div class={`engagement-judgement ${verdict}`}>
      {observed !== null && (
        <p dir="auto">
          <span class="quiet">{text.observed}:</span> {observed}
        </p>
      )}
      {rationale !== '' && (
        <p dir="auto">
          <span class="quiet">{text.rationale}:</span> {rationale}
        </p>
      )}
      <p class="quiet">
        {text.verdicts[verdict]} · {decided_by === null ? text.by(recorded_by) : text.by(decided_by)} · <When at={at} />
        {decided_by !== null && decided_by !== recorded_by && ` · ${text.recorded(recorded_by)}`}
      </p>
    </div>
  );
}
