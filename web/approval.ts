/**
 * Whether an agent asks before it changes something: the policy that this browser sends with the runs it starts. Empty: none is sent,
 * and the daemon's own holds (`approval` in its config.json).
 */
import { signal } from '@preact/signals';

export const APPROVALS = ['suggest', 'auto-edit', 'full-auto', 'read-only'] as const;
export type Approval = (typeof APPROVALS)[number] | '';

const KEY = 'daybook.approval';

export const approvalDefault = signal<Approval>(approvalOf(localStorage.getItem(KEY)));

export function approvalOf(text: string | null): Approval {
  return APPROVALS.find((name) => name === text) ?? '';
}

export function setApprovalDefault(to: Approval): void {
  approvalDefault.value = to;
  if (to === '') localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, to);
}
