/**
 * Given events, when these come, then a table has these rows: examples of projections.
 *
 *     givenProjection(tasks).when([{ stream: 'task-1', type: 'TaskCreated', data }]).thenRows([{ id: '1', … }]);
 */
import type { AnyEvent } from '../commands/decider.ts';
import type { Projection, Seen } from '../projections/projection.ts';
import { openViews, type Row, type Views } from '../projections/views.ts';
import { assertSame } from './difference.ts';

/** An event of a stream as a test writes it; positions are given in order, from 1. */
export type StreamEvent = AnyEvent & { readonly stream: string; readonly at?: number; readonly actor?: string };

export interface GivenProjection {
  /** The read model: for queries. */
  readonly views: Views;
  when(events: readonly StreamEvent[]): GivenProjection;
  /** The rows of the table, in the order of its first columns; of the only table when none is named. */
  thenRows(expected: readonly Row[], table?: string): void;
  /** What a query of the read model answers. */
  thenAnswer<Answer>(query: (views: Views) => Answer, expected: Answer): void;
}

/** Tables in memory, with the fold of the events in them. */
export function givenProjection(projection: Projection, events: readonly StreamEvent[] = []): GivenProjection {
  const { create, on, tables } = projection;
  const views = openViews(null);
  views.exec(create);
  let position = 0;
  const given: GivenProjection = {
    views,
    when(more) {
      for (const event of more) {
        position += 1;
        const seen: Seen = { at: position, actor: 'owner', ...event, position };
        on[event.type]?.(views, seen);
      }
      views.flush();
      return given;
    },
    thenRows(expected, table = onlyOne(tables)) {
      const rows = views.all(`SELECT * FROM ${table} ORDER BY 1`);
      assertSame(rows, expected, `The rows of ${table} differ`);
    },
    thenAnswer(query, expected) {
      assertSame(query(views), expected, 'The answer of the query differs');
    },
  };
  return given.when(events);
}

function onlyOne(tables: readonly string[]): string {
  if (tables.length !== 1) throw new Error(`Name one of the tables ${tables.join(', ')}.`);
  return tables[0]!;
}
