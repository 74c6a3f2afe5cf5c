/** Views that one projection folds from events, without a log. */
import type { Projection } from '../../src/projections/projection.ts';
import { openViews, type ViewsStore } from '../../src/projections/views.ts';

interface Written {
  readonly stream: string;
  readonly type: string;
  readonly data: unknown;
}

/** The events have the positions 1, 2, 3 … and these times, in Unix milliseconds. */
export function folded(projection: Projection, events: readonly Written[]): ViewsStore {
  const views = openViews(null);
  views.exec(projection.create);
  for (const [index, event] of events.entries()) {
    const at = index + 1;
    projection.on[event.type]?.(views, { ...event, position: at, at, actor: 'owner' });
  }
  return views;
}
