/** The decider of index builds: one at a time for each index; a request during a build joins that build. */
import { type IndexBuildEvent, type IndexOutcome, type IndexTarget, indexBuildEvents } from '../events/code-index.ts';
import type { DataOf } from '../events/define.ts';
import type { Decider } from './decider.ts';

type Failure = DataOf<IndexBuildEvent, 'IndexBuildFailed'>['reason'];

export type IndexBuildCommand =
  | { readonly type: 'RequestIndexBuild'; readonly build: string; readonly target: IndexTarget }
  | { readonly type: 'CompleteIndexBuild'; readonly build: string; readonly outcome: IndexOutcome }
  | {
      readonly type: 'FailIndexBuild';
      readonly build: string;
      readonly reason: Failure;
      readonly message: string;
    }
  /** Ends the build in progress, whatever its id is. */
  | { readonly type: 'AbandonIndexBuild'; readonly reason: Failure; readonly message: string };

/** The build under way, or null. */
export interface IndexBuildState {
  readonly building: { readonly build: string; readonly target: IndexTarget } | null;
}

export const indexBuild: Decider<IndexBuildCommand, IndexBuildState, IndexBuildEvent> = {
  category: 'index',
  events: indexBuildEvents,
  initial: { building: null },
  decide(command, { building }) {
    if (command.type === 'RequestIndexBuild') {
      const { build, target } = command;
      return building === null ? [{ type: 'IndexBuildRequested', data: { build, target } }] : [];
    }
    if (building === null) return [];
    switch (command.type) {
      case 'CompleteIndexBuild': {
        const { build, outcome } = command;
        return build === building.build ? [{ type: 'IndexBuilt', data: { build, outcome } }] : [];
      }
      case 'FailIndexBuild': {
        const { build, reason, message } = command;
        return build === building.build ? [{ type: 'IndexBuildFailed', data: { build, reason, message } }] : [];
      }
      case 'AbandonIndexBuild': {
        const { reason, message } = command;
        return [{ type: 'IndexBuildFailed', data: { build: building.build, reason, message } }];
      }
    }
  },
  evolve(_state, event) {
    switch (event.type) {
      case 'IndexBuildRequested':
        return { building: event.data };
      case 'IndexBuilt':
      case 'IndexBuildFailed':
        return { building: null };
    }
  },
};
