/** JSON Schemas as HTML for `/docs`: types in a few words, fields with their nested fields. */
import { type Markup, markup, type Part } from '../html.ts';
import { COMPONENTS, type JsonSchema, type ObjectSchema } from './schemas.ts';

/** Renders a sentence; its parts between backticks become code. */
export function prose(sentence: string): readonly Part[] {
  return sentence.split('`').map((part, index) => (index % 2 === 1 ? markup`<code>${part}</code>` : part));
}

/** A whole schema: its fields, or its type when it has none. */
export function schemaMarkup(schema: JsonSchema): Markup {
  const fields = fieldsMarkup(schema);
  return fields === null ? markup`<p class="type">${typeMarkup(schema)}</p>` : fields;
}

/** The fields of an object, of each item of a list, or of each variant; null when there are none. */
function fieldsMarkup(schema: JsonSchema): Markup | null {
  if (typeof schema.$ref === 'string') return markup`<p class="type">${typeMarkup(schema)}</p>`;
  if (schema.prefixItems !== undefined) return null;
  if (schema.type === 'array') {
    const inner = fieldsMarkup((schema.items ?? {}) as JsonSchema);
    return inner && markup`<p class="quiet">A list of</p>${inner}`;
  }
  const variants = variantsOf(schema)?.filter(({ type }) => type !== 'null');
  if (variants !== undefined) {
    const shown = variants.flatMap((variant) => fieldsMarkup(variant) ?? []);
    if (shown.length === 0) return null;
    return markup`${shown.map((each, index) => markup`${index > 0 ? markup`<p class="quiet">or</p>` : null}${each}`)}`;
  }
  const { properties = {}, required = [] } = schema as ObjectSchema;
  const names = Object.keys(properties);
  if (names.length === 0) return null;
  return markup`<ul class="fields">${names.map((name) => field(name, properties[name]!, required.includes(name)))}</ul>`;
}

function field(name: string, schema: JsonSchema, isRequired: boolean): Markup {
  const { description } = schema;
  const nested = isReference(schema) ? null : fieldsMarkup(schema);
  return markup`<li><code>${name}</code> <span class="type">${typeMarkup(schema)}</span>${
    isRequired ? markup` <span class="required">required</span>` : null
  }${typeof description === 'string' ? markup` <span class="quiet">${prose(description)}</span>` : null}${
    nested === null ? null : markup`<details><summary>fields</summary>${nested}</details>`
  }</li>
`;
}

/** Whether a schema is a reference, or a list or variants of references, which are links to the named schemas. */
function isReference(schema: JsonSchema): boolean {
  if (typeof schema.$ref === 'string') return true;
  if (schema.type === 'array' && schema.prefixItems === undefined)
    return isReference((schema.items ?? {}) as JsonSchema);
  const variants = variantsOf(schema);
  return variants?.every((each) => each.type === 'null' || isReference(each)) ?? false;
}

function variantsOf(schema: JsonSchema): readonly JsonSchema[] | undefined {
  return (schema.anyOf ?? schema.oneOf) as readonly JsonSchema[] | undefined;
}

/** `integer, 1 to 500, default 50`, `list of Goal`, `"native" or "prose"`; names of schemas are links. */
export function typeMarkup(schema: JsonSchema): Markup {
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.slice(COMPONENTS.length);
    return markup`<a href="#schema-${name}">${name}</a>`;
  }
  if ('const' in schema) return markup`<code>${JSON.stringify(schema.const)}</code>`;
  if (Array.isArray(schema.enum))
    return joined(schema.enum.map((value) => markup`<code>${JSON.stringify(value)}</code>`));
  const variants = variantsOf(schema);
  if (variants !== undefined) return joined(variants.map(typeMarkup));
  if (Array.isArray(schema.prefixItems)) {
    return markup`[${schema.prefixItems.map((each: JsonSchema, index) => markup`${index > 0 ? ', ' : ''}${typeMarkup(each)}`)}]`;
  }
  if (schema.type === 'array') return markup`list of ${typeMarkup((schema.items ?? {}) as JsonSchema)}`;
  const { additionalProperties: values } = schema;
  if (schema.type === 'object' && typeof values === 'object' && values !== null && schema.properties === undefined) {
    return markup`object with values of ${typeMarkup(values as JsonSchema)}`;
  }
  const types = [schema.type].flat().filter((type) => typeof type === 'string');
  return markup`${types.length === 0 ? 'any JSON' : types.join(' or ')}${limits(schema)}`;
}

function joined(parts: readonly Markup[]): Markup {
  return markup`${parts.map((part, index) => markup`${index > 0 ? ' or ' : ''}${part}`)}`;
}

function limits(schema: JsonSchema): string {
  const { minimum, maximum, minLength, maxLength, pattern, format } = schema;
  const range = between(minimum, maximum);
  const length = between(minLength, maxLength);
  return [
    typeof format === 'string' ? ` (${format})` : '',
    range === '' ? '' : `, ${range}`,
    length === '' ? '' : `, ${length} characters`,
    typeof pattern === 'string' ? `, like ${pattern}` : '',
    'default' in schema ? `, default ${JSON.stringify(schema.default)}` : '',
  ].join('');
}

function between(least: unknown, most: unknown): string {
  const from = typeof least === 'number' ? least : null;
  const to = typeof most === 'number' && most < Number.MAX_SAFE_INTEGER ? most : null;
  if (from !== null && to !== null) return from === to ? `${from}` : `${from} to ${to}`;
  if (to !== null) return `up to ${to}`;
  return from === null ? '' : `from ${from}`;
}
