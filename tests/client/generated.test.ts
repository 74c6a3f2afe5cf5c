/** The generated part of the client is what the generator writes today, and says no less than the document. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { clientDocument } from '../../scripts/client/document.ts';
import { formatted, GENERATED } from '../../scripts/client/generate.ts';
import { methodDocumentation } from '../../scripts/client/method-docs.ts';
import { argumentName, operationsOf } from '../../scripts/client/operations.ts';
import { generatedFiles } from '../../scripts/client/render.ts';
import { typeOf } from '../../scripts/client/schema-types.ts';

const document = clientDocument();

describe('src/client/generated', () => {
  it.each(Object.entries(generatedFiles(document)))('%s is up to date: npm run client:generate', (name, text) => {
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

describe('types of schemas', () => {
  it.each([
    [{ type: 'string', minLength: 1 }, 'string'],
    [{ type: ['integer', 'null'] }, 'number | null'],
    [{ enum: ['a', 1, null] }, '"a" | 1 | null'],
    [{ type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'null' }] } }, 'readonly (string | null)[]'],
    [{ type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] }, 'readonly [string, number]'],
    [{ $ref: '#/components/schemas/some_name' }, 'SomeName'],
    [{ type: 'object', additionalProperties: { type: 'number' } }, '{ readonly [key: string]: number }'],
    [
      { type: 'object', properties: { a: { type: 'string' }, 'b-c': {} }, required: ['a'] },
      '{\nreadonly a: string;\nreadonly "b-c"?: unknown;\n}',
    ],
    [{ allOf: [{ $ref: '#/x/A' }, { oneOf: [{ const: 1 }, { const: 2 }] }] }, 'A & (1 | 2)'],
  ])('%j is %s', (schema, type) => expect(typeOf(schema)).toBe(type));

  it('a keyword without a type is an error', () => {
    expect(() => typeOf({ if: {} })).toThrow('No type is known for if');
  });
});
