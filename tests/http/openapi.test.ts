/** The OpenAPI document itself: complete, without unresolved references, and consistent with the route table. */
import { createRequire } from 'node:module';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { escapeHtml } from '../../src/http/html.ts';
import { docsPage } from '../../src/http/openapi/docs-page.ts';
import { openApi } from '../../src/http/openapi/document.ts';
import { type RouteSpec, routesOf } from '../../src/http/server/route.ts';
import { SLICE_MS } from '../../src/lib/slices.ts';
import { documentedRoutes } from './documented-routes.ts';

const { routes } = await documentedRoutes();
const document = await openApi(routes, '0.0.0');
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation, name: `${method} ${path}` })),
);

function specOf(path: string, method: string): RouteSpec {
  return routes.find((spec) => spec.path === path && spec.method.toLowerCase() === method)!;
}

/** Every value under a key anywhere in the document. */
function everywhere(key: string, part: unknown = document): unknown[] {
  if (Array.isArray(part)) return part.flatMap((inner) => everywhere(key, inner));
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([name, inner]) => [...(name === key ? [inner] : []), ...everywhere(key, inner)]);
}

describe('the document', () => {
  it.each([
    '/agent',
    '/acp/v1/tasks',
    '/jobs/{id}/fork',
    '/v1/goals/{id}/start',
    '/watch/goals/{id}/start',
    '/webhook/skill/{skill_name}',
  ])('says that %s is refused while too many runs wait', (path) => {
    expect(document.paths[path]!.post!.responses['503']!.description).toContain('Too many runs');
  });

  it.each([
    ['post', '/v1/goals/{id}/link', 'The goal has 10000 links, the most it may have.'],
    ['put', '/v1/goals/current', '10000 workspaces have a pinned goal, the most that can.'],
    ['post', '/jobs/{id}/fork', 'Events of the run are erased, or its folder is gone; it cannot be forked.'],
    [
      'post',
      '/agent',
      'The run to resume has not ended, or its folder is gone and `workspace_root` names no other; or the run to ' +
        'start has the `session_id` of another one.',
    ],
    ['post', '/v1/log/key/rotate', 'The key was replaced meanwhile.'],
  ])('says of %s %s when the state of the daemon refuses it', (method, path, description) => {
    expect(document.paths[path]![method]!.responses['409']?.description).toBe(description);
  });

  it.each([
    ['get', '/jobs', '429', 'Retry-After'],
    ['get', '/health', '503', 'Retry-After'],
    ['get', '/jobs/{id}/export.pdf', '200', 'Content-Disposition'],
    ['get', '/engagements/{id}/report.pdf', '200', 'Content-Disposition'],
    ['get', '/v1/evidence.zip', '200', 'Content-Disposition'],
    ['post', '/webhook/skill/{skill_name}', '200', 'X-Daybook-Session-Id'],
    ['post', '/mcp', '200', 'Mcp-Session-Id'],
  ])('says that %s %s answers %s with the header %s', (method, path, status, header) => {
    expect(document.paths[path]![method]!.responses[status]!.headers).toHaveProperty(header);
  });

  it.each(['post', 'get', 'delete'])('has the headers that MCP prescribes for %s', (method) => {
    const names = document.paths['/mcp']![method]!.parameters.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['Mcp-Session-Id', 'Mcp-Protocol-Version']));
  });

  it('is OpenAPI 3.1 and has every route once', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(operations).toHaveLength(routes.length);
    expect(operations.map(({ name }) => name).sort()).toEqual(
      routes.map(({ method, path }) => `${method.toLowerCase()} ${path}`).sort(),
    );
  });

  it('has unique operation ids: the tag and the name of a method', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { operation } of operations) {
      const [tag, name] = operation.operationId.split('.');
      expect([tag]).toEqual(operation.tags);
      expect(operation.operationId).toMatch(/^[a-z]+\.[a-z][A-Za-z0-9]*$/);
      expect(name).not.toMatch(/^(constructor|then|toString|valueOf)$/);
    }
  });

  it('has numbers for parameters that are numbers', () => {
    const numeric = ['after', 'since_seq', 'limit', 'offset', 'k', 'depth', 'window', 'wait', 'samples', 'position'];
    const texts = operations.flatMap(({ operation, name }) =>
      operation.parameters
        .filter((each) => each.in === 'query' && numeric.includes(each.name) && each.schema.type !== 'integer')
        .map((each) => `${name} ${each.name}`),
    );
    // Pages of sessions go on after an id.
    expect(texts).toEqual(['get /jobs after', 'get /sessions.json after']);
  });

  it('has the defaults of parameters, and no null in them', () => {
    const limit = document.paths['/v1/events']!.get!.parameters.find(({ name }) => name === 'limit');
    expect(limit!.schema).toEqual({ type: 'integer', minimum: 1, maximum: 5_000, default: 500 });
    for (const { operation } of operations) {
      for (const { schema, name } of operation.parameters) expect([name, JSON.stringify(schema)]).not.toContain('null');
    }
  });

  it('has only references that lead somewhere', () => {
    const references = everywhere('$ref');
    expect(references.length).toBeGreaterThan(routes.length);
    for (const reference of references) {
      const found = String(reference)
        .replace(/^#\//, '')
        .split('/')
        .reduce<unknown>((part, key) => (part as Record<string, unknown>)[key], document);
      expect([reference, typeof found]).toEqual([reference, 'object']);
    }
    expect(everywhere('$defs')).toEqual([]);
  });

  it('has schemas that are valid JSON Schema 2020-12', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    // In an example an envelope has a field of this name.
    const schemas = everywhere('schema').filter((each) => typeof each === 'object');
    for (const schema of schemas) expect([schema, ajv.validateSchema(schema as object)]).toEqual([schema, true]);
    for (const schema of Object.values(document.components.schemas)) expect(ajv.validateSchema(schema)).toBe(true);
  });

  it('names only security schemes that it has', () => {
    for (const { operation } of operations) {
      for (const scheme of operation.security.flatMap((entry) => Object.keys(entry))) {
        expect(document.components.securitySchemes).toHaveProperty(scheme);
      }
    }
  });
});

/** Checks values with schemas that refer to the components of the document. */
const examples = new Ajv2020({ strict: false, validateFormats: false });
examples.addSchema({ $id: 'doc', components: document.components });
const distinct = new Map<string, object>();
/** The same object for equal schemas, so that they are compiled once. */
function inDocument(schema: unknown): object {
  const text = JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"doc#/');
  const known = distinct.get(text) ?? JSON.parse(text);
  distinct.set(text, known);
  return known;
}

it('the body of a delivery may be any of the forge, also one that is ignored', () => {
  const require = createRequire(import.meta.url);
  const events = require('@octokit/webhooks-examples/api.github.com/index.json') as { examples: object[] }[];
  const { schema } = document.paths['/webhook/forge']!.post!.requestBody!.content['application/json']!;
  for (const delivery of [{}, ...events.flatMap((event) => event.examples)]) {
    const valid = examples.validate(inDocument(schema), delivery);
    expect([examples.errorsText(), valid]).toEqual(['No errors', true]);
  }
});

describe.each(operations)('$name', ({ path, method, operation }) => {
  it('describes its effect, its credential and its answers', () => {
    const spec = specOf(path, method);
    expect(operation.summary).toMatch(/^[A-Z].*\.$/);
    expect(operation['x-auth']).toBe(spec.auth);
    const isOpen = spec.auth === 'public' || spec.auth === 'asset';
    expect(operation.security).toHaveLength(isOpen ? 0 : 1);
    const statuses = Object.keys(operation.responses);
    expect(statuses.some((status) => status.startsWith('2'))).toBe(true);
    expect(statuses).toEqual(expect.arrayContaining(['400', '403', '429', '503']));
    // A wrong signature is 400.
    if (!isOpen) expect(statuses.includes('401')).toBe(spec.auth !== 'signature');
    for (const response of Object.values(operation.responses)) expect(response.description).not.toBe('');
    for (const [status, { content }] of Object.entries(operation.responses)) {
      const isText = ['text/html', 'text/x.tlog.size'].some((type) => content?.[type] !== undefined);
      if (Number(status) >= 400 && !isText) {
        expect(Object.keys(content ?? {})).toEqual(['application/json']);
        // The one shape of an error, or it with something beside the sentence.
        const schema = content!['application/json']!.schema as {
          $ref?: string;
          properties?: object;
          required?: string[];
        };
        // MCP prescribes errors of JSON-RPC for its own faults.
        if (path === '/mcp' && schema.$ref === undefined) expect(JSON.stringify(schema)).toContain('"code"');
        else if (schema.$ref !== undefined) expect(schema.$ref).toBe('#/components/schemas/Error');
        else
          expect(schema).toMatchObject({
            properties: { error: { type: 'string' } },
            required: expect.arrayContaining(['error']),
          });
      }
    }
  });

  it('declares each path parameter, required, and no other', () => {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]).sort();
    const declared = operation.parameters.filter((parameter) => parameter.in === 'path');
    expect(declared.map(({ name }) => name).sort()).toEqual(named);
    expect(declared.every(({ required }) => required)).toBe(true);
    const keys = operation.parameters.map((parameter) => `${parameter.in} ${parameter.name}`);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('names the types of a body that need not be JSON', () => {
    const types = Object.keys(operation.requestBody?.content ?? {});
    const { body, rawBody } = specOf(path, method);
    const isJson = body !== undefined && (rawBody === undefined || rawBody.json !== undefined);
    expect(types).toEqual([...(isJson ? ['application/json'] : []), ...(rawBody?.types ?? [])]);
  });

  it('has texts as texts, by content types without parameters', () => {
    const media = [operation.requestBody?.content, ...Object.values(operation.responses).map((each) => each.content)];
    for (const [type, { schema }] of media.flatMap((content) => Object.entries(content ?? {}))) {
      expect(type).not.toContain(';');
      if (type.startsWith('text/')) expect([type, schema.format]).toEqual([type, undefined]);
    }
  });

  it('has an example of every body and answer that is text, valid for the schema of the route', () => {
    const { body, rawBody, responses } = specOf(path, method);
    const media = [operation.requestBody?.content, ...Object.values(operation.responses).map((each) => each.content)];
    for (const { schema, example } of media.flatMap((content) => Object.values(content ?? {}))) {
      if (schema.format === 'binary') continue;
      expect(example).toBeDefined();
      const valid = examples.validate(inDocument(schema), example);
      expect([examples.errorsText(), valid]).toEqual(['No errors', true]);
    }
    const given = operation.requestBody?.content['application/json']?.example;
    if (body !== undefined) (rawBody?.json ?? body).parse(given);
    for (const [status, { schema, events }] of responses) {
      const [content] = Object.values(operation.responses[status]!.content ?? {});
      (schema ?? events?.data)?.parse(content!.example);
    }
  });

  it('has an example of every parameter that is required', () => {
    for (const { required, schema, example } of operation.parameters) {
      if (required) expect(examples.validate(inDocument(schema), example)).toBe(true);
    }
  });

  it('says what an answer is: no schema is empty', () => {
    const successes = Object.entries(operation.responses).filter(([status]) => Number(status) < 300);
    for (const [status, { content }] of successes) {
      if (content === undefined) {
        expect(['204', '202 mcp.send', '200 mcp.endSession']).toContain(
          status === '204' ? status : `${status} ${operation.operationId}`,
        );
        continue;
      }
      const schemas = Object.values(content).map((media) => media.schema);
      expect(schemas).not.toEqual([]);
      for (const schema of everywhere('properties', schemas).flatMap((each) => Object.values(each as object))) {
        expect(Object.keys(schema)).not.toEqual([]);
      }
      for (const schema of schemas) expect(schema.$ref ?? schema.type ?? schema.anyOf ?? schema.oneOf).toBeDefined();
    }
  });

  it('has Last-Event-ID exactly if it is a GET whose stream can be resumed', () => {
    const { responses } = specOf(path, method);
    const resumes = method === 'get' && [...responses.values()].some(({ events }) => events?.id !== undefined);
    expect(operation.parameters.some((each) => each.name === 'Last-Event-ID')).toBe(resumes);
  });

  it('has a body exactly if the route reads one', () => {
    expect(operation.requestBody !== undefined).toBe(specOf(path, method).body !== undefined);
  });
});

describe('definitions', () => {
  const json = z.json();
  const recursive: z.ZodType = z.lazy(() => z.object({ children: z.array(recursive) }));
  const sample = (schema: z.ZodType, path: string): RouteSpec =>
    routesOf({ tag: 'sample', auth: 'public' }).get(path, {
      operation: `sample${path.slice(2)}`,
      summary: 'A sample.',
      responses: { 200: { description: 'It.', schema } },
      handle: () => ({ kind: 'empty', status: 200 }),
    });

  it('of recursive schemas are moved where they can be referred to, each once', async () => {
    const shapes = [z.object({ a: json, b: json }), z.object({ c: json }), json, recursive];
    const made = await openApi(
      shapes.map((schema, index) => sample(schema, `/s${index}`)),
      '1',
    );
    const ajv = new Ajv2020({ strict: false });
    ajv.addSchema({ ...made, $id: 'doc' });
    const check = (index: number, value: unknown): boolean =>
      ajv.validate({ $ref: `doc#/paths/~1s${index}/get/responses/200/content/application~1json/schema` }, value);
    expect(check(0, { a: [1, { x: null }], b: 'b' })).toBe(true);
    expect(check(0, { a: 1 })).toBe(false);
    expect(check(2, { deep: [[['x']]] })).toBe(true);
    expect(check(3, { children: [{ children: [] }] })).toBe(true);
    expect(check(3, { children: [{ children: [1] }] })).toBe(false);
  });
});

/** The part of the page with this id, up to the next one. */
function articleOf(page: string, id: string): string {
  return page.split('<article ').find((part) => part.includes(`id="${id}"`))!;
}

const page = await docsPage(document);

describe('/docs', () => {
  it('is made in slices', async () => {
    let now = 0;
    // Each look at the clock takes longer than a slice.
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 2 * SLICE_MS));
    let turns = 0;
    const count = (): void => {
      turns += 1;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    await docsPage(document);
    clearImmediate(next);
    clock.mockRestore();
    expect(turns).toBeGreaterThan(document.tags.length);
  });

  it.each(operations)('has $name with its summary', ({ path, method, operation }) => {
    expect(page).toContain(`<code>${method.toUpperCase()} ${path}</code>`);
    for (const part of operation.summary.split('`')) expect(page).toContain(escapeHtml(part));
    expect(page).toContain(`id="${operation.operationId}"`);
  });

  it('has no script or style in it, and loads nothing from elsewhere', () => {
    expect(page).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|javascript:|<[^>]*\son\w+=/i);
    for (const [, target] of page.matchAll(/\s(?:src|href|action)="([^"]*)"/g)) expect(target).toMatch(/^(#|\/[^/])/);
  });

  it('shows the fields of a body and of an answer, named schemas once, and what is required', () => {
    const article = articleOf(page, 'engagements.judgeGate');
    expect(article).toContain('<code>verdict</code>');
    expect(article).toContain('&quot;not_measured&quot;');
    expect(article).toContain('href="#schema-Gate"');
    expect(page.match(/id="schema-Gate"/g)).toHaveLength(1);
    expect(articleOf(page, 'schema-Gate')).toMatch(/<code>judgements<\/code>.*list of <a href="#schema-Judgement">/);
  });

  it('has samples: a command for the shell, and a call of the client by tag and operation', () => {
    const article = articleOf(page, 'engagements.judgeGate');
    expect(article).toContain('curl -X POST &quot;$DAYBOOK_URL/engagements/');
    expect(article).toContain('import { createClient } from &#39;daybook/client&#39;;');
    expect(article).toMatch(
      /await client\.engagements\.judgeGate\(&#39;\w+&#39;, &#39;\w+&#39;, \{ verdict: &#39;pass&#39;,/,
    );
    expect(articleOf(page, 'runs.stream')).toContain('for await (const event of client.runs.stream(');
  });

  it('has only links that lead somewhere', () => {
    for (const [, target] of page.matchAll(/href="#([^"]*)"/g)) expect(page).toContain(`id="${target}"`);
  });
});
