/** The board of engagements, one engagement, or one of its documents. */
import type { JSX } from 'preact';
import type { ViewProps } from '../../router.ts';
import { Board } from './board.tsx';
import { DocumentPage } from './document.tsx';
import { EngagementPage } from './page.tsx';

export function View({ path: [id, part], query }: ViewProps): JSX.Element {
  if (id === undefined) return <Board query={query} />;
  if (part === 'report' || part === 'handover')
    return <DocumentPage key={`${id} ${part}`} id={id} kind={part} at={query.get('at')} />;
  return <EngagementPage key={id} id={id} query={query} />;
}
