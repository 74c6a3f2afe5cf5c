/**
 * `daybook log check-schema`: which stored events are of an older schema and are upcast when they are read, and which
 * fit no schema at all, as those of a newer program. Changes nothing.
 */
import { homeOf } from '../../config/load.ts';
import { decodeEvent, EventSchemaError, NewerEventError, UNKNOWN_TYPE_FAULT } from '../../events/decode.ts';
import type { EventTable } from '../../events/define.ts';
import type { Envelope } from '../../events/envelope.ts';
import { type FoldedCategories, projectionsOf } from '../../streams/fold.ts';
import type { AnswerOptions } from '../options.ts';
import { createProgress, type Progress } from '../progress.ts';
import { counted, print, printable, printJson } from '../text.ts';
import { openLogSource } from './source.ts';

interface EventCount {
  readonly type: string;
  readonly schema: number;
  events: number;
}

type Misfit = Pick<EventSchemaError, 'position' | 'stream' | 'type' | 'schema' | 'field' | 'fault'>;

interface SchemaReport {
  readonly ok: boolean;
  readonly events: number;
  /** Events whose payload was erased. They are not checked. */
  readonly erased: number;
  /** Older schemas that are upcast when they are read. */
  readonly upcast: readonly (EventCount & { readonly to: number })[];
  /** Types that this program does not know, in categories that it does not know either. They are skipped. */
  readonly unknown: readonly EventCount[];
  readonly misfit_count: number;
  /** The first `MISFITS_MAX` of them. */
  readonly misfits: readonly Misfit[];
}

const MISFITS_MAX = 100;

export async function checkSchema(options: AnswerOptions): Promise<void> {
  const { eventTable, resources } = await import('../../resources.ts');
  const { categoriesOf } = await import('../../resource.ts');
  await using source = await openLogSource(homeOf(process.env, options));
  using progress = createProgress('checking');
  const { position: total } = await source.head();
  const report = await examined(source.events({ after: 0, through: total }), {
    ...{ table: eventTable, categories: categoriesOf(resources), progress, total },
  });
  progress.end();
  if (!report.ok) process.exitCode = 1;
  await (options.json === true ? printJson(report) : print(textOf(report)));
}

interface Work {
  readonly table: EventTable;
  readonly categories: FoldedCategories;
  readonly progress: Pick<Progress, 'at'>;
  readonly total: number;
}

export async function examined(
  events: AsyncIterable<Envelope>,
  { table, categories, progress, total }: Work,
): Promise<SchemaReport> {
  const counts = { events: 0, erased: 0, misfit_count: 0 };
  const older = new Map<string, EventCount>();
  const unknown = new Map<string, EventCount>();
  const misfits: Misfit[] = [];
  for await (const event of events) {
    counts.events += 1;
    progress.at(counts.events, total);
    try {
      const { kind } = decodeEvent(table, event);
      if (kind === 'unknown' && projectionsOf(event.stream, categories) !== undefined) {
        throw new NewerEventError(event, UNKNOWN_TYPE_FAULT);
      }
      if (kind === 'unknown') count(unknown, event);
      else if (event.erased === true) counts.erased += 1;
      else if (event.schema < table[event.type]!.version) count(older, event);
    } catch (error) {
      if (!(error instanceof EventSchemaError)) throw error;
      counts.misfit_count += 1;
      const { position, stream, type, schema, field, fault } = error;
      if (misfits.length < MISFITS_MAX) misfits.push({ position, stream, type, schema, field, fault });
    }
  }
  const upcast = [...older.values()].map((each) => ({ ...each, to: table[each.type]!.version }));
  return { ok: misfits.length === 0, ...counts, upcast, unknown: [...unknown.values()], misfits };
}

function count(counts: Map<string, EventCount>, { type, schema }: Envelope): void {
  const key = `${schema} ${type}`;
  const known = counts.get(key);
  if (known === undefined) counts.set(key, { type, schema, events: 1 });
  else known.events += 1;
}

function textOf({ ok, events, erased, upcast, unknown, misfit_count, misfits }: SchemaReport): string {
  const lines = [
    ok
      ? `ok: ${counted(events, 'event')}, each fits its schema`
      : `NOT ok: ${misfit_count} of ${counted(events, 'event')} fit no schema`,
    ...upcast.map((each) => `  ${each.events} ${each.type} of schema ${each.schema}: upcast to ${each.to} when read`),
    ...unknown.map((each) => `  ${each.events} ${printable(each.type)} of schema ${each.schema}: unknown, passed over`),
    ...(erased === 0 ? [] : [`  ${erased} erased: their payload is gone`]),
    ...misfits.map(({ position, type, schema, field, fault }) => {
      const place = field === '' ? 'data' : `data.${field}`;
      return `  position ${position}: ${type} of schema ${schema}: ${printable(place)}: ${printable(fault)}`;
    }),
    ...(misfit_count > misfits.length ? [`  and ${misfit_count - misfits.length} more`] : []),
  ];
  return `${lines.join('\n')}\n`;
}
