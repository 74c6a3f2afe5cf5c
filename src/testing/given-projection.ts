/**
 * Example-based tests of projections: given events, when further events come, then a table has these rows.
 *
 *     givenProjection(tasks).when([{ stream: 'task-1', type: 'TaskCreated', data }]).thenRows([{ id: '1', … }]);
 */
import type { AnyEvent } from '../commands/decider.ts';
import type { Projection, Seen } from '../projections/projection.ts';
import { openViews, type Row, type Views } from '../projections/views.ts';
import { requireSqlite } from '../storage/sqlite.ts';
import { assertSame } from './difference.ts';

/** An event of a stream as a test writes it; positions are assigned in order, from 1. */
export type StreamEvent = AnyEvent & { readonly stream: string; readonly at?: number; readonly actor?: string };

export interface GivenProjection {
  /** The read model, for queries. */
  readonly views: Views;
  when(events: readonly StreamEvent[]): GivenProjection;
  /** Asserts the rows of a table in order of its first column; by default of the only table. */
  thenRows(expected: readonly Row[], table?: string): void;
  /** Asserts the result of a query of the read model. */
  thenAnswer<Answer>(query: (views: Views) => Answer, expected: Answer): void;
}

/** Folds the events into tables in memory. */
export function givenProjection(projection: Projection, events: readonly StreamEvent[] = []): GivenProjection {
  const { create, on, tables } = projection;
  requireSqlite();
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
