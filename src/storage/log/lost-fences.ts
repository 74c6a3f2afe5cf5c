/** The leases that the primary of a log has refused. Epochs only grow, so a refused lease stays lost. */
import { StorageError } from '../errors.ts';
import type { Fence } from '../event-log.ts';

const LOST_FENCES_MAX = 1_024;

/** The refused leases of one log. */
export class LostFences {
  readonly #keys = new Set<string>();

  /** Forgets the earlier ones when there are `LOST_FENCES_MAX`: the primary refuses them again. */
  add(fences: readonly Fence[]): void {
    if (this.#keys.size >= LOST_FENCES_MAX) this.#keys.clear();
    for (const fence of fences) this.#keys.add(keyOf(fence));
  }

  /** Throws `STORAGE_FENCED` for a lease that is known to be lost. */
  check(fences: readonly Fence[]): void {
    const lost = fences.find((fence) => this.#keys.has(keyOf(fence)));
    if (lost === undefined) return;
    throw new StorageError(
      'STORAGE_FENCED',
      `The lease ${lost.name} (epoch ${lost.epoch}) was lost to another holder.`,
    );
  }
}

/** Each fence once. */
export function distinctFences(fences: readonly Fence[]): readonly Fence[] {
  return [...new Map(fences.map((fence) => [keyOf(fence), fence])).values()];
}

function keyOf({ name, holder, epoch }: Fence): string {
  return JSON.stringify([name, holder, epoch]);
}
