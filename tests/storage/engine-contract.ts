/**
 * The contract suite of `KeyValueEngine`. Each engine's test file runs it: `engineContract('cow', …)`.
 *
 * `open(directory)` opens the engine in an empty folder; opening the same folder again after `close` is a reopen.
 */
import { join } from 'node:path';
import { afterEach, beforeEach, describe } from 'vitest';
import { memoryFolder } from '../support/folders.ts';
import { readsAndWrites } from './engine-contract/commits.ts';
import type { Context } from './engine-contract/helpers.ts';
import { limits } from './engine-contract/limits.ts';
import { ranges } from './engine-contract/ranges.ts';
import { snapshots } from './engine-contract/snapshots.ts';
import { lifecycle, maintenance, type OpenEngine, persistence } from './engine-contract/upkeep.ts';

export interface ContractOptions {
  /** false for `memory`: nothing survives `close`, and there is no backup. */
  readonly isPersistent?: boolean;
}

export function engineContract(name: string, open: OpenEngine, { isPersistent = true }: ContractOptions = {}): void {
  describe(`engine contract: ${name}`, () => {
    const context = {} as Context;
    const reopen = async (): Promise<void> => {
      await context.engine.close();
      context.engine = await open(context.directory);
    };

    beforeEach(async () => {
      context.root = memoryFolder('engine');
      context.directory = join(context.root, 'store');
      context.engine = await open(context.directory);
    });
    afterEach(() => context.engine.close());

    readsAndWrites(context);
    ranges(context);
    snapshots(context);
    limits(context);
    lifecycle(context);
    maintenance(context);
    if (isPersistent) persistence(context, { open, reopen });
  });
}
