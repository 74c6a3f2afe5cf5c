/** Removes the vectors of deleted entries, which remain after a crash or while another model is in use. */
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { VECTOR_KINDS, type VectorFiles, type VectorRef } from '../../../ports/vector-files.ts';
import { existingKeys } from '../../../projections/memory/vectored.ts';
import type { Views } from '../../../projections/views.ts';

export interface StrayParts {
  readonly files: VectorFiles;
  readonly views: Views;
  /** False while the views are rebuilt, because they are incomplete. */
  readonly isReadable: () => boolean;
  readonly pause: () => Promise<void>;
  readonly forget: (refs: readonly VectorRef[]) => void;
}

/** Reads every file, page by page. No event is folded between reading a page and forgetting its strays. */
export async function dropStrays(parts: StrayParts, signal: AbortSignal): Promise<void> {
  const { files, views, isReadable, pause, forget } = parts;
  for (const file of files.list()) {
    for (let after = 0; !signal.aborted; ) {
      if (!isReadable()) {
        await pause();
        continue;
      }
      const page = files.page(file, after);
      if (page.length === 0) break;
      const strays = straysIn(views, page);
      if (strays.length > 0) forget(strays);
      after = page.at(-1)!.id;
      await yieldToOthers();
    }
  }
}

function straysIn(views: Views, page: readonly VectorRef[]): readonly VectorRef[] {
  return VECTOR_KINDS.flatMap((kind) => {
    const refs = page.filter((ref) => ref.kind === kind);
    const keys = refs.map(({ key }) => key);
    const existing = existingKeys(views, kind, keys);
    return refs.filter(({ key }) => !existing.has(key));
  });
}
