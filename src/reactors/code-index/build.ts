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
import { EmbedderError, type EmbeddersPort, recordedChoice } from '../../ports/embedder.ts';
import { isFenced, waitingFor } from '../../streams/log-refusals.ts';
import type { EffectScope, Reactor } from '../../streams/reactor.ts';
import type { IndexProgress } from './progress.ts';

export interface IndexBuildParts {
  readonly codeIndex: CodeIndexPort;
  readonly embedders: EmbeddersPort;
  readonly clock: Clock;
  readonly progress: IndexProgress;
}

type Scope = EffectScope<IndexBuildCommand, IndexBuildState>;

interface BuildEffect {
  readonly build: string;
  readonly target: IndexTarget;
}

const NOT_RECORDED = 'The build failed, and its end cannot be recorded.';

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
    failure,
    rested: (id) => progress.ended(id),
    async perform(effect, scope) {
      try {
        await build(parts, effect, scope);
      } catch (error) {
        if (!scope.signal.aborted) await settle(progress, scope, error);
        throw error;
      }
    },
  };
}

async function build(
  { codeIndex, embedders, clock, progress }: IndexBuildParts,
  { build, target }: BuildEffect,
  { id, signal, send }: Scope,
): Promise<void> {
  const choice = recordedChoice(target);
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

/** Ends the waiting requests: by the recorded failure or, when the log does not take it, without an event. */
async function settle(progress: IndexProgress, { id, send }: Scope, error: unknown): Promise<void> {
  const wait = waitingFor(error);
  if (wait !== null) return progress.broke(id, wait.note);
  // The daemon that took the build over records its end.
  if (isFenced(error)) return;
  try {
    await send(failure((error as Error).message));
  } catch (second) {
    if (!isFenced(second)) progress.broke(id, waitingFor(second)?.note ?? NOT_RECORDED);
  }
}

function failure(message: string): IndexBuildCommand {
  return { type: 'AbandonIndexBuild', reason: 'failed', message: `Internal error: ${message}` };
}
