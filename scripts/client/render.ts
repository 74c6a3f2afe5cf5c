/**
 * The two generated files: types, with an interface for the methods of each group, and the call that each method makes.
 */
import type { OpenApi } from '../../src/http/openapi/document.ts';
import { methodDocumentation } from './method-docs.ts';
import { createModels, type Models } from './models.ts';
import { argumentName, type ClientOperation, operationsOf, pascalCase } from './operations.ts';

const NOTE = 'Generated from /openapi.json by `npm run client:generate`.';

export interface GeneratedFiles {
  readonly 'types.ts': string;
  readonly 'operations.ts': string;
}

/** Not formatted. */
export async function generatedFiles(document: OpenApi): Promise<GeneratedFiles> {
  const models = createModels(document);
  const groups = [...Map.groupBy(operationsOf(document), ({ group }) => group)];
  const interfaces = groups.map(([group, operations]) => {
    const methods = operations.map((each) => methodType(each, models));
    return `export interface ${methodsName(group)} {\n${methods.join('\n')}\n}\n`;
  });
  return {
    'types.ts': [
      `/** Bodies, queries and answers of every route, and its method. ${NOTE} */`,
      `import type { Bytes, CallOptions, EventStream, FieldsOf, StreamOptions } from '../calls.ts';\n`,
      'export interface Operations {',
      ...groups.map(([group]) => `readonly ${group}: ${methodsName(group)};`),
      '}\n',
      ...interfaces,
      await models.declarations(),
    ].join('\n'),
    'operations.ts': [
      `/** A method for every route. ${NOTE} */`,
      `import type { Calls } from '../calls.ts';`,
      `import type { Operations } from './types.ts';\n`,
      'export function operations(calls: Calls): Operations {\n  return {',
      ...groups.map(([group]) => `${group}: ${group}(calls),`),
      '  };\n}\n',
      ...groups.map(([group, operations]) => renderCalls(group, operations)),
    ].join('\n'),
  };
}

function methodsName(group: string): string {
  return `${pascalCase(group)}Operations`;
}

function methodType(each: ClientOperation, models: Models): string {
  const base = pascalCase(each.group) + pascalCase(each.name);
  const options = optionsType(each, models, `${base}Query`);
  const all = [
    ...each.params.map((name) => `${argumentName(name)}: string`),
    ...bodyType(each, models, `${base}Body`, options.startsWith('options?')),
    options,
  ];
  const documentation = methodDocumentation(each).replaceAll('*/', '*\\/').replace(/^/gm, ' * ');
  return `/**\n${documentation}\n */\n${each.name}(${all.join(', ')}): ${answerType(each, models, base)};`;
}

/** Optional if the route accepts no body and no required parameter follows. Empty if the route reads no body. */
function bodyType({ operation }: ClientOperation, models: Models, name: string, mayBeLast: boolean): string[] {
  const { requestBody } = operation;
  if (requestBody === undefined) return [];
  const types = Object.entries(requestBody.content).map(([type, { schema }]) =>
    type === 'application/json'
      ? `FieldsOf<${models.typeOf(schema, name)}>`
      : `{ readonly type: '${type}'; readonly bytes: Bytes }`,
  );
  if (requestBody.required) return [`body: ${types.join(' | ')}`];
  return [mayBeLast ? `body?: ${types.join(' | ')}` : `body: ${types.join(' | ')} | undefined`];
}

/** Query parameters that the client sets, or leaves out: it has the token, and reads JSON. */
const NOT_CHOSEN: ReadonlySet<string> = new Set(['token', 'format']);

function optionsType({ operation, kind }: ClientOperation, models: Models, name: string): string {
  const parameters = operation.parameters.filter((each) => each.in === 'query' && !NOT_CHOSEN.has(each.name));
  const common = kind === 'stream' ? 'StreamOptions' : 'CallOptions';
  if (parameters.length === 0) return `options?: ${common}`;
  const required = parameters.filter((each) => each.required).map((each) => each.name);
  const properties = parameters.map(({ name, description, schema }) => [name, { ...schema, description }]);
  const schema = { type: 'object', properties: Object.fromEntries(properties), required };
  const query = `FieldsOf<${models.typeOf(schema, name)}>`;
  const optional = required.length === 0 ? '?' : '';
  return `options${optional}: ${common} & ${kind === 'stream' ? query : `{ readonly query${optional}: ${query} }`}`;
}

function answerType({ operation, kind }: ClientOperation, models: Models, base: string): string {
  if (kind === 'text') return 'Promise<string>';
  if (kind === 'bytes') return 'Promise<Uint8Array>';
  const answers = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
  const type = kind === 'stream' ? 'text/event-stream' : 'application/json';
  const found = answers.map(([, { content }]) => content?.[type]?.schema);
  const given = found.filter((schema) => schema !== undefined);
  const schemas = [...new Map(given.map((schema) => [JSON.stringify(schema), schema])).values()];
  const schema = schemas.length > 1 ? { anyOf: schemas } : schemas[0];
  if (kind === 'stream') return `EventStream<${models.typeOf(schema!, `${base}Event`)}>`;
  const types = schema === undefined ? [] : [models.typeOf(schema, `${base}Answer`)];
  return `Promise<${[...types, ...(found.length > given.length ? ['void'] : [])].join(' | ')}>`;
}

function renderCalls(group: string, operations: readonly ClientOperation[]): string {
  const kinds = [...new Set(operations.map(({ kind }) => kind))].sort();
  const methods = operations.map(methodCall).join('\n');
  return `function ${group}({ ${kinds.join(', ')} }: Calls): Operations['${group}'] {\n  return {\n${methods}\n  };\n}\n`;
}

function methodCall({ name, method, path, params, kind, operation }: ClientOperation): string {
  const body = operation.requestBody === undefined ? [] : ['body'];
  const names = params.map(argumentName);
  const route = `'${method} ${path.replace(/\{\w+\}/g, '{}')}'`;
  const passed = [route, `[${names.join(', ')}]`, 'options', ...body].join(', ');
  return `${name}: (${[...names, ...body, 'options'].join(', ')}) => ${kind}(${passed}),`;
}
