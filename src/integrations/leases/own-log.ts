/** The leases of a log that only this process uses: all are granted. */
import type { Lease, Leases } from '../../ports/leases.ts';

const EPOCH = 1;

/** `node` is the id that `holder` returns for this process. */
export function ownLogLeases(node = ''): Leases {
  const held = new Set<string>();
  const nothing = (): void => undefined;
  return {
    isShared: false,
    async acquire(name): Promise<Lease> {
      held.add(name);
      return { name, holder: node, epoch: EPOCH, isTakenOver: false };
    },
    isHeld: (name) => held.has(name),
    isElsewhere: () => false,
    holder: (name) => (held.has(name) ? node : null),
    holders: () => new Map([...held].map((name) => [name, node])),
    async release(name) {
      held.delete(name);
    },
    lost: nothing,
    onLost: () => nothing,
    onTableRead: () => nothing,
  };
}
