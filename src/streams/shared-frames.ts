/**
 * Stored frames, then live ones, for any number of subscribers of one numbered sequence. A subscriber reads from the
 * store until it has caught up, then from the replay buffer.
 *
 * - Numbers ascend. A subscriber gets every frame after its cursor exactly once and in order, also at the change from
 *   the store to the buffer.
 * - Nothing is queued per subscriber. One whose consumer takes nothing while 1 024 frames or 1 MiB are published ends
 *   with an error; reading stored frames slowly is no reason.
 * - The replay buffer saves reads: without it subscribers get the same frames from the store.
 * - The buffer and the subscription to the source exist while there is a subscriber.
 */
import { defer, finalize, type Observable, share, tap } from 'rxjs';
import { type Pace, paced } from './operators.ts';
import { pull } from './pull.ts';
import { type Entry, type Frame, oneWrite, ReplayBuffer, type Totals, Write } from './replay-buffer.ts';

export const BEHIND_FRAMES_MAX = 1_024;
export const BEHIND_BYTES_MAX = 1_048_576;

/** A numbered sequence: its stored entries and its live frames. */
export interface FrameSource {
  /** The number of the newest entry, 0 when there is none. */
  head(): number;
  /** Stored entries after a number, in order and lazily. */
  read(after: number): Iterable<Entry>;
  /** The frames that are stored from now on; `after` is the head. Completes when no more will come. */
  live(after: number): Observable<readonly Frame[]>;
  /** Emits when stored entries have changed; frames that were published before are read again from the store. */
  readonly changed$?: Observable<unknown>;
}

export interface FollowOptions {
  /** Frames after this number. */
  readonly after: number;
  /** Emits when the last write was taken, and so asks for one more. Subscribing asks for the first one. */
  readonly demand$: Observable<unknown>;
}

/** The consumer took nothing and is too far behind; it may subscribe again and read on from the store. */
export class FellBehind extends Error {}

/** Writes for one consumer, one at a time. Completes after the last frame; errors with `FellBehind`. */
export type Follow = (options: FollowOptions) => Observable<Write>;

export interface ShareOptions {
  /** Called when the last subscriber has left, and when the source has completed. */
  readonly idle?: () => void;
  readonly pace?: Pace;
}

/** Shares one sequence. The function that it returns subscribes from a cursor. */
export function shareFrames(source: FrameSource, { idle = () => undefined, pace }: ShareOptions = {}): Follow {
  let buffer = new ReplayBuffer(0);
  const news$ = defer(() => {
    buffer = new ReplayBuffer(source.head());
    const changes = source.changed$?.subscribe(() => buffer.clear());
    return source.live(buffer.newest).pipe(finalize(() => changes?.unsubscribe()));
  }).pipe(
    tap((frames) => buffer.push(frames)),
    paced(pace),
    finalize(idle),
    share(),
  );

  /** The next write after the cursor, and the cursor after that write. */
  function following(cursor: number): { readonly write: Write | null; readonly cursor: number } {
    if (buffer.reaches(cursor)) {
      const write = buffer.following(cursor);
      return { write, cursor: write?.through ?? cursor };
    }
    const { frames, through = cursor, isAll } = oneWrite(source.read(cursor));
    // What is published is stored: when the store has no more, nothing was published between `through` and the newest.
    const reached = isAll ? Math.max(through, buffer.newest) : through;
    return { write: frames.length === 0 ? null : new Write(frames), cursor: reached };
  }

  return ({ after, demand$ }) =>
    defer(() => {
      let cursor = after;
      let publishedBefore: Totals = buffer.published;
      return pull({
        demand$,
        news$,
        next() {
          const step = following(cursor);
          cursor = step.cursor;
          publishedBefore = buffer.published;
          return step.write;
        },
        isCurrent: () => cursor >= buffer.newest,
        whileBlocked() {
          if (isTooMuch(publishedBefore, buffer.published)) throw new FellBehind('The consumer takes nothing.');
        },
      });
    });
}

function isTooMuch(before: Totals, now: Totals): boolean {
  return now.frames - before.frames > BEHIND_FRAMES_MAX || now.bytes - before.bytes > BEHIND_BYTES_MAX;
}
