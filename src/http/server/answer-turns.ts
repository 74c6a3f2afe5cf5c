/**
 * When answers are written: all answers of one turn of the event loop at its end, after the requests of the turn were
 * read. A write wakes a client that waits, which takes the kernel longer than a read of a view. A client that is awake,
 * because it reads the answer before, needs no waking.
 *
 * - A caller that sends one request at a time does not wait: the first answer of a turn is written at once, unless the
 *   turn before had several.
 * - No answer waits for a slice of long work, which would come before it.
 */
import { isSliceDue } from '../../lib/slices.ts';

export class AnswerTurns {
  #end: Promise<void> | null = null;
  #answers = 0;
  #hadSeveral = false;

  /** Counts an answer. Returns undefined when it is written at once, else a promise of the end of this turn. */
  end(): Promise<void> | undefined {
    this.#end ??= new Promise((ended) => {
      setImmediate(() => {
        this.#end = null;
        this.#hadSeveral = this.#answers > 1;
        this.#answers = 0;
        ended();
      });
    });
    this.#answers += 1;
    return (this.#hadSeveral || this.#answers > 1) && !isSliceDue() ? this.#end : undefined;
  }
}
