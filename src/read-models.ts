/** The views as a program has them: opened, folded from the log, and refused while they cannot be read. */
import { type CheckpointsElsewhere, openViews, removeViews, type ViewsStore } from './projections/views.ts';
import { isDiskFull, isOutOfReach, viewsFailure } from './projections/views-failures.ts';
import type { CatchUpProgress } from './streams/fold-ahead.ts';
import { Projector, type ProjectorParts } from './streams/projector.ts';

/**
 * Opens the views in the file `path`; null keeps them in memory. Where `checkpoints` is left out they are made here.
 *
 * Views that cannot be opened are thrown away and folded again from the log, unless it is the medium that refuses. On a
 * full disk they are folded into memory: the file follows at the next start.
 */
export function openProjector(
  path: string | null,
  {
    checkpoints,
    ...parts
  }: Omit<ProjectorParts, 'store'> & { readonly checkpoints?: CheckpointsElsewhere | undefined },
): { readonly views: ViewsStore; readonly projector: Projector } {
  const open = (place: string | null): { views: ViewsStore; projector: Projector } => {
    const views = openViews(place, checkpoints);
    const report = (why: string): void => parts.report(`The views in ${place ?? 'memory'}: ${why}`);
    return { views, projector: new Projector({ ...parts, store: views, report }) };
  };
  try {
    return openWithRoom(() => open(path), parts.makeRoom);
  } catch (error) {
    if (path === null) throw error;
    const what = `The views in ${path} cannot be opened (${(error as Error).message})`;
    if (isDiskFull(error)) {
      parts.report(`${what}: they are kept in memory until the next start.`);
      return open(null);
    }
    if (isOutOfReach(error)) {
      throw new Error(`${what}. Make room on the disk; if there is, remove the file: it is made again from the log.`);
    }
    parts.report(`${what}; they are rebuilt from the log.`);
    removeViews(path);
    return open(path);
  }
}

/** Opens as often as room can be made for it. */
function openWithRoom<Opened>(open: () => Opened, makeRoom: () => boolean = () => false): Opened {
  for (;;) {
    try {
      return open();
    } catch (error) {
      if (!isDiskFull(error) || !makeRoom()) throw error;
    }
  }
}

/** Folding the log into the views, and why these cannot be read while it goes on or after it failed. */
export function foldingOf(projector: Projector, views: ViewsStore) {
  let state: string | null = 'The views are being opened.';
  const fold = async (work: (progress: CatchUpProgress) => Promise<void>): Promise<void> => {
    state ??= 'The views are being rebuilt from the log.';
    try {
      await work((done, total) => {
        state = `The views are being rebuilt from the log: ${done} of ${total} events.`;
      });
      state = null;
    } catch (error) {
      // What stalled is tried again by the projector itself.
      state = projector.stalled === null ? viewsFailure([(error as Error).message]) : null;
      throw error;
    }
  };
  return {
    unavailable() {
      const { stalled, failures } = projector;
      if (stalled !== null) return viewsFailure([stalled]);
      if (state !== null || (views.damage === null && failures.size === 0)) return state;
      return viewsFailure([...(views.damage === null ? [] : [views.damage]), ...failures.values()]);
    },
    /** Why a part of the views is refused: newer programs wrote events that are not known here; null: none is. */
    outdated(): string | null {
      const [sentence] = projector.outdated.values();
      return sentence ?? null;
    },
    catchUp: () => fold((progress) => projector.catchUp(progress)),
    rebuild: () => fold((progress) => projector.rebuild(progress)),
  };
}
