/**
 * How an event type is declared: its name, the version of its schema, the zod schema that is both type and check, and
 * how data of older versions becomes data of this one. The rules for a change are in docs/decisions/0010.
 */
import { exactOptional, object, type ZodExactOptional, ZodObject, ZodType, type z } from 'zod';
import { faultOf } from './fault.ts';

/** Checks data of one version and converts it to the next version. Throws a ZodError for data that does not fit. */
export type Upcast = (data: unknown) => unknown;

export interface EventDefinition<Type extends string = string, Data extends ZodType = ZodType> {
  readonly type: Type;
  /** Version of `data`, from 1; the envelope of an event has it as `schema`. */
  readonly version: number;
  readonly data: Data;
  /** One step from each earlier version, by that version. */
  readonly upcast: Readonly<Record<number, Upcast>>;
  /**
   * The data that folds get when the payload was erased; folds skip an erased event without it. An event that ends
   * something has it, so that what has ended stays ended. For an event without fields it is `{}`.
   */
  readonly whenErased?: z.infer<Data>;
}

/** Stands for an erased text. */
export const ERASED_TEXT = '(erased)';

/** Definitions by event type. */
export type EventTable<Type extends string = string> = Readonly<Record<Type, EventDefinition>>;

/**
 * A schema with earlier versions: its present version, its present schema, and one upcast step from each earlier
 * version.
 */
export interface Revision<Data extends ZodType> {
  readonly version: number;
  readonly data: Data;
  readonly upcast: Readonly<Record<number, Upcast>>;
}

/**
 * Defines an event type: by its schema while there is one version, by a revision when there are several.
 *
 *     define('TaskRenamed', z.object({ title: z.string() }))
 *     define('TaskRenamed', { version: 2, data: zRenamed, upcast: { 1: from(zRenamedV1, (v1) => ({ … })) } })
 *
 * Defaults and transforms of a schema apply before an append, not to stored data of the newest version: a field that
 * stored events may lack is `optional`, or the definition gets a new version.
 *
 * Throws when a version has no step to the next one.
 */
export function define<Type extends string, Data extends ZodType>(
  type: Type,
  given: Data | Revision<Data>,
  options: Pick<EventDefinition<Type, Data>, 'whenErased'> = {},
): EventDefinition<Type, Data> {
  const { version, data, upcast } = given instanceof ZodType ? { version: 1, data: given, upcast: {} } : given;
  for (let older = 1; older < version; older += 1) {
    if (upcast[older] === undefined) throw new Error(`${type} has no upcast from version ${older} to ${older + 1}.`);
  }
  const whenErased = options.whenErased ?? (hasNoFields(data) ? ({} as z.infer<Data>) : undefined);
  return { type, version, data: inCanonicalOrder(data), upcast, ...(whenErased !== undefined && { whenErased }) };
}

function hasNoFields(data: ZodType): boolean {
  return data instanceof ZodObject && Object.keys(data.shape).length === 0;
}

/** A step from one version to the next: the schema of the older version, and the upcast. */
export function from<Data extends ZodType>(data: Data, to: (older: z.infer<Data>) => unknown): Upcast {
  return (stored) => to(data.parse(stored, { error: faultOf }));
}

type ChangesOf<Shape extends z.ZodRawShape> = ZodObject<{
  [Field in keyof Shape]: Shape[Field] extends ZodType ? ZodExactOptional<Shape[Field]> : never;
}>;

/** The schema of the fields of a record that changed, with their new values. */
export function zChangesOf<Shape extends z.ZodRawShape>({ shape }: ZodObject<Shape>): ChangesOf<Shape> {
  const fields = Object.entries(shape).map(([name, field]) => [name, exactOptional(field)]);
  return object(Object.fromEntries(fields)) as ChangesOf<Shape>;
}

/** Sorts the fields of a schema as the log does, so that parsed data needs no sorting. */
function inCanonicalOrder<Data extends ZodType>(data: Data): Data {
  if (!(data instanceof ZodObject)) return data;
  const shape = Object.fromEntries(Object.entries(data.shape).sort(([a], [b]) => (a < b ? -1 : 1)));
  return data.clone({ ...data.def, shape }) as typeof data;
}

/** The event a definition describes, as deciders and folds see it. */
export type EventOf<Definition> =
  Definition extends EventDefinition<infer Type, infer Data>
    ? { readonly type: Type; readonly data: Readonly<z.infer<Data>> }
    : never;

/** The data of one type of a union of events. */
export type DataOf<
  Event extends { readonly type: string; readonly data: unknown },
  Type extends Event['type'],
> = Extract<Event, { readonly type: Type }>['data'];

/** The union of the events of a table of definitions. */
export type EventIn<Table extends EventTable> = {
  [Key in keyof Table]: EventOf<Table[Key]>;
}[keyof Table];
