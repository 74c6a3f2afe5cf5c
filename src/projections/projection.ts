/** The type of every projection: a pure fold of events into rows, with a version. */
import type { Views } from './views.ts';

/** An event as folds see it. */
export interface Seen<Data = unknown> {
  readonly position: number;
  readonly stream: string;
  readonly type: string;
  readonly at: number;
  readonly actor: string;
  readonly data: Data;
  /** The payload was erased: `data` is what the definition names for this case, not what happened. */
  readonly erased?: true | undefined;
}

export interface Projection {
  readonly name: string;
  /** Bumped when tables or folds change: the projection, and only it, is rebuilt at the next start. */
  readonly version: number;
  /** Tables it owns, dropped before a rebuild. */
  readonly tables: readonly string[];
  /**
   * A table is WITHOUT ROWID when its rows are short, or are mostly read many at a time in the order of their keys.
   * Other rows with texts of any length need a rowid: without one, SQLite reads a row of more than a quarter of a page
   * whole for each comparison of its key.
   */
  readonly create: string;
  readonly on: Readonly<Record<string, (views: Views, event: Seen) => void>>;
  /** Completes the folds of consecutive events, in their transaction, with what takes less time for all at once. */
  readonly complete?: (views: Views) => void;
}

/** Rows about one stream, numbered from 1 in log order. Clients follow them: the stored rows, then new ones. */
export interface NumberedRows {
  /** A name that is unique among everything that clients follow. */
  readonly name: string;
  /** The category of the streams from whose events the rows are folded. */
  readonly category: string;
  /** The newest number of the stream with this id, 0 when it has no rows. */
  newest(views: Views, id: string): number;
  /** The rows after a number, in order, at most `limit`. Fewer only at the end. */
  page(views: Views, id: string, page: { readonly after: number; readonly limit: number }): readonly NumberedRow[];
  /** Whether no further row will be added. */
  isComplete(views: Views, id: string): boolean;
}

export interface NumberedRow {
  readonly seq: number;
  readonly json: string;
}

/** The id in a stream name `<category>-<id>`. */
export function idOf(stream: string): string {
  return stream.slice(stream.indexOf('-') + 1);
}

/** Gives the handlers of one event table their types, which the projector does not need. */
export function handlers<Event extends { readonly type: string; readonly data: unknown }>(
  table: {
    readonly [Type in Event['type']]?: (views: Views, event: Seen<Extract<Event, { type: Type }>['data']>) => void;
  },
): Projection['on'] {
  return table as Projection['on'];
}
