/** Code samples of an operation for `/docs`: a command of curl, and a call of the client in TypeScript. */
import { shellWord } from '../../lib/shell-word.ts';
import type { Operation } from './operation.ts';

export interface Endpoint {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

/** For a shell that has the address and the token in `DAYBOOK_URL` and `DAYBOOK_TOKEN`. */
export function curlSample({ path, method, operation }: Endpoint): string {
  const query = valuesOf(operation, 'query').map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  const values = new Map(valuesOf(operation, 'path'));
  const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(String(values.get(name))));
  const target = `"$DAYBOOK_URL${filled}${query.length === 0 ? '' : `?${query.join('&')}`}"`;
  const body = bodyOf(operation);
  return [
    `curl ${isStream(operation) ? '-N ' : ''}${method === 'GET' ? '' : `-X ${method} `}${target}`,
    ...(operation['x-auth'] === 'bearer' ? ['-H "Authorization: Bearer $DAYBOOK_TOKEN"'] : []),
    ...(body === undefined ? [] : [`-H 'Content-Type: ${body.type}'`, `-d ${shellWord(body.text)}`]),
  ].join(' \\\n  ');
}

export function clientSample({ operation }: Endpoint): string {
  return `import { createClient } from 'daybook/client';\n\nconst client = createClient();\n${clientCall(operation)}`;
}

/** The line of it that calls. */
export function clientCall(operation: Operation): string {
  const query = Object.fromEntries(valuesOf(operation, 'query'));
  const stream = isStream(operation);
  const body = bodyOf(operation);
  const options = Object.keys(query).length === 0 ? [] : [stream ? query : { query }];
  const given = [
    ...valuesOf(operation, 'path').map(([, value]) => literal(value)),
    ...(body === undefined ? [] : [body.argument]),
    ...options.map(literal),
  ];
  const call = `client.${operation.operationId}(${given.join(', ')})`;
  return stream ? `for await (const event of ${call}) console.log(event);` : `const answer = await ${call};`;
}

function isStream({ responses }: Operation): boolean {
  return Object.values(responses).some(({ content }) => content?.['text/event-stream'] !== undefined);
}

function valuesOf(operation: Operation, where: 'path' | 'query'): [string, unknown][] {
  return operation.parameters
    .filter((each) => each.in === where && each.required)
    .map(({ name, example }) => [name, example]);
}

/** The example of the first form of the body: as it is sent, and as an argument of the client. */
function bodyOf({ requestBody }: Operation) {
  const [first] = Object.entries(requestBody?.content ?? {});
  if (first === undefined) return undefined;
  const [type, { example }] = first;
  if (type === 'application/json') return { type, text: JSON.stringify(example), argument: literal(example) };
  return { type, text: String(example), argument: `{ type: '${type}', bytes: new Blob([${literal(example)}]) }` };
}

/** JSON as a literal of TypeScript, with names and texts as a person writes them. */
function literal(value: unknown): string {
  if (typeof value === 'string') {
    const inner = JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
    return `'${inner}'`;
  }
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, inner]) => {
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : literal(name);
    return `${key}: ${literal(inner)}`;
  });
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}
