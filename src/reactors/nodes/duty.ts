/**
 * Work that one of several daemons does for all: backups, signing in the background. Whoever has the lease of the duty
 * does it; when that daemon is gone another one takes the lease at its next look. On a log of its own a daemon has
 * every duty.
 */
import type { Leases } from '../../ports/leases.ts';

export interface Duty {
  /** Whether this daemon does the work at the moment. */
  isOn(): boolean;
}

export interface DutyParts {
  readonly name: string;
  readonly leases: Leases;
  /** Whether this daemon is able to do the work; another one takes the lease when it is not. */
  readonly isAble?: () => boolean;
  /** Called when the work falls to this daemon. */
  readonly begun?: () => void;
}

export function takeDuty({ name, leases, isAble = () => true, begun = () => undefined }: DutyParts): Duty {
  const lease = `duty-${name}`;
  if (!leases.isShared) return { isOn: () => true };
  leases.onLooked(() => {
    if (leases.isHeld(lease)) {
      if (!isAble()) void leases.release(lease);
      return;
    }
    if (leases.isElsewhere(lease) || !isAble()) return;
    void leases.acquire(lease).then((taken) => {
      if (taken !== null) begun();
    });
  });
  return { isOn: () => leases.isHeld(lease) };
}
