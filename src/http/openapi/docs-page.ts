/** `GET /docs`: the interface as a page for people, made from the same document as `/openapi.json`. */

import { type Markup, markup, type Part, page } from '../html.ts';
import { type Answer, html } from '../server/answer.ts';
import { type RouteSpec, route } from '../server/route.ts';
import { type OpenApi, openApi } from './document.ts';
import type { Content, Operation, Parameter } from './operation.ts';
import type { JsonSchema } from './schemas.ts';

interface Dependencies {
  readonly version: string;
}

const AUTH: Readonly<Record<RouteSpec['auth'], string>> = {
  bearer: 'bearer token',
  public: 'public',
  asset: 'public',
  'query-token': 'token in the query',
  signature: 'signature',
};

/** Fields deeper than this are shown as JSON Schema in the document itself. */
const DEPTH_MAX = 3;

export function docsRoute(deps: Dependencies, routes: () => readonly RouteSpec[]): RouteSpec {
  let answer: Answer | undefined;
  return route({
    method: 'GET',
    path: '/docs',
    operation: 'docs',
    summary: 'This interface as a page.',
    tag: 'about',
    auth: 'public',
    withoutViews: true,
    responses: { 200: { description: 'The page.', type: 'text/html' } },
    handle: () => (answer ??= html(docsPage(openApi(routes(), deps.version)))),
  });
}

interface Entry {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

export function docsPage(document: OpenApi): string {
  const entries = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Entry => ({ path, method: method.toUpperCase(), operation })),
  );
  const groups = document.tags.map(({ name }) => ({
    name,
    entries: entries.filter(({ operation }) => operation.tags.includes(name)),
  }));
  const body = markup`<header><h1>${document.info.title} ${document.info.version}</h1>
<p>${document.info.description} The same as a document for programs: <a href="/openapi.json">/openapi.json</a>.</p>
<p>Every route but the public ones wants the header <code>Authorization: Bearer &lt;token&gt;</code>. Errors are
<code>{"error": "…"}</code>. The token is made at every start, printed on the daemon’s terminal and kept in
<code>daemon.token</code> in its home; <code>GET /pair</code> and <code>POST /pair</code> hand it to a client.</p>
</header>
<nav aria-label="Routes"><ul class="toc">${groups.map(contents)}</ul></nav>
${groups.map(
  ({ name, entries: routes }) => markup`<section><h2 id="${name}">${name}</h2>
${routes.map((entry) => routeArticle(document, entry))}</section>
`,
)}`;
  return page({ title: `${document.info.title}: the interface`, body });
}

function contents({ name, entries }: { readonly name: string; readonly entries: readonly Entry[] }): Markup {
  const links = entries.map(
    ({ path, method, operation }) =>
      markup`<li><a href="#${operation.operationId}"><code>${method} ${path}</code></a></li>`,
  );
  return markup`<li><a href="#${name}">${name}</a><ul>${links}</ul></li>
`;
}

const PARAMETER_HEADS = ['Parameter', 'In', 'Type', ''];

function routeArticle(document: OpenApi, { path, method, operation }: Entry): Markup {
  const body = operation.requestBody;
  const bodyHead = body?.required === false ? 'Body (may be left out)' : 'Body';
  return markup`<article class="message" id="${operation.operationId}">
<h3 class="route"><code>${method} ${path}</code> <span class="quiet">${AUTH[operation['x-auth']]}</span></h3>
<p>${prose(operation.summary)}</p>
${operation.parameters.length === 0 ? null : table(PARAMETER_HEADS, operation.parameters.map(parameterRow(document)))}
${body === undefined ? null : markup`<p class="quiet">${bodyHead}</p>${contentTable(document, body.content)}`}
<p class="quiet">Answers</p>
<dl class="answers">${Object.entries(operation.responses).map(
    ([status, { description, content }]) =>
      markup`<dt><code>${status}</code></dt><dd>${prose(description)} ${
        content === undefined ? null : answerContent(document, status, content)
      }</dd>`,
  )}</dl>
</article>
`;
}

/** Renders a sentence; its parts between backticks become code. */
function prose(sentence: string): readonly Part[] {
  return sentence.split('`').map((part, index) => (index % 2 === 1 ? markup`<code>${part}</code>` : part));
}

function parameterRow(document: OpenApi): (parameter: Parameter) => readonly (Markup | string)[] {
  return ({ name, in: where, required, description, schema }) => [
    markup`<code>${name}</code>`,
    where,
    typeName(document, schema, 0),
    `${required ? 'required' : ''}${description === undefined ? '' : ` ${description}`}`,
  ];
}

/** Errors all look alike; other answers show their fields. */
function answerContent(document: OpenApi, status: string, content: Content): Markup {
  const [type] = Object.keys(content);
  if (type !== 'application/json') return markup`<span class="quiet">${type ?? ''}</span>`;
  if (Number(status) >= 400) return markup``;
  return contentTable(document, content);
}

function contentTable(document: OpenApi, content: Content): Markup {
  const [entry] = Object.entries(content);
  if (entry === undefined) return markup``;
  const schema = resolved(document, entry[1].schema);
  const isList = schema.type === 'array';
  const fields = fieldsOf(document, isList ? (schema.items as JsonSchema) : schema);
  if (fields.length === 0) return markup`<p><code>${typeName(document, schema, 0)}</code></p>`;
  return markup`${isList ? markup`<p class="quiet">A list of</p>` : null}${table(
    ['Field', 'Type', ''],
    fields.map(({ name, schema: inner, required }) => [
      markup`<code>${name}</code>`,
      typeName(document, inner, 0),
      required ? '' : 'optional',
    ]),
  )}`;
}

function fieldsOf(document: OpenApi, of: JsonSchema) {
  const { properties = {}, required = [] } = resolved(document, of) as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({ name, schema, required: required.includes(name) }));
}

function resolved(document: OpenApi, schema: JsonSchema): JsonSchema {
  const name = typeof schema.$ref === 'string' ? schema.$ref.replace('#/components/schemas/', '') : null;
  return name === null ? schema : (document.components.schemas[name] ?? schema);
}

/** A schema in a few words: `integer or null`, `list of string`, `"native" or "prose"`, `{kind, id}`. */
function typeName(document: OpenApi, given: JsonSchema | boolean, depth: number): string {
  if (typeof given === 'boolean') return given ? 'any JSON' : 'nothing';
  if (typeof given.$ref === 'string' && depth > 0) return 'any JSON';
  const schema = resolved(document, given);
  if (depth > DEPTH_MAX) return 'object';
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' or ');
  const variants = (schema.anyOf ?? schema.oneOf) as readonly JsonSchema[] | undefined;
  if (variants !== undefined) return variants.map((variant) => typeName(document, variant, depth + 1)).join(' or ');
  if (schema.type === 'array') return `list of ${typeName(document, (schema.items ?? {}) as JsonSchema, depth + 1)}`;
  if (Array.isArray(schema.type)) return schema.type.join(' or ');
  if (schema.type !== 'object') return typeof schema.type === 'string' ? schema.type : 'any JSON';
  const names = fieldsOf(document, schema).map(({ name, required }) => (required ? name : `${name}?`));
  return names.length === 0 ? 'object' : `{${names.join(', ')}}`;
}

function table(heads: readonly string[], rows: readonly (readonly (Markup | string)[])[]): Markup {
  return markup`<table><thead><tr>${heads.map((text) => markup`<th scope="col">${text}</th>`)}</tr></thead>
<tbody>${rows.map(
    (cells) => markup`<tr>${cells.map((cell) => markup`<td>${cell}</td>`)}</tr>
`,
  )}</tbody></table>`;
}
