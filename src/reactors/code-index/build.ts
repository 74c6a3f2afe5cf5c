/**
 * The reactor of index builds: builds the index file and reports the outcome.
 *
 * - A build that a crash ended is recorded as interrupted and not repeated, because some providers charge for it. The
 *   earlier index is still on the disk.
 */
import { type IndexBuildCommand, type IndexBuildState, indexBuild } from '../../commands/code-index.ts';
import type { IndexBuildEvent, IndexTarget } from '../../events/code-index.ts';
import type { Clock } from '../../ports/clock.ts';
import { type CodeIndexPort, IndexError } from '../../ports/code-index.ts';
import {
  EmbedderError,
  type EmbeddersPort,
  type EmbeddingChoice,
  type EmbeddingProvider,
} from '../../ports/embedder.ts';
import type { EffectScope, Reactor } from '../../streams/reactor.ts';
import type { IndexProgress } from './progress.ts';

export interface IndexBuildParts {
  readonly codeIndex: CodeIndexPort;
  readonly embedders: EmbeddersPort;
  readonly clock: Clock;
  readonly progress: IndexProgress;
}

interface BuildEffect {
  readonly build: string;
  readonly target: IndexTarget;
}

export function indexBuilding(
  parts: IndexBuildParts,
): Reactor<IndexBuildCommand, IndexBuildState, IndexBuildEvent, BuildEffect> {
  const { progress } = parts;
  return {
    decider: indexBuild,
    actor: () => 'system',
    next: ({ building }) => (building === null ? undefined : { ...building, key: building.build }),
    recovery: (reason) => ({
      type: 'AbandonIndexBuild',
      reason: 'interrupted',
      message: `The build broke off: ${reason}.`,
    }),
    failure: (message) => ({ type: 'AbandonIndexBuild', reason: 'failed', message: `Internal error: ${message}` }),
    rested: (id) => progress.ended(id),
    async perform(effect, scope) {
      try {
        await build(parts, effect, scope);
      } catch (error) {
        // When the log takes no writes, no end event can settle the waiting requests.
        if (!scope.signal.aborted) progress.broke(scope.id, (error as Error).message);
        throw error;
      }
    },
  };
}

async function build(
  { codeIndex, embedders, clock, progress }: IndexBuildParts,
  { build, target }: BuildEffect,
  { id, signal, send }: EffectScope<IndexBuildCommand, IndexBuildState>,
): Promise<void> {
  const choice = choiceOf(target);
  let end: IndexBuildCommand;
  try {
    const outcome = await codeIndex.build({
      choice,
      embedder: embedders.open(choice),
      signal,
      at: clock.now(),
      progress: (each) => progress.report(id, each),
    });
    const { skipped, notes } = outcome;
    end = { type: 'CompleteIndexBuild', build, outcome: { ...outcome, skipped: { ...skipped }, notes: [...notes] } };
  } catch (error) {
    if (signal.aborted || !(error instanceof EmbedderError || error instanceof IndexError)) throw error;
    const isRefused = error.reason === 'missing_key' || error.reason === 'unknown';
    end = { type: 'FailIndexBuild', build, reason: isRefused ? 'refused' : 'failed', message: error.message };
  }
  await send(end);
}

function choiceOf({ provider, model, dimensions }: IndexTarget): EmbeddingChoice {
  return { provider: provider as EmbeddingProvider, model, ...(dimensions !== null && { dimensions }) };
}
