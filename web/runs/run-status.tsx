/** The status of a run as a badge, the same in every view: a run that waits for an approval says so. */
import type { JSX } from 'preact';
import { approvals } from '../approval.ts';
import { useResource } from '../resource.ts';
import { Status } from '../ui/status.tsx';

interface RunStatusProps {
  readonly of: { readonly session_id: string; readonly status: string };
}

export function RunStatus({ of }: RunStatusProps): JSX.Element {
  const open = useResource(approvals).value.value;
  const isWaiting = of.status === 'running' && open?.some(({ session_id }) => session_id === of.session_id) === true;
  return <Status of={isWaiting ? 'waits_for_you' : of.status} />;
}
