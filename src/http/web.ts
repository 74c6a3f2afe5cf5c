/**
 * The console at `/web`: one page and its files, bundled from `web/`. They are public because they hold no data; the
 * page asks for data with the bearer token.
 *
 * - Its content security policy allows its own scripts, styles and connections: no inline code and no other origins.
 * - The names of its files hold the hash of their content, so a browser caches them forever and a reload costs one
 *   public request. The page itself is not cached.
 * - In a package the bundle is in `dist/web`. In a checkout it is in the cache, and rebuilt when `web/` has changed.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { HttpError } from './server/errors.ts';
import { type Answer, html, type RouteSpec, routesOf, text } from './server/route.ts';

const { get } = routesOf({ tag: 'web', auth: 'public', withoutViews: true });

export const WEB_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; " +
  "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

const POLICY = { 'content-security-policy': WEB_POLICY };
/** The view Talk uses the microphone. */
const PAGE = { ...POLICY, 'permissions-policy': 'camera=(), microphone=(self), geolocation=()' };
const CACHED = { ...POLICY, 'cache-control': 'private, max-age=31536000, immutable' };

const FOLDERS = [
  { folder: 'scripts', operation: 'script', type: 'text/javascript', summary: 'A script of the console.' },
  { folder: 'styles', operation: 'style', type: 'text/css', summary: 'The style sheet of the console.' },
] as const;

interface Site {
  readonly index: string;
  /** By folder and name. */
  readonly files: ReadonlyMap<string, string>;
}

export interface Dependencies {
  /** Resolves with the folder of the bundle. */
  readonly consoleFolder?: () => Promise<string>;
}

export function webRoutes({ consoleFolder = siteFolder }: Dependencies = {}): readonly RouteSpec[] {
  const sites = siteReader(consoleFolder);
  return [
    get('/web', {
      operation: 'console',
      summary: 'The console, in a browser.',
      responses: {
        200: { description: 'The page.', type: 'text/html' },
        503: 'A checkout without the packages that build the page; says what to do.',
      },
      handle: async () => html((await sites.newest()).index, 200, PAGE),
    }),
    ...FOLDERS.map(({ folder, operation, type, summary }) =>
      get(`/web/${folder}/{name}`, {
        auth: 'asset',
        operation,
        summary,
        params: z.object({ name: z.string() }),
        responses: { 200: { description: 'The file.', type }, 404: 'No such file in this build.' },
        async handle({ params: { name } }): Promise<Answer> {
          const content = (await sites.known()).files.get(`${folder}/${name}`);
          if (content === undefined) throw new HttpError(404, 'The console has no such file.');
          return text(`${type}; charset=utf-8`, content, CACHED);
        },
      }),
    ),
  ];
}

interface SiteReader {
  /** The site as the files are now. */
  newest(): Promise<Site>;
  /** The site as it was read last, because the files belong to the page that names them. */
  known(): Promise<Site>;
}

function siteReader(consoleFolder: () => Promise<string>): SiteReader {
  let site: Site | undefined;
  let page = '';
  const newest = async (): Promise<Site> => {
    const folder = await consoleFolder().catch(unbuilt);
    const index = readFileSync(join(folder, 'index.html'), 'utf8');
    if (site === undefined || index !== page) {
      page = index;
      site = { index, files: new Map([...(site?.files ?? []), ...filesIn(folder)]) };
    }
    return site;
  };
  return { newest, known: () => (site === undefined ? newest() : Promise.resolve(site)) };
}

function unbuilt(error: NodeJS.ErrnoException): never {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  throw new HttpError(
    503,
    'The console cannot be built: this checkout lacks the packages for that. Run npm ci without --omit=dev in its ' +
      'folder, then reload this page. All other routes work.',
  );
}

function filesIn(site: string): [string, string][] {
  return FOLDERS.flatMap(({ folder }) =>
    readdirSync(join(site, folder)).map((name): [string, string] => [
      `${folder}/${name}`,
      readFileSync(join(site, folder, name), 'utf8'),
    ]),
  );
}

async function siteFolder(): Promise<string> {
  const packed = fileURLToPath(new URL('../web', import.meta.url));
  if (existsSync(join(packed, 'index.html'))) return packed;
  // Required, because code that V8 compiled earlier (bin/fast-start.js) cannot import.
  const require = createRequire(import.meta.url);
  const { currentWeb } = require('../../bin/build-web.js') as { currentWeb(): Promise<string> };
  return currentWeb();
}
