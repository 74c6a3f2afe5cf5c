/** A table of leases in memory that several nodes share, with the rules of the one in the database. */
import { type SharedLeasesParts, TableLeases } from '../../src/integrations/leases/shared-leases.ts';
import type { Fence, LeaseTable } from '../../src/ports/leases.ts';
import { TestClock } from '../ops/clock.ts';

export const LEASE_MS = 4_000;

/** A clock and an empty table. */
export function leaseTables(): { readonly clock: TestClock; readonly tables: LeaseTables } {
  const clock = new TestClock('2026-11-20T09:00:00');
  return { clock, tables: new LeaseTables(clock) };
}

interface Row {
  holder: string;
  epoch: number;
  /** Null: it was given back. */
  until: number | null;
}

export class LeaseTables {
  readonly #clock: TestClock;
  readonly #rows = new Map<string, Row>();
  readonly #away = new Set<string>();
  /** The position that a taken lease tells. */
  head = 0;

  constructor(clock: TestClock) {
    this.#clock = clock;
  }

  /** The leases of a node, which may have a clock of its own. */
  leasesOf(
    node: string,
    { clock = this.#clock, ...parts }: Partial<SharedLeasesParts> & { readonly clock?: TestClock } = {},
  ): TableLeases {
    return new TableLeases({
      ...{ table: this.of(node), node, timers: clock, elapsed: () => clock.now(), leaseMs: LEASE_MS },
      ...{ position: () => 0, reached: async () => undefined, report: () => undefined, ...parts },
    });
  }

  /** Whether an append with the fence is taken. */
  admits({ name, holder, epoch }: Fence): boolean {
    const row = this.#rows.get(name);
    return row?.holder === holder && row.epoch === epoch;
  }

  epochOf(name: string): number {
    return this.#rows.get(name)?.epoch ?? 0;
  }

  /** The table cannot be asked by the node. */
  cutOff(node: string): void {
    this.#away.add(node);
  }

  reconnect(node: string): void {
    this.#away.delete(node);
  }

  /** An older state of the table, as of the restore of a backup: without the leases. */
  restore(): void {
    this.#rows.clear();
  }

  /** As a process of the node sees it. */
  of(node: string, process = '1'): LeaseTable {
    const me = `${node}/${process}`;
    const asked = (): void => {
      if (this.#away.has(node)) throw new Error('the database is away');
    };
    const whose = (holder: string) => ({ node: holder.split('/', 1)[0]!, isOwn: holder === me });
    const isOwn = (fence: Fence): boolean => this.admits(fence) && fence.holder === me;
    return {
      take: async (name, milliseconds) => {
        asked();
        const before = this.#rows.get(name);
        const isFree = before === undefined || before.until === null || before.until <= this.#clock.now();
        if (!isFree && !before.holder.startsWith(`${node}/`)) return null;
        const epoch = (before?.epoch ?? 0) + 1;
        this.#rows.set(name, { holder: me, epoch, until: this.#clock.now() + milliseconds });
        const isTakenOver = before !== undefined && before.until !== null;
        return { holder: me, epoch, isTakenOver, head: this.head };
      },
      renew: async (held, milliseconds) => {
        asked();
        for (const fence of held)
          if (isOwn(fence)) this.#rows.get(fence.name)!.until = this.#clock.now() + milliseconds;
        return [...this.#rows].flatMap(([name, { holder, epoch, until }]) =>
          until === null || until <= this.#clock.now()
            ? []
            : [{ name, epoch, ...whose(holder), millisecondsLeft: until - this.#clock.now() }],
        );
      },
      release: async (held) => {
        asked();
        for (const fence of held) if (isOwn(fence)) this.#rows.get(fence.name)!.until = null;
      },
    };
  }
}
