/**
 * zod schemas as JSON Schema of the OpenAPI document.
 *
 * - Every `$ref` points into `components/schemas`. A schema with an `id` in its metadata is there under this name, once;
 *   recursive schemas without one are `Shared1`, `Shared2`, ….
 * - A schema that transforms looks different to senders and readers: the second form gets the ending Input or Output.
 */
import { z } from 'zod';
import { withMeanings } from './meanings.ts';

export type JsonSchema = { readonly [key: string]: unknown };

export interface ObjectSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
}

export interface Schemas {
  readonly components: Readonly<Record<string, JsonSchema>>;
  of(schema: z.ZodType, io: 'input' | 'output'): JsonSchema;
}

const DEFINITIONS = '#/$defs/';
export const COMPONENTS = '#/components/schemas/';

/** A dialect of JSON Schema: OpenAPI 3.1 has 2020-12, AsyncAPI 3 has draft 7. */
type Dialect = 'draft-2020-12' | 'draft-7';

export function createSchemas(dialect: Dialect = 'draft-2020-12'): Schemas {
  const components: Record<string, JsonSchema> = {};
  const texts = new Map<string, string>();
  /** The name of a definition; equal definitions have one name. */
  const placed = (wanted: string | undefined, text: string, io: 'input' | 'output'): string => {
    const isFree = (name: string): boolean => (texts.get(name) ?? text) === text;
    const name = wanted === undefined ? anonymous(texts, text) : isFree(wanted) ? wanted : `${wanted}${ENDING[io]}`;
    if (!isFree(name)) throw new Error(`Two schemas have the id ${wanted}.`);
    texts.set(name, text);
    return name;
  };
  return {
    components,
    of(schema, io) {
      const { own, definitions } = converted(schema, { io, target: dialect });
      const whole: Readonly<Record<string, JsonSchema>> = { ...definitions, '': own };
      const names = new Map<string, string>();
      for (const key of Object.keys(whole)) {
        const isReferred = key !== '' || JSON.stringify(whole).includes('"$ref":"#"');
        if (!isReferred) continue;
        const preferred = key === '' || key.startsWith('__') ? undefined : key;
        names.set(key, placed(preferred, closure(whole, key), io));
      }
      const move = (part: unknown): unknown => {
        if (Array.isArray(part)) return part.map(move);
        if (typeof part !== 'object' || part === null) return part;
        const entries = Object.entries(part).map(([key, inner]): [string, unknown] =>
          key === '$ref' && typeof inner === 'string'
            ? [key, COMPONENTS + names.get(keyOf(inner))]
            : [key, move(inner)],
        );
        return Object.fromEntries(entries);
      };
      for (const [key, name] of names) components[name] ??= move(whole[key]) as JsonSchema;
      const root = names.get('');
      return root === undefined ? (move(own) as JsonSchema) : { $ref: COMPONENTS + root };
    },
  };
}

const ENDING = { input: 'Input', output: 'Output' } as const;

function anonymous(texts: ReadonlyMap<string, string>, text: string): string {
  let count = 0;
  for (const [name, other] of texts) {
    if (!/^Shared\d+$/.test(name)) continue;
    count += 1;
    if (other === text) return name;
  }
  return `Shared${count + 1}`;
}

/** The definition that a reference leads to; the whole schema is ''. */
function keyOf(reference: string): string {
  return decodeURIComponent(reference.replace(/^#(\/(\$defs|definitions)\/)?/, ''));
}

/** A definition and all that it refers to, as one text. */
function closure(definitions: Readonly<Record<string, JsonSchema>>, first: string): string {
  const reached = new Set([first]);
  for (const key of reached) {
    for (const [, reference] of JSON.stringify(definitions[key]).matchAll(/"\$ref":"([^"]*)"/g)) {
      reached.add(keyOf(reference!));
    }
  }
  return JSON.stringify([...reached].map((key) => definitions[key]));
}

function converted(schema: z.ZodType, options: { readonly io: 'input' | 'output'; readonly target: Dialect }) {
  const whole = z.toJSONSchema(schema, { ...options, unrepresentable: 'any', override });
  const { $schema: _dialect, $defs, definitions: older, id, ...own } = whole;
  const all = ($defs ?? older ?? {}) as Readonly<Record<string, JsonSchema>>;
  const definitions = Object.fromEntries(
    Object.entries(all).map(([key, { id: _id, ...definition }]): [string, JsonSchema] => [
      key,
      withMeanings(definition),
    ]),
  );
  const described = withMeanings(own);
  if (typeof id !== 'string') return { own: described, definitions };
  return { own: { $ref: DEFINITIONS + id }, definitions: { ...definitions, [id]: described } };
}

type Overridden = Parameters<NonNullable<z.core.ToJSONSchemaParams['override']>>[0];

/**
 * - zod leaves out the default of a number that arrives as text, and the examples of an object of which a field is
 *   transformed: they might be of the transformed value. Here examples are always of the value that is sent.
 * - Whole numbers are those that JavaScript holds exactly; where that is the only limit, it is left out.
 */
function override({ zodSchema, jsonSchema }: Overridden): void {
  const { def } = zodSchema._zod;
  if (jsonSchema.type === 'integer') {
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  }
  const examples = z.globalRegistry.get(zodSchema)?.examples;
  if (Array.isArray(examples)) jsonSchema.examples = examples;
  if (def.type !== 'default' || 'default' in jsonSchema) return;
  if (Number.isInteger(def.defaultValue) && jsonSchema.type === 'integer') jsonSchema.default = def.defaultValue;
}
