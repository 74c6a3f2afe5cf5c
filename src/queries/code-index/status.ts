/** The state of the code index: the configured model, the indexes on disk, and the last build. */
import type { CodeIndexPort } from '../../ports/code-index.ts';
import { type EmbeddersPort, recordedChoice } from '../../ports/embedder.ts';
import { newestIndexBuild } from '../../projections/code-index.ts';
import type { Views } from '../../projections/views.ts';
import { isSameModel } from '../embedding/choice.ts';

export interface IndexStatusContext {
  readonly views: Views;
  readonly embedders: EmbeddersPort;
  readonly codeIndex: CodeIndexPort;
}

export async function indexStatus({ views, embedders, codeIndex }: IndexStatusContext) {
  const selected = embedders.selected();
  const { available, unusable } = await codeIndex.verify();
  const current = available.find(({ model }) => isSameModel(model, selected)) ?? null;
  const { text: description } = embedders.describe(selected);
  const last_build = lastBuild(views, codeIndex.workspace);
  const { workspace } = codeIndex;
  return { workspace, selected, description, built: current !== null, current, available, unusable, last_build };
}

function lastBuild(views: Views, workspace: string) {
  const last = newestIndexBuild(views, workspace);
  if (last === undefined) return null;
  const { state, requested_at, finished_at, message } = last;
  return { model: recordedChoice(last), state, requested_at, finished_at, message };
}
