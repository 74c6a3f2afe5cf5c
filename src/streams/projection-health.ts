/**
 * Which projections are folded, and why the others are not.
 *
 * - A projection fails when its fold throws or an event that it folds has data that fits no schema. It is not folded
 *   again before a rebuild or the next start.
 * - A projection is outdated when it meets an event of a newer program. Its rows would be a guess, so its tables are
 *   refused to readers.
 */
import { NewerEventError } from '../events/decode.ts';
import type { Projection } from '../projections/projection.ts';
import type { ViewsStore } from '../projections/views.ts';
import { FoldError } from './fold.ts';

export interface ProjectionHealthParts {
  readonly store: ViewsStore;
  readonly projections: readonly Projection[];
  readonly report: (message: string) => void;
}

/** The state of each projection. */
export class ProjectionHealth {
  readonly #parts: ProjectionHealthParts;
  readonly #failures = new Map<string, string>();
  readonly #outdated = new Map<string, string>();

  constructor(parts: ProjectionHealthParts) {
    this.#parts = parts;
  }

  /** Error message by the name of the failed projection. */
  get failures(): ReadonlyMap<string, string> {
    return this.#failures;
  }

  /** A sentence for clients by the name of the outdated projection. */
  get outdated(): ReadonlyMap<string, string> {
    return this.#outdated;
  }

  /** The projections that are folded. */
  get healthy(): readonly Projection[] {
    return this.#parts.projections.filter(({ name }) => !this.#failures.has(name) && !this.#outdated.has(name));
  }

  get areAllHealthy(): boolean {
    return this.#failures.size === 0 && this.#outdated.size === 0;
  }

  /** Folds all projections again. */
  reset(): void {
    this.#failures.clear();
    this.#outdated.clear();
    this.#parts.store.refuse(new Map());
  }

  /** Takes out the projection that a `FoldError` names; for any other error all that are healthy. */
  takeOut(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof FoldError && error.cause instanceof NewerEventError) {
      this.#outdated.set(error.projection, error.cause.sentence);
      this.#refuseOutdated();
    } else {
      const atFault = error instanceof FoldError ? [error.projection] : this.healthy.map(({ name }) => name);
      for (const name of atFault) this.#failures.set(name, message);
    }
    this.#parts.report(message);
  }

  #refuseOutdated(): void {
    const { store, projections } = this.#parts;
    const reasons = projections.flatMap(({ name, tables }) => {
      const reason = this.#outdated.get(name);
      return reason === undefined ? [] : tables.map((table) => [table, reason] as const);
    });
    store.refuse(new Map(reasons));
  }
}
