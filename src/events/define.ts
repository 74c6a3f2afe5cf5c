/**
 * How an event type is declared: its name, the version of its schema and the zod schema that is both type and check.
 */
import { z } from 'zod';

export interface EventDefinition<Type extends string = string, Data extends z.ZodType = z.ZodType> {
  readonly type: Type;
  /** Version of the schema, from 1; a changed meaning is a new type or a new version with an upcaster. */
  readonly schema: number;
  readonly data: Data;
}

export function define<Type extends string, Data extends z.ZodType>(
  type: Type,
  data: Data,
): EventDefinition<Type, Data> {
  return { type, schema: 1, data: inCanonicalOrder(data) };
}

/** What the check gives out has its keys in the order in which the log writes them: it need not sort them. */
function inCanonicalOrder<Data extends z.ZodType>(data: Data): Data {
  if (!(data instanceof z.ZodObject)) return data;
  const shape = Object.fromEntries(Object.entries(data.shape).sort(([a], [b]) => (a < b ? -1 : 1)));
  return data.clone({ ...data.def, shape }) as typeof data;
}

/** The event a definition describes, as deciders and folds see it. */
export type EventOf<Definition> =
  Definition extends EventDefinition<infer Type, infer Data>
    ? { readonly type: Type; readonly data: Readonly<z.infer<Data>> }
    : never;

/** The union of the events of a table of definitions. */
export type EventIn<Table extends Record<string, EventDefinition>> = {
  [Key in keyof Table]: EventOf<Table[Key]>;
}[keyof Table];
