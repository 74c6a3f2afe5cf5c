/** Values of a zod schema, deliberately few different texts and numbers, so that equal ones are frequent. */
import fc from 'fast-check';
import { z } from 'zod';

type Schema = Readonly<Record<string, unknown>> & {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly propertyNames?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly prefixItems?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
};

/** One of the values; it shrinks towards the first. */
function oneOf<Value>(...values: readonly Value[]): fc.Arbitrary<Value> {
  return fc.nat(values.length - 1).map((index) => values[index]!);
}

export const smallText = oneOf('', 'a', 'b', 'c', '/work', 'é 😀', '2026-11-22');

export function arbitraryOf<Type extends z.ZodType>(schema: Type): fc.Arbitrary<z.infer<Type>> {
  return ofSchema(
    withoutReferences(z.toJSONSchema(schema, { unrepresentable: 'any', io: 'output' }) as Schema),
  ) as fc.Arbitrary<z.infer<Type>>;
}

/** Replaces references by the schemas that they name; a recursive reference is replaced by any JSON value. */
function withoutReferences(schema: Schema): Schema {
  const named = schema.$defs ?? {};
  const resolved = (part: unknown, within: readonly string[]): unknown => {
    if (typeof part !== 'object' || part === null) return part;
    if (Array.isArray(part)) return part.map((each) => resolved(each, within));
    const { $ref: reference, $defs: _, ...rest } = part as Schema;
    if (reference === undefined) {
      return Object.fromEntries(Object.entries(rest).map(([name, inner]) => [name, resolved(inner, within)]));
    }
    const name = reference.slice(reference.lastIndexOf('/') + 1);
    return within.includes(name) ? {} : resolved(named[name] ?? {}, [...within, name]);
  };
  return resolved(schema, []) as Schema;
}

function ofSchema(schema: Schema): fc.Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum !== undefined) return oneOf(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return fc.oneof(...choices.map(ofSchema));
  if (schema.allOf !== undefined) {
    return fc.tuple(...schema.allOf.map(ofSchema)).map((parts) => Object.assign({}, ...(parts as object[])) as unknown);
  }
  if (Array.isArray(schema.type)) return fc.oneof(...schema.type.map((type: string) => ofSchema({ ...schema, type })));
  switch (schema.type) {
    case 'string':
      return ofText(schema);
    case 'integer':
    case 'number': {
      const least = schema.minimum ?? (schema.exclusiveMinimum === undefined ? -2 : schema.exclusiveMinimum + 1);
      const min = Math.max(-2, least);
      return fc.integer({ min, max: Math.max(min, Math.min(min + 4, schema.maximum ?? min + 4)) });
    }
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      if (schema.prefixItems !== undefined) return fc.tuple(...schema.prefixItems.map(ofSchema));
      return fc.array(ofSchema(schema.items ?? {}), lengths(schema));
    case 'object':
      return ofObject(schema);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function ofText({
  pattern,
  format,
  minLength = 0,
  maxLength = Number.POSITIVE_INFINITY,
}: Schema): fc.Arbitrary<string> {
  if (format === 'uri') return oneOf('https://example.org', 'https://example.org/a', 'http://localhost:80/');
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern));
  if (minLength === 0) return smallText;
  return oneOf('a', 'b', 'c').map((text) => text.padEnd(minLength, '0').slice(0, maxLength));
}

function lengths({ minItems = 0, maxItems = Number.POSITIVE_INFINITY }: Schema) {
  return { minLength: minItems, maxLength: Math.min(Math.max(3, minItems), maxItems) };
}

function ofObject({
  properties = {},
  required = [],
  additionalProperties,
  propertyNames,
}: Schema): fc.Arbitrary<unknown> {
  if (Object.keys(properties).length === 0 && typeof additionalProperties === 'object') {
    return fc.dictionary(
      propertyNames === undefined ? smallText : (ofSchema(propertyNames) as fc.Arbitrary<string>),
      ofSchema(additionalProperties),
      { maxKeys: 3 },
    );
  }
  const parts = Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, ofSchema(part)]));
  return fc.record(parts, { requiredKeys: [...required], noNullPrototype: true });
}
