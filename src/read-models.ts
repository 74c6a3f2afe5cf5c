/** Opens the views, folds the log into them, and says why they cannot be read while that goes on or after it failed. */
import { type CheckpointsElsewhere, openViews, removeViews, type ViewsStore } from './projections/views.ts';
import { isDiskFull, isOutOfReach, viewsFailure } from './projections/views-failures.ts';
import type { CatchUpProgress } from './streams/fold-ahead.ts';
import { Projector, type ProjectorParts } from './streams/projector.ts';

/**
 * Opens the views in the file `path`; null keeps them in memory. Without `checkpoints`, this thread runs the checkpoints.
 *
 * Views that cannot be opened are deleted and rebuilt from the log, except when the disk or the system is the cause. On
 * a full disk the views are kept in memory until the next start.
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
      const remedy = 'Make room on the disk, or make the file writable; or remove it: it is made again from the log.';
      throw new Error(`${what}. ${remedy}`);
    }
    parts.report(`${what}; they are rebuilt from the log.`);
    removeViews(path);
    return open(path);
  }
}

/** Opens the views, and retries on a full disk while `makeRoom` frees space. */
function openWithRoom<Opened>(open: () => Opened, makeRoom: () => boolean = () => false): Opened {
  for (;;) {
    try {
      return open();
    } catch (error) {
      if (!isDiskFull(error) || !makeRoom()) throw error;
    }
  }
}

/** Folds the log into the views. `unavailable` is the reason why they cannot be read, null when they can. */
export function foldingOf(projector: Projector, views: ViewsStore) {
  let state: string | null = 'The views are being opened.';
  const fold = async (work: (progress: CatchUpProgress) => Promise<void>): Promise<void> => {
    try {
      await work((done, total) => {
        state = `The views are being rebuilt from the log: ${done} of ${total} events.`;
      });
      state = null;
    } catch (error) {
      // The projector retries a stalled fold itself.
      state = projector.stalled === null ? viewsFailure([(error as Error).message]) : null;
      throw error;
    }
  };
  return {
    unavailable() {
      const { stalled, failures, isFollowing } = projector;
      if (stalled !== null) return viewsFailure([stalled]);
      if (state === null && !isFollowing) return 'The views are being rebuilt from the log.';
      if (state !== null || (views.damage === null && failures.size === 0)) return state;
      return viewsFailure([...(views.damage === null ? [] : [views.damage]), ...failures.values()]);
    },
    /** Why a part of the views is refused: newer versions wrote events that this one does not know. Null: none is. */
    outdated(): string | null {
      const [sentence] = projector.outdated.values();
      return sentence ?? null;
    },
    catchUp: () => fold((progress) => projector.catchUp(progress)),
    rebuild: () => fold((progress) => projector.rebuild(progress)),
  };
}
