/** The script and the style sheet of `/docs`, which are public because they hold no data. */

import { z } from 'zod';
import { webFile } from '../html.ts';
import { text } from '../server/answer.ts';
import { HttpError, zError } from '../server/errors.ts';
import { type RouteSpec, route } from '../server/route.ts';
import { WEB_POLICY } from '../web.ts';

const FILES: ReadonlyMap<string, { readonly type: string; readonly parts: readonly string[] }> = new Map([
  ['style.css', { type: 'text/css; charset=utf-8', parts: ['tokens.css', 'base.css', 'docs.css'] }],
  ['script.js', { type: 'text/javascript; charset=utf-8', parts: ['docs.js'] }],
]);

export function docsFileRoute(): RouteSpec {
  return route({
    method: 'GET',
    path: '/docs/{name}',
    operation: 'docsFile',
    summary: 'A file of the page of this interface: `style.css` or `script.js`.',
    tag: 'about',
    auth: 'asset',
    withoutViews: true,
    params: z.object({ name: z.string() }),
    responses: {
      200: { description: 'The file.', type: 'text/css' },
      404: { description: 'The page has no such file.', schema: zError },
    },
    handle({ params: { name } }) {
      const file = FILES.get(name);
      if (file === undefined) throw new HttpError(404, 'The page has no such file.');
      return text(file.type, file.parts.map(webFile).join(''), { 'content-security-policy': WEB_POLICY });
    },
  });
}
