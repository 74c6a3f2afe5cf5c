/** The list of runs, one run, or two runs side by side. */
import type { JSX } from 'preact';
import type { ViewProps } from '../../router.ts';
import { ComparePage } from './compare.tsx';
import { RunListPage } from './list.tsx';
import { RunPage } from './run-page.tsx';

export function View({ path, query }: ViewProps): JSX.Element {
  const [id, part, other] = path;
  if (id === undefined) return <RunListPage query={query} />;
  if (part === 'compare' && other !== undefined) return <ComparePage key={`${id} ${other}`} left={id} right={other} />;
  return <RunPage key={id} id={id} query={query} />;
}
