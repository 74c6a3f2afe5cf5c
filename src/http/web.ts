/**
 * The console at `/web`: one page and its files from `web/`. They are public because they hold no data; the page asks
 * for data with the bearer token.
 *
 * - Its content security policy allows its own script, style and connections: no inline code and no other origins.
 * - The addresses of its files hold a version, so a browser caches them and a reload costs one public request.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { webFile } from './html.ts';
import { type Answer, html } from './server/answer.ts';
import { type RouteSpec, route } from './server/route.ts';

const JAVASCRIPT = 'text/javascript; charset=utf-8';

const FILES = [
  { name: 'style.css', type: 'text/css; charset=utf-8' },
  { name: 'app.js', type: JAVASCRIPT },
  { name: 'client.js', type: JAVASCRIPT },
  { name: 'view.js', type: JAVASCRIPT },
] as const;

export const WEB_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; " +
  "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

interface Site {
  readonly index: string;
  readonly files: ReadonlyMap<string, string>;
  readonly version: string;
}

export function webRoutes(): readonly RouteSpec[] {
  let built: Site | undefined;
  const site = (): Site => (built ??= build());
  const common = { method: 'GET', tag: 'web', auth: 'public', withoutViews: true } as const;
  const policy = { 'content-security-policy': WEB_POLICY };
  return [
    route({
      ...common,
      path: '/web',
      operation: 'console',
      summary: 'The console: jobs live, in a browser.',
      responses: { 200: { description: 'The page.', type: 'text/html' } },
      handle: () => html(site().index, 200, policy),
    }),
    ...FILES.map(({ name, type }) =>
      route({
        ...common,
        path: `/web/${name}`,
        operation: name.replace(/\.(\w)/, (_dot, letter: string) => letter.toUpperCase()),
        summary: `A file of the console: ${name}.`,
        query: z.object({ v: z.string().optional() }),
        responses: { 200: { description: 'The file.', type: type.split(';', 1)[0]! } },
        handle({ query }): Answer {
          const { files, version } = site();
          const kept = query.v === version ? { 'cache-control': 'private, max-age=31536000, immutable' } : {};
          return { kind: 'text', status: 200, type, text: files.get(name)!, headers: { ...policy, ...kept } };
        },
      }),
    ),
  ];
}

/** Puts the version of all files into each address of one of them. */
function build(): Site {
  const texts = new Map<string, string>(FILES.map(({ name }) => [name, webFile(name)]));
  texts.set('style.css', webFile('base.css') + texts.get('style.css')!);
  const version = createHash('sha256')
    .update([...texts.values()].join('\0'))
    .digest('hex')
    .slice(0, 16);
  const names = FILES.map(({ name }) => name.replace('.', '\\.')).join('|');
  const versioned = (text: string): string =>
    text.replace(new RegExp(`(?<=["'](?:/web|\\.)/)(?:${names})(?=["'])`, 'g'), (name) => `${name}?v=${version}`);
  const files = new Map([...texts].map(([name, text]) => [name, versioned(text)]));
  return { index: versioned(webFile('index.html')), files, version };
}
