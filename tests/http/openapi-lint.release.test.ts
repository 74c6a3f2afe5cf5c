/** The OpenAPI document against the recommended rules of Redocly, with the configuration in `redocly.yaml`. */
import { resolve } from 'node:path';
import { lintFromString, loadConfig } from '@redocly/openapi-core';
import { describe, expect, it } from 'vitest';
import { openApi } from '../../src/http/openapi/document.ts';
import { documentedRoutes } from './documented-routes.ts';

const ROOT = resolve(import.meta.dirname, '../..');

async function problems(document: unknown): Promise<string[]> {
  const config = await loadConfig({ configPath: resolve(ROOT, 'redocly.yaml') });
  const found = await lintFromString({
    source: JSON.stringify(document),
    absoluteRef: resolve(ROOT, 'openapi.json'),
    config,
  });
  return found.map(
    ({ severity, ruleId, message, location }) => `${severity} ${ruleId} ${location[0]?.pointer}: ${message}`,
  );
}

describe('the lint of the OpenAPI document', async () => {
  const document = await openApi((await documentedRoutes()).routes, '0.0.0');

  it('finds neither an error nor a warning', async () => {
    expect(await problems(document)).toEqual([]);
  });

  it('finds an example that its schema refuses, and an operation without a name', async () => {
    const broken = JSON.parse(JSON.stringify(document)) as {
      paths: Record<string, Record<string, Record<string, unknown>>>;
    };
    const { get } = broken.paths['/health']!;
    delete get!.operationId;
    get!.responses = {
      200: { description: 'x', content: { 'application/json': { schema: { type: 'string' }, example: 1 } } },
    };
    const rules = (await problems(broken)).map((problem) => problem.split(' ')[1]);
    expect(rules).toEqual(expect.arrayContaining(['operation-operationId', 'no-invalid-media-type-examples']));
  });
});
