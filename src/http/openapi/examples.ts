/**
 * Examples of bodies and answers, derived from their JSON Schemas: the first of a schema's own `examples`, else the
 * only valid value, else a value for the name of the field. Every example is valid for its schema.
 *
 * - An example shows the required fields, or the first field when none is required.
 */
import { ENDING_VALUES, FIELD_VALUES, textOf } from './example-values.ts';
import { COMPONENTS, type JsonSchema, type ObjectSchema } from './schemas.ts';

/** An example of a schema; `name` is the name of the field or parameter. */
export type Examples = (schema: JsonSchema, name?: string) => unknown;

interface Context {
  readonly components: Readonly<Record<string, JsonSchema>>;
  /** References that enclose this schema: recursion ends at the second occurrence of one. */
  readonly enclosing: ReadonlySet<string>;
}

export function createExamples(components: Readonly<Record<string, JsonSchema>>): Examples {
  return (schema, name = '') => exampleOf(schema, name, { components, enclosing: new Set() });
}

function exampleOf(schemaOrRef: JsonSchema, name: string, context: Context): unknown {
  const { schema, inner } = resolved(schemaOrRef, context);
  if (Array.isArray(schema.examples)) return schema.examples[0];
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum))
    return valuesFor(name).find((each) => isOneOf(schema.enum, each)) ?? firstNonEmpty(schema.enum);
  if (valuesFor(name)[0] === null && allowsNull(schema)) return null;
  const variants = (schema.anyOf ?? schema.oneOf) as readonly JsonSchema[] | undefined;
  if (variants !== undefined) return variantOf(variants, name, inner);
  const types = [schema.type].flat().filter((type) => typeof type === 'string');
  const type = types.find((each) => each !== 'null') ?? types[0];
  if (type === 'object') return objectOf(schema, inner);
  if (type === 'array') return listOf(schema, name, inner);
  return scalarOf({ ...schema, type }, name);
}

function resolved(schema: JsonSchema, context: Context): { readonly schema: JsonSchema; readonly inner: Context } {
  if (typeof schema.$ref !== 'string') return { schema, inner: context };
  const target = context.components[schema.$ref.slice(COMPONENTS.length)] ?? {};
  return { schema: target, inner: { ...context, enclosing: new Set([...context.enclosing, schema.$ref]) } };
}

function allowsNull({ type, anyOf }: JsonSchema): boolean {
  return [type].flat().includes('null') || (Array.isArray(anyOf) && anyOf.some((each) => each.type === 'null'));
}

function variantOf(variants: readonly JsonSchema[], name: string, context: Context): unknown {
  const first = variants.find((each) => each.type !== 'null' && !isRecursive(each, context));
  return first === undefined ? null : exampleOf(first, name, context);
}

function objectOf(schema: JsonSchema, context: Context): unknown {
  const { properties = {}, required = [] } = schema as ObjectSchema;
  const names = Object.keys(properties);
  const shown = required.length > 0 ? required : names.slice(0, 1);
  if (names.length > 0) {
    return Object.fromEntries(shown.map((name) => [name, exampleOf(properties[name]!, name, context)]));
  }
  const { additionalProperties: values } = schema;
  if (typeof values !== 'object' || values === null || isRecursive(values as JsonSchema, context)) return {};
  return { name: exampleOf(values as JsonSchema, 'name', context) };
}

function listOf({ items = {}, prefixItems }: JsonSchema, name: string, context: Context): unknown[] {
  const tuple = Array.isArray(items) ? items : prefixItems;
  if (Array.isArray(tuple)) return tuple.map((each: JsonSchema) => exampleOf(each, name, context));
  const item = items as JsonSchema;
  return isRecursive(item, context) ? [] : [exampleOf(item, name.replace(/s$/, ''), context)];
}

function isRecursive({ $ref }: JsonSchema, { enclosing }: Context): boolean {
  return typeof $ref === 'string' && enclosing.has($ref);
}

function scalarOf(schema: JsonSchema, name: string): unknown {
  const known = valuesFor(name).find((each) => fits(schema, each));
  if (known !== undefined) return known;
  if (schema.type === 'string') return textOf(name);
  if (schema.type === 'boolean') return true;
  if (schema.type === 'null') return null;
  if (schema.type !== 'integer' && schema.type !== 'number') return 'any JSON';
  const { default: usual, minimum, maximum } = schema as Readonly<Record<string, number | undefined>>;
  return usual ?? Math.min(Math.max(minimum ?? 1, 1), maximum ?? 1);
}

function valuesFor(name: string): readonly unknown[] {
  const ending = ENDING_VALUES.find(([pattern]) => pattern.test(name));
  return [...(FIELD_VALUES[name] ?? []), ...(ending?.[1] ?? [])];
}

function isOneOf(values: unknown, value: unknown): boolean {
  return Array.isArray(values) && values.includes(value);
}

function firstNonEmpty(values: readonly unknown[]): unknown {
  return values.find((each) => each !== '') ?? values[0];
}

function fits(schema: JsonSchema, value: unknown): boolean {
  const { minimum = -Infinity, maximum = Infinity } = schema as Readonly<Record<string, number>>;
  if (typeof value === 'number') {
    const isType = schema.type === 'number' || (schema.type === 'integer' && Number.isInteger(value));
    return isType && value >= minimum && value <= maximum;
  }
  if (typeof value !== 'string') return schema.type === (value === null ? 'null' : typeof value);
  const { minLength = 0, maxLength = Infinity } = schema as Readonly<Record<string, number>>;
  const hasLength = value.length >= minLength && value.length <= maxLength;
  const matchesPattern = typeof schema.pattern !== 'string' || new RegExp(schema.pattern, 'u').test(value);
  return schema.type === 'string' && hasLength && matchesPattern;
}
