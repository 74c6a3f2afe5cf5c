/**
 * Sessions for people: the list, one session as a readable document, and the same document for sharing.
 *
 * - The list has the statuses of a JobRecord: `partial` and `cancelled` are neither success nor failure, and clients
 *   branch on these words.
 * - Every text of a run is untrusted and escaped by `markup`.
 */
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { cut, withEllipsis } from '../../lib/characters.ts';
import type { Clock } from '../../ports/clock.ts';
import { type JobRow, job, jobCount, SESSIONS_MAX, sessions, zJobRecord } from '../../projections/run/job-rows.ts';
import type { Views } from '../../projections/views.ts';
import type { AsOf } from '../../queries/as-of/past-views.ts';
import { ofRun, type PastJobSources } from '../../queries/run/past-jobs.ts';
import { age, type Markup, markup, moment, page } from '../html.ts';
import { asOfField, invalidAt, zAt } from '../server/as-of.ts';
import { whileConnected } from '../server/disconnect.ts';
import { jsonArray } from '../server/json-array.ts';
import { type Answer, html, ok, type RouteSpec, routesOf } from '../server/route.ts';
import { invalidPage, pastJobList, presentTexts, zJobPage } from './job-list.ts';
import { sessionDocument } from './session-document.ts';

const { get } = routesOf({ tag: 'sessions' });

export interface Dependencies extends PastJobSources {
  readonly clock: Clock;
}

const TASK_CHARACTERS_MAX = 80;

const zSession = z.object({
  id: z.string().describe('Id of the run.'),
  task: z.string(),
  provider: z.string(),
  model: z.string(),
  started_at: z.int(),
  finished_at: z.int().nullable(),
  status: zJobRecord.shape.status,
  summary: z.string().nullable().describe('Its result, or why it failed; null before its end.'),
  step_count: z.int(),
  parent_session_id: z.string().nullable(),
  depth: z.int().describe('The number of runs that it descends from.'),
  project_path: z.string().nullable(),
  ...asOfField,
});
z.globalRegistry.add(zSession, { id: 'Session' });

const zId = z.object({ id: z.string() });
const zMoment = z.object({ at: zAt });
const HTML = 'text/html';
const unknown = { 404: { description: 'Unknown session, as a page.', type: HTML } };

export function sessionRoutes(deps: Dependencies): readonly RouteSpec[] {
  return [
    get('/sessions', {
      operation: 'listPage',
      summary: 'The newest 200 sessions as a page.',
      responses: { 200: { description: 'The list.', type: HTML } },
      handle: () => html(list(sessions(deps.views), { total: jobCount(deps.views), now: deps.clock.now() })),
    }),
    get('/sessions.json', {
      operation: 'list',
      summary:
        'The newest 200 sessions, or `limit`, newest started first; `after` (a session id) continues the list. With ' +
        '`at` the list as it was then, and `as_of` in each item.',
      query: zJobPage,
      responses: ok('A bare array.', z.array(zSession), invalidPage),
      handle: ({ query, request }) => sessionList(deps, query, request),
    }),
    get('/view/{id}', {
      operation: 'view',
      isLong: true,
      summary: 'One session as a readable page: what was asked, done and said; `at` answers as it was then.',
      params: zId,
      query: zMoment,
      responses: { 200: { description: 'The document.', type: HTML }, ...invalidAt, ...unknown },
      handle: ({ params, query, request }) => view(deps, params.id, { at: query.at, request, banner: null }),
    }),
    get('/share/{id}', {
      operation: 'share',
      isLong: true,
      summary: 'The same page with a note that it is shared and read-only, kept out of search engines.',
      params: zId,
      query: zMoment,
      responses: { 200: { description: 'The document.', type: HTML }, ...invalidAt, ...unknown },
      handle: ({ params, query, request }) => view(deps, params.id, { at: query.at, request, banner: SHARED }),
    }),
  ];
}

const SHARED = markup`<meta name="robots" content="noindex, nofollow">
<p class="banner" role="note"><strong>Shared</strong> session: a read-only copy. Nothing here can start or change
a run.</p>`;

interface Shown {
  readonly at: string | undefined;
  readonly request: FastifyRequest;
  readonly banner: Markup | null;
}

function view(deps: Dependencies, id: string, { at, request, banner }: Shown): Answer | Promise<Answer> {
  if (at === undefined) return html200(documentIn(deps.views, id, deps.clock.now()), banner);
  return whileConnected(request, async (signal) => {
    const then = await deps.past.moment(at, signal);
    const time = deps.log.at(then.position)?.at ?? deps.clock.now();
    const { result, asOf } = await deps.past.read(then, ofRun(id), (views) => documentIn(views, id, time), signal);
    return html200(result, markup`${banner}${asOfBanner(asOf)}`);
  });
}

interface SessionPage {
  readonly title: string;
  readonly body: Markup;
}

/** The document of a session in the views. The duration of an active run is measured up to `now`. */
function documentIn(views: Views, id: string, now: number): SessionPage | undefined {
  const row = job(views, id);
  if (row === undefined) return undefined;
  const title = `${cut(row.task, TASK_CHARACTERS_MAX).text} · Daybook`;
  return { title, body: sessionDocument(views, row, now) };
}

function html200(document: SessionPage | undefined, banner: Markup | null): Answer {
  if (document === undefined) return html(nothingThere(), 404);
  return html(page({ ...document, ...(banner && { banner }) }));
}

function asOfBanner({ asked, position, at, leaf_hash }: AsOf): Markup | null {
  if (at === null) return null;
  return markup`
<p class="banner" role="note"><strong>As of ${asked}</strong>: folded from the log up to its event ${position} of
${moment(at)} (leaf hash <code>${leaf_hash}</code>). This is not the present state.</p>`;
}

function sessionList(
  deps: Dependencies,
  { at, limit = SESSIONS_MAX, after }: z.infer<typeof zJobPage>,
  request: FastifyRequest,
): Promise<Answer> {
  const page = { limit, after };
  const shown = ({ row }: { readonly row: JobRow }): string => JSON.stringify(item(row));
  if (at !== undefined) return pastJobList(deps, { ...page, at }, { request, shown });
  const textOf = (id: string): string | undefined => {
    const row = job(deps.views, id);
    return row && shown({ row });
  };
  return jsonArray(presentTexts(deps.views, page, textOf));
}

function item(row: JobRow): z.infer<typeof zSession> {
  return {
    id: row.session_id,
    task: row.task,
    provider: row.provider,
    model: row.model,
    started_at: row.started_at,
    finished_at: row.finished_at,
    status: row.status,
    summary: row.summary,
    step_count: row.steps_completed,
    parent_session_id: row.parent_session_id,
    depth: row.depth,
    project_path: row.workspace === '' ? null : row.workspace,
  };
}

function list(rows: readonly JobRow[], { total, now }: { readonly total: number; readonly now: number }): string {
  const items = markup`<ul class="rows">${rows.map((row) => listItem(row, now))}</ul>`;
  const none = markup`<p class="empty">No session yet. Start one with <code>POST /agent</code> or at
<a href="/web">/web</a>.</p>`;
  const body = markup`<header><h1>Sessions</h1>
<p class="quiet">${howMany(rows.length, total)}</p></header>
${rows.length === 0 ? none : items}`;
  return page({ title: 'Sessions · Daybook', body });
}

function howMany(shown: number, total: number): string {
  if (total === 0) return 'None yet';
  return shown === total ? `${total}, newest first` : `The newest ${shown} of ${total}`;
}

function listItem(row: JobRow, now: number): Markup {
  const task = withEllipsis(row.task.replace(/\s+/g, ' '), TASK_CHARACTERS_MAX);
  const steps = `${row.steps_completed} ${row.steps_completed === 1 ? 'step' : 'steps'}`;
  return markup`<li><a class="row" href="/view/${encodeURIComponent(row.session_id)}">
<span class="badge ${row.status}">${row.status}</span>
<span class="what">${task}</span>
<span class="quiet">${age(row.started_at, now)} · ${steps} · ${row.provider}</span>
</a></li>
`;
}

function nothingThere(): string {
  const body = markup`<header><h1>Session not found</h1></header>
<p>There is no session with this id on this daemon.</p>
<p><a href="/sessions">All sessions</a></p>`;
  return page({ title: 'Session not found · Daybook', body });
}
