/** The generated part of the client is the present output of the generator, and covers the whole OpenAPI document. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { clientDocument } from '../../scripts/client/document.ts';
import { formatted, GENERATED } from '../../scripts/client/generate.ts';
import { methodDocumentation } from '../../scripts/client/method-docs.ts';
import { createModels } from '../../scripts/client/models.ts';
import { argumentName, operationsOf } from '../../scripts/client/operations.ts';
import { generatedFiles } from '../../scripts/client/render.ts';

const document = await clientDocument();
const files = Object.entries(await generatedFiles(document));

describe('src/client/generated', () => {
  it.each(files)('%s is up to date: npm run client:generate', (name, text) => {
    expect(readFileSync(join(GENERATED, name), 'utf8') === formatted(text, name)).toBe(true);
  });

  it('has a method of its own for every route', () => {
    const operations = operationsOf(document);
    const names = operations.map(({ group, name }) => `${group}.${name}`);
    expect(new Set(names).size).toBe(Object.values(document.paths).flatMap((methods) => Object.keys(methods)).length);
  });
});

describe('the doc comment of a method', () => {
  const operations = operationsOf(document).map((each) => [`${each.group}.${each.name}`, each] as const);

  it.each(operations)('of %s says what it does, what its arguments mean and how it is called', (_name, each) => {
    const text = methodDocumentation(each);
    const { params, operation } = each;
    expect(text.startsWith(operation.summary)).toBe(true);
    for (const param of params) expect(text).toMatch(new RegExp(`^@param ${argumentName(param)} .*\\.$`, 'm'));
    expect(text).toMatch(/^@returns \S/m);
    expect(text).toContain(`client.${operation.operationId}(`);
  });

  it('names the errors of its own by status, and not those of every route', () => {
    const text = methodDocumentation(Object.fromEntries(operations)['engagements.judgeGate']!);
    expect(text).toMatch(/^@throws DaybookError 404: /m);
    expect(text).not.toMatch(/DaybookError (401|403|413|429)/);
  });
});

describe('the types of a document', () => {
  const tree = { type: 'object', properties: { inner: { $ref: '#/components/schemas/Tree' } } };
  const models = () =>
    createModels({ ...document, components: { securitySchemes: {}, headers: {}, schemas: { Tree: tree } } });
  const optional = { type: 'object', properties: { wait: { type: 'integer', default: 0, description: 'Seconds.' } } };

  it('are read-only, refer to each other by name, and say which fields may be absent', async () => {
    const { typeOf, declarations } = models();
    expect(typeOf({ $ref: '#/components/schemas/Tree' }, 'TreeAnswer')).toBe('Tree');
    expect(typeOf(optional, 'TreeQuery')).toBe('TreeQuery');
    expect(formatted(await declarations(), 'types.ts')).toBe(`export type Tree = {
  readonly inner?: Tree;
};
export type TreeQuery = {
  /**
   * Seconds.
   * @default 0
   */
  readonly wait?: number;
};
`);
  });

  it('have a declaration each: an equal schema is another name of the first', async () => {
    const { typeOf, declarations } = models();
    typeOf(optional, 'FirstQuery');
    expect(typeOf(optional, 'SecondQuery')).toBe('SecondQuery');
    expect(await declarations()).toContain('export type SecondQuery = FirstQuery;');
    expect(() => typeOf(tree, 'FirstQuery')).toThrow('Two types of the document have the name FirstQuery.');
  });
});
