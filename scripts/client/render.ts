/** The two generated files: types with a doc comment for each method, and the methods, one call each. */
import type { OpenApi } from '../../src/http/openapi/document.ts';
import { methodDocumentation } from './method-docs.ts';
import { argumentName, type ClientOperation, operationsOf } from './operations.ts';
import { componentName, documentation, type JsonSchema, pascalCase, propertyName, typeOf } from './schema-types.ts';

const NOTE = 'Generated from /openapi.json by `npm run client:generate`.';

export interface GeneratedFiles {
  readonly 'types.ts': string;
  readonly 'operations.ts': string;
}

/** Not formatted. */
export function generatedFiles(document: OpenApi): GeneratedFiles {
  const groups = Map.groupBy(operationsOf(document), ({ group }) => group);
  return { 'types.ts': renderTypes(document, groups), 'operations.ts': renderMethods(groups) };
}

type Groups = ReadonlyMap<string, readonly ClientOperation[]>;

function renderTypes(document: OpenApi, groups: Groups): string {
  const named = createNamedTypes();
  for (const [name, schema] of Object.entries(document.components.schemas))
    named.add(componentName(name), typeOf(schema));
  const interfaces = [...groups].map(([group, operations]) => {
    const methods = operations.map((operation) => methodType(operation, named));
    return `export interface ${methodsName(group)} {\n${methods.join('\n')}\n}\n`;
  });
  const all = [...groups.keys()].map((group) => `readonly ${propertyName(group)}: ${methodsName(group)};`);
  return [
    `/** Bodies, queries and answers of every route, and its method. ${NOTE} */`,
    `import type { Bytes, CallOptions, EventStream, StreamOptions } from '../calls.ts';\n`,
    `export interface Operations {\n${all.join('\n')}\n}\n`,
    ...interfaces,
    ...named.declarations(),
  ].join('\n');
}

function methodsName(group: string): string {
  return `${pascalCase(group)}Operations`;
}

interface NamedTypes {
  /** The name to use for a type. */
  add(name: string, type: string): string;
  declarations(): string[];
}

/** Types by name; a long type that has a name already becomes another name of it. */
function createNamedTypes(): NamedTypes {
  const byName = new Map<string, string>();
  const firstNames = new Map<string, string>();
  return {
    add(name, type) {
      if (byName.has(name)) throw new Error(`Two types of the document have the name ${name}.`);
      if (type.length < 30 && !type.includes('{')) return type;
      const first = firstNames.get(type);
      if (first === undefined) firstNames.set(type, name);
      byName.set(name, first ?? type);
      return name;
    },
    declarations: () => [...byName].map(([name, type]) => `export type ${name} = ${type};\n`),
  };
}

function methodType(each: ClientOperation, named: NamedTypes): string {
  const base = pascalCase(each.group) + pascalCase(each.name);
  const params = each.params.map((name) => `${argumentName(name)}: string`);
  const body = bodyType(each, base, named);
  const options = optionsType(each, base, named);
  // TypeScript has no required parameter after an optional one.
  const isOptional = options.startsWith('options?');
  const all = [...params, ...(body === null ? [] : [isOptional ? body : required(body)]), options];
  return `${documentation(methodDocumentation(each))}${propertyName(each.name)}(${all.join(', ')}): ${answerType(each, base, named)};`;
}

function required(parameter: string): string {
  return parameter.includes('?: ') ? `${parameter.replace('?: ', ': ')} | undefined` : parameter;
}

/** The body, optional if the route takes none too; null when it reads none. */
function bodyType({ operation }: ClientOperation, base: string, named: NamedTypes): string | null {
  const { requestBody } = operation;
  if (requestBody === undefined) return null;
  const types = Object.entries(requestBody.content).map(([type, { schema }]) =>
    type === 'application/json' ? typeOf(schema) : `{ readonly type: ${JSON.stringify(type)}; readonly bytes: Bytes }`,
  );
  return `body${requestBody.required ? '' : '?'}: ${named.add(`${base}Body`, types.join(' | '))}`;
}

function optionsType({ operation, kind }: ClientOperation, base: string, named: NamedTypes): string {
  const query = operation.parameters.filter((parameter) => parameter.in === 'query' && parameter.name !== 'token');
  const common = kind === 'stream' ? 'StreamOptions' : 'CallOptions';
  if (query.length === 0) return `options?: ${common}`;
  const fields = query.map(
    ({ name, required, description, schema }) =>
      `${documentation(description)}readonly ${propertyName(name)}${required ? '' : '?'}: ${queryType(schema)};`,
  );
  const type = named.add(`${base}Query`, `{\n${fields.join('\n')}\n}`);
  const isRequired = query.some(({ required }) => required);
  const own = kind === 'stream' ? type : `{ readonly query${isRequired ? '' : '?'}: ${type} }`;
  return `options${isRequired ? '' : '?'}: ${common} & ${own}`;
}

/** Absent and undefined are the same in a query. */
function queryType(schema: JsonSchema): string {
  return `${typeOf(schema)} | undefined`;
}

function answerType({ operation, kind }: ClientOperation, base: string, named: NamedTypes): string {
  if (kind === 'text') return 'Promise<string>';
  if (kind === 'bytes') return 'Promise<Uint8Array>';
  const found = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
  if (kind === 'stream') return `EventStream<${named.add(`${base}Event`, streamEventType(found[0]![1].content))}>`;
  const types = found.map(([, { content }]) => {
    const schema = content?.['application/json']?.schema;
    return schema === undefined ? 'void' : typeOf(schema);
  });
  return `Promise<${named.add(`${base}Answer`, [...new Set(types)].join(' | '))}>`;
}

function streamEventType(content: unknown): string {
  const { schema } = (content as { readonly 'text/event-stream': { readonly schema: JsonSchema } })[
    'text/event-stream'
  ];
  return typeOf(schema);
}

function renderMethods(groups: Groups): string {
  const bodies = [...groups].map(([group, operations]) => {
    const methods = operations.map((operation) => methodCall(operation));
    return `function ${group}({ ${kindsOf(operations).join(', ')} }: Calls): ${methodsName(group)} {\n  return {\n${methods.join('\n')}\n  };\n}\n`;
  });
  const types = ['Operations', ...[...groups.keys()].map(methodsName)].sort();
  return [
    `/** A method for every route. ${NOTE} */`,
    `import type { Calls } from '../calls.ts';`,
    `import type { ${types.join(', ')} } from './types.ts';\n`,
    `export function operations(calls: Calls): Operations {\n  return {`,
    ...[...groups.keys()].map((group) => `${propertyName(group)}: ${group}(calls),`),
    '  };\n}\n',
    ...bodies,
  ].join('\n');
}

function kindsOf(operations: readonly ClientOperation[]): string[] {
  return [...new Set(operations.map(({ kind }) => kind))].sort();
}

function methodCall({ name, method, path, params, kind, operation }: ClientOperation): string {
  const names = params.map(argumentName);
  const hasBody = operation.requestBody !== undefined;
  const given = [...names, ...(hasBody ? ['body'] : []), 'options'].join(', ');
  const route = `'${method} ${path.replace(/\{\w+\}/g, '{}')}'`;
  const passed = [route, `[${names.join(', ')}]`, 'options', ...(hasBody ? ['body'] : [])].join(', ');
  return `${propertyName(name)}: (${given}) => ${kind}(${passed}),`;
}
