/** Helpers of the event log tests: the builders of its contract, and engines that fail or wait on demand. */
import type { Change, CommitOptions, KeyValueEngine } from '../../src/storage/engine.ts';
import type { StorageError } from '../../src/storage/errors.ts';
import { replacing } from '../support/replacing.ts';

export { event, fill, idOf, positionsOf, to } from '../../src/testing/event-log-contract/case.ts';

/** An engine whose commits can be made to fail or to wait. */
export function controlled(engine: KeyValueEngine) {
  const control = {
    /** The value of `engine.failure`. */
    failure: null as StorageError | null,
    failNext: null as StorageError | null,
    commits: [] as { readonly batch: readonly Change[]; readonly options: CommitOptions }[],
    gate: Promise.resolve(),
    /** Holds commits back until the returned function is called. */
    hold(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      control.gate = promise;
      return resolve;
    },
  };
  const commit = async (batch: readonly Change[], options: CommitOptions): Promise<void> => {
    control.commits.push({ batch, options });
    await control.gate;
    const failure = control.failNext;
    control.failNext = null;
    if (failure !== null) throw failure;
    await engine.commit(batch, options);
  };
  const members = {
    commit,
    get failure() {
      return control.failure;
    },
  };
  return { engine: replacing(engine, members), control };
}
