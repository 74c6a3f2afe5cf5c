/**
 * JSON Schemas, as zod writes them, to TypeScript types. A part of the vocabulary that is not known is an error, not
 * `unknown`: a type that says less than its schema would go unnoticed.
 */

export type JsonSchema = { readonly [key: string]: unknown };

/** Keywords that a type cannot say. */
const WITHOUT_TYPE = new Set([
  ...['pattern', 'format', 'minLength', 'maxLength', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
  ...['multipleOf', 'minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties', 'propertyNames'],
  ...['title', 'description', 'default', 'example', 'examples', 'deprecated', 'contentMediaType', 'contentEncoding'],
  ...['contentSchema', 'readOnly', 'writeOnly', 'id', '$comment', '$id', 'discriminator'],
]);

const KNOWN = new Set([
  ...WITHOUT_TYPE,
  ...['type', 'properties', 'required', 'additionalProperties', 'const', 'enum', 'items', 'prefixItems'],
  ...['anyOf', 'oneOf', 'allOf', '$ref', 'not'],
]);

/** The name of a component in the generated types. */
export function componentName(reference: string): string {
  return pascalCase(reference.slice(reference.lastIndexOf('/') + 1));
}

export function pascalCase(text: string): string {
  return text.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_all, letter: string) => letter.toUpperCase());
}

export function typeOf(schema: unknown): string {
  if (schema === true || schema === undefined) return 'unknown';
  if (schema === false) return 'never';
  const of = schema as JsonSchema;
  const unknown = Object.keys(of).filter((key) => !KNOWN.has(key) && !key.startsWith('x-'));
  if (unknown.length > 0) throw new Error(`No type is known for ${unknown.join(', ')} in ${JSON.stringify(of)}`);
  const parts = [...combined(of), ...own(of)];
  if (parts.length === 0) return 'unknown';
  return parts.length === 1 ? parts[0]! : parts.map((part) => grouped(part)).join(' & ');
}

function combined({ $ref, anyOf, oneOf, allOf }: JsonSchema): string[] {
  const found: string[] = [];
  if ($ref !== undefined) found.push(componentName(String($ref)));
  for (const any of [anyOf, oneOf]) if (any !== undefined) found.push(union((any as JsonSchema[]).map(typeOf)));
  if (allOf !== undefined) found.push(...(allOf as JsonSchema[]).map(typeOf));
  return found;
}

/** What the schema says without its parts. */
function own(schema: JsonSchema): string[] {
  if ('const' in schema) return [JSON.stringify(schema.const)];
  if (schema.enum !== undefined) return [union((schema.enum as unknown[]).map((value) => JSON.stringify(value)))];
  const { type } = schema;
  if (type === undefined) return schema.properties === undefined ? [] : [objectType(schema)];
  return [union([type].flat().map((name) => ofType(String(name), schema)))];
}

function ofType(name: string, schema: JsonSchema): string {
  switch (name) {
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return arrayType(schema);
    case 'object':
      return objectType(schema);
    case 'string':
    case 'boolean':
    case 'null':
      return name;
    default:
      throw new Error(`No type is known for the type ${name}.`);
  }
}

function arrayType({ items, prefixItems }: JsonSchema): string {
  if (prefixItems === undefined) return `readonly ${grouped(typeOf(items))}[]`;
  const rest = items === undefined || items === false ? [] : [`...${grouped(typeOf(items))}[]`];
  return `readonly [${[...(prefixItems as JsonSchema[]).map(typeOf), ...rest].join(', ')}]`;
}

function objectType({ properties = {}, required = [], additionalProperties }: JsonSchema): string {
  const fields = Object.entries(properties as Record<string, JsonSchema>).map(([name, inner]) => {
    const optional = (required as string[]).includes(name) ? '' : '?';
    return `${documentation(inner.description)}readonly ${propertyName(name)}${optional}: ${typeOf(inner)};`;
  });
  const isOpen = additionalProperties !== undefined && additionalProperties !== false;
  if (fields.length === 0) return `{ readonly [key: string]: ${isOpen ? typeOf(additionalProperties) : 'unknown'} }`;
  const closed = `{\n${fields.join('\n')}\n}`;
  const isAny = !isOpen || Object.keys(additionalProperties as object).length === 0;
  return isAny ? closed : `${closed} & { readonly [key: string]: ${typeOf(additionalProperties)} }`;
}

function union(types: readonly string[]): string {
  return [...new Set(types)].map((type) => (type.startsWith('readonly ') ? type : grouped(type, / & /))).join(' | ');
}

/** In brackets when an operator stands in the type outside of all brackets. */
function grouped(type: string, operator = / [|&] |^readonly /): string {
  const outside = type.replace(/"(?:[^"\\]|\\.)*"/g, '');
  return operator.test(withoutBrackets(outside)) ? `(${type})` : type;
}

function withoutBrackets(type: string): string {
  let depth = 0;
  let outside = '';
  for (const sign of type) {
    if ('{[('.includes(sign)) depth += 1;
    if (depth === 0) outside += sign;
    if ('}])'.includes(sign)) depth -= 1;
  }
  return outside;
}

export function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

/** A doc comment with a line break after it, or nothing. */
export function documentation(text: unknown): string {
  if (typeof text !== 'string' || text === '') return '';
  const lines = text.replaceAll('*/', '*\\/').split('\n');
  if (lines.length === 1) return `/** ${lines[0]} */\n`;
  return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`;
}
