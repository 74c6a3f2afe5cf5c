/**
 * Work that one of several daemons does for all: backups, signing in the background. The daemon that holds the lease of
 * the duty does the work. When the lease runs out, another daemon acquires it at its next check. A daemon whose log is
 * not shared has every duty.
 */
import type { Leases } from '../../ports/leases.ts';

export interface Duty {
  /** Whether this daemon does the work at the moment. */
  isOn(): boolean;
}

export interface DutyParts {
  readonly name: string;
  readonly leases: Leases;
  /** Whether this daemon is able to do the work; it does not hold the lease while it is not. Default: always. */
  readonly isAble?: () => boolean;
  /** Called when this daemon has acquired the lease. */
  readonly onAcquired?: () => void;
}

export function takeDuty({ name, leases, isAble = () => true, onAcquired = () => undefined }: DutyParts): Duty {
  const lease = `duty-${name}`;
  if (!leases.isShared) return { isOn: () => true };
  leases.onTableRead(() => {
    if (leases.isHeld(lease)) {
      if (!isAble()) void leases.release(lease);
      return;
    }
    if (leases.isElsewhere(lease) || !isAble()) return;
    void leases.acquire(lease).then((taken) => {
      if (taken !== null) onAcquired();
    });
  });
  return { isOn: () => leases.isHeld(lease) };
}
