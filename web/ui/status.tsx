/** A status as a badge, shown by colour, shape and word. */
import type { JSX } from 'preact';
import { text } from '../text.ts';
import { Icon, type IconName } from './icon.tsx';

export type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'quiet';

const LOOKS: Readonly<Record<string, readonly [Tone, IconName]>> = {
  queued: ['quiet', 'clock'],
  running: ['busy', 'play'],
  complete: ['good', 'check'],
  waits_for_you: ['warn', 'clock'],
  partial: ['warn', 'half'],
  failed: ['bad', 'cross'],
  cancelled: ['quiet', 'stop'],
  pending: ['warn', 'clock'],
  allowed: ['good', 'check'],
  denied: ['bad', 'cross'],
  expired: ['quiet', 'clock'],
  active: ['busy', 'play'],
  paused: ['quiet', 'dash'],
  to_do: ['quiet', 'dot'],
  done: ['good', 'check'],
  in_progress: ['busy', 'play'],
  skipped: ['quiet', 'dash'],
  abandoned: ['quiet', 'stop'],
  draft: ['quiet', 'dot'],
  closed: ['quiet', 'check'],
  ok: ['good', 'check'],
};

export function Status({ of }: { readonly of: string }): JSX.Element {
  const [tone, icon] = LOOKS[of] ?? ['quiet', 'dot'];
  return (
    <Badge tone={tone} icon={icon}>
      {text.statuses[of] ?? of}
    </Badge>
  );
}

/** Of a step of a plan, which waits for nobody before it begins. */
export function StepStatus({ of }: { readonly of: string }): JSX.Element {
  return <Status of={of === 'pending' ? 'to_do' : of} />;
}

interface BadgeProps {
  readonly tone: Tone;
  readonly icon?: IconName;
  readonly children: string | number;
}

export function Badge({ tone, icon, children }: BadgeProps): JSX.Element {
  return (
    <span class={`badge ${tone}`}>
      {icon && <Icon name={icon} />}
      {children}
    </span>
  );
}
