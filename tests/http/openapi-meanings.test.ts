/** Descriptions in the OpenAPI document: every field has one, and the documented unit of a time is the real one. */
import { describe, expect, it } from 'vitest';
import { asyncApi } from '../../src/http/openapi/async-document.ts';
import { openApi } from '../../src/http/openapi/document.ts';
import { scriptedModel, startTestDaemon, type TestDaemon } from '../../src/testing/testing.ts';
import { documentedRoutes } from './documented-routes.ts';

type Schema = Readonly<Record<string, unknown>>;

/** Fields that need no description, with the reason. */
const UNDESCRIBED: Readonly<Record<string, string>> = {};

/** Values of these keywords are data. */
const DATA = new Set(['example', 'examples', 'default', 'enum', 'const']);

/** Every field of an object schema in the document, by its place. */
function* fieldsIn(part: unknown, place = ''): Generator<readonly [place: string, schema: Schema]> {
  if (Array.isArray(part)) {
    for (const [at, inner] of part.entries()) yield* fieldsIn(inner, `${place}/${at}`);
    return;
  }
  if (typeof part !== 'object' || part === null) return;
  for (const [key, inner] of Object.entries(part)) {
    if (DATA.has(key)) continue;
    const isSchemas = key === 'properties' && typeof (inner as Schema).type !== 'string';
    if (isSchemas)
      for (const [name, schema] of Object.entries(inner as Schema)) yield [`${place}.${name}`, schema as Schema];
    yield* fieldsIn(inner, `${place}/${key}`);
  }
}

const { routes, sockets } = await documentedRoutes();
const document = await openApi(routes, '0.0.0');

describe('descriptions (.describe of a schema, or src/http/openapi/meanings.ts)', () => {
  it('are there for every field of every body, answer and component', () => {
    const fields = [...fieldsIn(document)];
    expect(fields.length).toBeGreaterThan(1_900);
    const without = fields.filter(([place, { description }]) => !description && UNDESCRIBED[place] === undefined);
    expect(without.map(([place]) => place)).toEqual([]);
  });

  it('are there for every parameter', () => {
    const without = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.values(methods).flatMap(({ parameters }) =>
        parameters.filter(({ description }) => !description).map(({ name }) => `${path} ${name}`),
      ),
    );
    expect(without).toEqual([]);
  });

  it('are there for every tag: src/http/openapi/document.ts', () => {
    expect(document.tags.filter(({ description }) => !description).map(({ name }) => name)).toEqual([]);
  });

  it('are there for every field of a message of the AsyncAPI document', () => {
    const fields = [...fieldsIn(asyncApi(routes, { version: '0.0.0', sockets }).components.schemas)];
    expect(fields.filter(([, { description }]) => !description).map(([place]) => place)).toEqual([]);
  });
});

/** Times of the answer whose unit is not the one that the schema states: the clock of the test is in 2026. */
function* wrongTimes(schemas: Schema, schema: Schema, found: unknown, place: string): Generator<string> {
  if (Array.isArray(found)) {
    for (const inner of found) yield* wrongTimes(schemas, schema.items as Schema, inner, place);
    return;
  }
  const { $ref, anyOf, description } = schema;
  if (typeof found === 'number' && typeof description === 'string' && description.includes('Unix')) {
    const unit = found > 1e11 ? /millisec/ : /seconds/;
    if (!unit.test(description.replace('milliseconds', 'millisec'))) yield `${place} is ${found}: ${description}`;
  }
  if (typeof found !== 'object' || found === null) return;
  if (typeof $ref === 'string') {
    yield* wrongTimes(schemas, schemas[$ref.split('/').at(-1)!] as Schema, found, place);
    return;
  }
  for (const choice of (anyOf ?? []) as readonly Schema[]) yield* wrongTimes(schemas, choice, found, place);
  const fields = (schema.properties ?? {}) as Readonly<Record<string, Schema>>;
  for (const [name, inner] of Object.entries(found)) {
    if (fields[name] !== undefined) yield* wrongTimes(schemas, fields[name], inner, `${place}.${name}`);
  }
}

/** A record of each kind that has times. */
async function fill(daemon: TestDaemon): Promise<void> {
  await daemon.json('POST', '/api/tasks', { title: 'A task' });
  await daemon.json('POST', '/memory/add', { content: 'Ada lives in Paris, near the river.' });
  await daemon.json('POST', '/memory/chunk', { content: 'A text that is kept word for word.', source: 'a.md' });
  await daemon.json('POST', '/memory/fact', { subject: 'Ada', predicate: 'lives in', object: 'Paris' });
  await daemon.json('POST', '/v1/goals', { title: 'A goal' });
  await daemon.json('POST', '/engagements', { name: 'An engagement' });
  await daemon.json('POST', '/index/build', {});
  await daemon.json('POST', '/agent', { task: 'Say hello' });
  await daemon.event('RunCompleted');
}

it('the times of answers have the unit that the document states', async () => {
  await using daemon = await startTestDaemon({ models: scriptedModel(['hello']) });
  await fill(daemon);
  const wrong: string[] = [];
  let times = 0;
  for (const [path, { get }] of Object.entries(document.paths)) {
    const content = get?.responses['200']?.content?.['application/json'];
    if (content === undefined || path.includes('{') || get!.parameters.some(({ required }) => required)) continue;
    const answer = await daemon.fetch(path);
    if (answer.status !== 200) continue;
    const found: unknown = await answer.json();
    times += JSON.stringify(found).match(/_at":1/g)?.length ?? 0;
    wrong.push(...wrongTimes(document.components.schemas, content.schema, found, path));
  }
  expect(wrong).toEqual([]);
  expect(times).toBeGreaterThan(10);
});
