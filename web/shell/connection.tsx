/** The state of the subscription: always next to the navigation, and above the view while it is interrupted. */
import type { JSX } from 'preact';
import { waiting } from '../api.ts';
import { clock, duration, now } from '../format.ts';
import { connection } from '../live.ts';
import { text } from '../text.ts';
import { Icon } from '../ui/icon.tsx';

export function ConnectionState(): JSX.Element {
  const of = connection.value;
  const words = of.state === 'cut' ? text.connection.cut(clock(of.since)) : text.connection[of.state];
  return (
    <p class={`connection ${of.state}`} role="status">
      {words}
    </p>
  );
}

export function CutBanner(): JSX.Element | null {
  const of = connection.value;
  if (of.state === 'cut') {
    return (
      <p class="banner warn" role="status">
        <Icon name="warning" />
        <strong>{text.connection.cut(clock(of.since))}.</strong>
        <span aria-live="off">{text.connection.cutMore(duration(Math.max(0, now.value - of.since)))}</span>
      </p>
    );
  }
  return <LimitBanner />;
}

/** The limit is a number of requests in a minute, so a wait is no longer. */
export function LimitBanner(): JSX.Element | null {
  if (!waiting.value) return null;
  return (
    <p class="banner" role="status">
      <Icon name="clock" /> {text.connection.limited}
    </p>
  );
}
