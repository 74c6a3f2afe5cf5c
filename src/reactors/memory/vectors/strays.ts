/** Vectors of entries that left while nobody could tell: after a crash, or while another model was chosen. */
import { setImmediate as breathe } from 'node:timers/promises';
import { VECTOR_KINDS, type VectorFiles, type VectorRef } from '../../../ports/vector-files.ts';
import { thoseThere } from '../../../projections/memory/vectored.ts';
import type { Views } from '../../../projections/views.ts';

export interface StrayParts {
  readonly files: VectorFiles;
  readonly views: Views;
  /** Views that are being folded anew show less than there is. */
  readonly isReadable: () => boolean;
  readonly pause: () => Promise<void>;
  readonly forget: (refs: readonly VectorRef[]) => void;
}

/** Looks through every file, page by page. What it reads and what it forgets on it belong to one moment. */
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
      await breathe();
    }
  }
}

function straysIn(views: Views, page: readonly VectorRef[]): readonly VectorRef[] {
  return VECTOR_KINDS.flatMap((kind) => {
    const refs = page.filter((ref) => ref.kind === kind);
    const keys = refs.map(({ key }) => key);
    const there = thoseThere(views, kind, keys);
    return refs.filter(({ key }) => !there.has(key));
  });
}
