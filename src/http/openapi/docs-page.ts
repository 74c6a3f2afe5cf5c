/**
 * `GET /docs`: the interface as a page for people, rendered from the document of `/openapi.json`, and its files. The
 * page can be read without its script; with the script, operations can be tried with the token of the tab.
 */
import { z } from 'zod';
import { inSlices } from '../../lib/slices.ts';
import { type Markup, markup, page, webFile } from '../html.ts';
import { HttpError } from '../server/errors.ts';
import { type Answer, html, type RouteSpec, routesOf, text } from '../server/route.ts';
import { WEB_POLICY } from '../web.ts';
import { prose, schemaMarkup, typeMarkup } from './docs-schema.ts';
import { type OpenApi, openApi } from './document.ts';
import type { Content, Parameter } from './operation.ts';
import { clientSample, curlSample, type Endpoint } from './samples.ts';
import type { JsonSchema } from './schemas.ts';

const { get } = routesOf({ tag: 'about', auth: 'public', withoutViews: true });

const AUTH: Readonly<Record<RouteSpec['auth'], string>> = {
  bearer: 'bearer token',
  public: 'public',
  asset: 'public',
  'query-token': 'token in the query',
  signature: 'signature',
};

export function docsRoute(deps: { readonly version: string }, routes: () => readonly RouteSpec[]): RouteSpec {
  let answer: Promise<Answer> | undefined;
  return get('/docs', {
    operation: 'docs',
    isLong: true,
    summary: 'This interface as a page.',
    responses: { 200: { description: 'The page.', type: 'text/html' } },
    handle: () =>
      (answer ??= openApi(routes(), deps.version)
        .then(docsPage)
        .then((page) => html(page, 200, { 'content-security-policy': WEB_POLICY }))),
  });
}

/** The script and the style sheet of the page, which are public because they hold no data. */
const FILES: ReadonlyMap<string, { readonly type: string; readonly parts: readonly string[] }> = new Map([
  ['style.css', { type: 'text/css; charset=utf-8', parts: ['tokens.css', 'base.css', 'docs.css'] }],
  ['script.js', { type: 'text/javascript; charset=utf-8', parts: ['docs.js'] }],
]);

export function docsFileRoute(): RouteSpec {
  return get('/docs/{name}', {
    auth: 'asset',
    operation: 'docsFile',
    summary: 'A file of the page of this interface: `style.css` or `script.js`.',
    params: z.object({ name: z.string() }),
    responses: { 200: { description: 'The file.', type: 'text/css' }, 404: 'The page has no such file.' },
    handle({ params: { name } }) {
      const file = FILES.get(name);
      if (file === undefined) throw new HttpError(404, 'The page has no such file.');
      return text(file.type, file.parts.map(webFile).join(''), { 'content-security-policy': WEB_POLICY });
    },
  });
}

/** In slices, as the document. */
export async function docsPage(document: OpenApi): Promise<string> {
  const entries = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Endpoint => ({ path, method: method.toUpperCase(), operation })),
  );
  const groups = document.tags.map((tag) => ({
    ...tag,
    entries: entries.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
  const sections: Markup[] = [];
  for await (const group of inSlices(groups)) sections.push(section(group));
  const schemas: Markup[] = [];
  for await (const each of inSlices(Object.entries(document.components.schemas))) schemas.push(schemaArticle(each));
  const head = markup`<link rel="stylesheet" href="/docs/style.css">
<script type="module" src="/docs/script.js"></script>`;
  const body = markup`${introduction(document)}
<nav aria-label="Routes"><ul class="toc">${groups.map(contents)}
<li><a href="#schemas">Schemas</a></li></ul></nav>
${sections}
<section><h2 id="schemas">Schemas</h2>
${schemas}</section>`;
  return page({ title: `${document.info.title}: the interface`, head, body });
}

function introduction({ info }: OpenApi): Markup {
  return markup`<header><h1>${info.title} ${info.version}</h1>
<p>${info.description} The same for programs: <a href="/openapi.json">/openapi.json</a>, and
<a href="/asyncapi.json">/asyncapi.json</a> for sockets and streams.</p>
<p>Every route but the public ones wants the header <code>Authorization: Bearer &lt;token&gt;</code>. Errors are
<code>{"error": "…"}</code>. The token is made at every start, printed on the daemon’s terminal and kept in
<code>daemon.token</code> in its home; <code>GET /pair</code> and <code>POST /pair</code> hand it to a client. The
samples for a shell use <code>DAYBOOK_URL</code> and <code>DAYBOOK_TOKEN</code>.</p>
<form id="session" class="line" hidden><label for="token">Token of this tab, to try routes</label>
<input id="token" type="password" autocomplete="off" spellcheck="false">
<button type="submit">Use token</button> <span id="session-state" class="quiet" role="status"></span></form>
</header>`;
}

interface Group {
  readonly name: string;
  readonly description?: string;
  readonly entries: readonly Endpoint[];
}

function section({ name, description, entries }: Group): Markup {
  return markup`<section><h2 id="${name}">${name}</h2>
${description === undefined ? null : markup`<p class="quiet">${description}</p>`}
${entries.map(routeArticle)}</section>
`;
}

function contents({ name, entries }: Group): Markup {
  const links = entries.map(
    ({ path, method, operation }) =>
      markup`<li><a href="#${operation.operationId}"><code>${method} ${path}</code></a></li>`,
  );
  return markup`<li><details><summary>${name}</summary><ul><li><a href="#${name}">About</a></li>${links}</ul></details></li>
`;
}

function routeArticle(entry: Endpoint): Markup {
  const { path, method, operation } = entry;
  const body = operation.requestBody;
  return markup`<article class="message" id="${operation.operationId}">
<h3 class="route"><code>${method} ${path}</code> <span class="quiet">${operation.operationId} · ${
    AUTH[operation['x-auth']]
  }</span></h3>
<p>${prose(operation.summary)}</p>
${operation.parameters.length === 0 ? null : parameterList(operation.parameters)}
${
  body === undefined
    ? null
    : markup`<h4>Body${body.required ? '' : ' (may be left out)'}</h4>${contentMarkup(body.content)}`
}
<h4>Answers</h4>
<dl class="answers">${Object.entries(operation.responses).map(
    ([status, { description, content }]) =>
      markup`<dt><code>${status}</code></dt><dd>${prose(description)}${
        content === undefined || isPlainError(content) ? null : contentMarkup(content)
      }</dd>`,
  )}</dl>
<details><summary>curl</summary><pre class="sample" tabindex="0">${curlSample(entry)}</pre></details>
<details><summary>TypeScript</summary><pre class="sample" tabindex="0">${clientSample(entry)}</pre></details>
${tryForm(entry)}
</article>
`;
}

/** The common error body, which is not shown for each answer. */
function isPlainError(content: Content): boolean {
  return content['application/json']?.schema.$ref === '#/components/schemas/Error';
}

function parameterList(parameters: readonly Parameter[]): Markup {
  return markup`<h4>Parameters</h4>
<ul class="fields">${parameters.map(
    ({ name, in: where, required, description, schema }) =>
      markup`<li><code>${name}</code> <span class="type">${where} · ${typeMarkup(schema)}</span>${
        required ? markup` <span class="required">required</span>` : null
      }${description === undefined ? null : markup` <span class="quiet">${prose(description)}</span>`}</li>
`,
  )}</ul>`;
}

function contentMarkup(content: Content): Markup {
  const [entry] = Object.entries(content);
  if (entry === undefined) return markup``;
  const [type, { schema, example, 'x-events': events }] = entry;
  const others = Object.keys(content).slice(1).join(', ');
  if (type !== 'application/json' && events === undefined) return markup` <span class="quiet">${type}</span>`;
  const named = Object.entries(events?.named ?? {});
  return markup`${events === undefined ? null : markup`<p class="quiet">Server-sent events; the data of each is</p>`}
${schemaMarkup(schema)}
${named.length === 0 ? null : markup`<ul class="fields">${named.map(([name, what]) => markup`<li>event <code>${name}</code> <span class="quiet">${what}</span></li>`)}</ul>`}
${events === undefined ? null : markup`<p class="quiet">${events.id === undefined ? '' : `Id: ${events.id} `}End: ${prose(events.end)}</p>`}
${others === '' ? null : markup`<p class="quiet">Or the bytes of ${others}.</p>`}
<details><summary>example</summary><pre class="sample" tabindex="0">${JSON.stringify(example, null, 2)}</pre></details>`;
}

/** Hidden until the page's script shows it. */
function tryForm({ path, method, operation }: Endpoint): Markup {
  const id = operation.operationId;
  const fields = operation.parameters.filter((each) => each.in !== 'header');
  const example = operation.requestBody?.content['application/json']?.example;
  return markup`<details class="try" hidden><summary>Try it</summary>
<form data-method="${method}" data-path="${path}">
${fields.map(
  ({ name, in: where, required, example: value }) =>
    markup`<p class="line"><label for="${id}-${name}">${name}</label>
<input id="${id}-${name}" name="${name}" data-in="${where}" value="${required ? String(value) : ''}"></p>
`,
)}${
  example === undefined
    ? null
    : markup`<label for="${id}-body">Body</label>
<textarea id="${id}-body" data-in="body" rows="4" spellcheck="false">${JSON.stringify(example, null, 2)}</textarea>`
}<p class="line"><button type="submit">Send</button> <button type="button" data-stop hidden>Stop</button>
<span class="quiet" role="status"></span></p>
<pre class="sample" tabindex="0" hidden></pre>
</form></details>`;
}

function schemaArticle([name, schema]: [string, JsonSchema]): Markup {
  const { description } = schema;
  return markup`<article class="message" id="schema-${name}"><h3 class="route">${name}</h3>
${typeof description === 'string' ? markup`<p class="quiet">${prose(description)}</p>` : null}
${schemaMarkup(schema)}</article>
`;
}
