/** The events of the log, or one of them. No event has the position 0, which stands for what is not a position. */
import type { JSX } from 'preact';
import type { ViewProps } from '../../router.ts';
import { EventPage } from './event-page.tsx';
import { EventListPage } from './list.tsx';

export function View({ path, query }: ViewProps): JSX.Element {
  const [position] = path;
  if (position === undefined) return <EventListPage query={query} />;
  return <EventPage key={position} position={/^\d{1,15}$/.test(position) ? Number(position) : 0} />;
}
