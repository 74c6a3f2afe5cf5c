/** Evidence bundles: zip files with events of the log and everything that is needed to verify them offline. */
import { hash } from 'node:crypto';
import { z } from 'zod';
import { Refused, refused } from '../../commands/refusal.ts';
import { formatNote, signText } from '../../lib/tlog/signed-note.ts';
import type { EvidenceFiles } from '../../ports/evidence-files.ts';
import type { EngagementSources } from '../../queries/engagement/as-of.ts';
import { documentParts } from '../../queries/engagement/document-parts.ts';
import { handoverMarkdown } from '../../queries/engagement/handover.ts';
import { reportMarkdown } from '../../queries/engagement/report.ts';
import { evidenceBundle } from '../../queries/evidence/bundle.ts';
import { type EngagementDocuments, evidenceDocuments } from '../../queries/evidence/documents.ts';
import { type Subject, subjectOf } from '../../queries/evidence/selection.ts';
import type { Cosigning } from '../../reactors/tlog/cosigning.ts';
import { type LogKeys, vkeyOf } from '../../reactors/tlog/log-keys.ts';
import { canonicalJson } from '../../storage/canonical-json.ts';
import type { EventLog } from '../../storage/event-log.ts';
import { webFile } from '../html.ts';
import { zCursor } from '../server/query-params.ts';
import { type Answer, bytes, type RouteSpec, routesOf } from '../server/route.ts';

const { get } = routesOf({ tag: 'log' });

export interface Dependencies extends EngagementSources {
  readonly evidenceFiles: EvidenceFiles;
  readonly logKeys: LogKeys;
  readonly cosigning: Pick<Cosigning, 'published'>;
}

const ZIP_TYPE = 'application/zip';

const zWithFiles = z.enum(['0', '1', 'true', 'false']).default('0').describe('1: the attached files too.');
const zRange = z
  .string()
  .regex(/^[1-9]\d{0,14}-[1-9]\d{0,14}$/, { error: 'must be two positions such as 10-20', abort: true })
  .refine((range) => {
    const { first, last } = endsOf(range);
    return first <= last;
  }, 'must begin with the smaller position');

const responses = {
  200: { description: 'The bundle.', headers: { 'Content-Disposition': 'Name of the file.' }, type: ZIP_TYPE },
  400: 'More events than a bundle holds, or a wrong field.',
  404: 'The log has no such events.',
  503: 'The log is not signed; says why.',
};

/** Subjects with a route of their own, under the path and the tag of the subject. */
const SUBJECTS = [
  { kind: 'engagement', tag: 'engagements', path: '/engagements/{id}/evidence.zip', operation: 'evidenceBundle' },
  { kind: 'run', tag: 'runs', path: '/jobs/{id}/evidence.zip', operation: 'evidenceBundle' },
  { kind: 'goal', tag: 'goals', path: '/v1/goals/{id}/evidence.zip', operation: 'evidenceBundle' },
] as const;

export function evidenceRoutes(deps: Dependencies): readonly RouteSpec[] {
  return [...SUBJECTS.map((subject) => subjectRoute(deps, subject)), selectionRoute(deps)];
}

function subjectRoute(deps: Dependencies, { kind, path, ...head }: (typeof SUBJECTS)[number]): RouteSpec {
  return get(path, {
    ...head,
    isLong: true,
    summary: `All events of the ${kind} with their proofs, as one file that anybody can check offline.`,
    params: z.object({ id: z.string() }),
    query: z.object({ with_files: zWithFiles }),
    responses,
    handle: ({ params, query }) => bundleOf(deps, { kind, id: params.id }, query),
  });
}

function selectionRoute(deps: Dependencies): RouteSpec {
  return get('/v1/evidence.zip', {
    operation: 'evidenceBundle',
    isLong: true,
    summary: 'The evidence bundle of an engagement, a run or a goal, of a stream, or of a range of positions.',
    query: z.object({
      of: z.string().optional().describe('Id of an engagement, a run or a goal.'),
      stream: z.string().optional(),
      positions: zRange.optional().describe('First and last position, such as 10-20.'),
      with_files: zWithFiles,
      since: zCursor
        .optional()
        .describe('Size of a checkpoint that the reader holds: the bundle proves that the log continues it.'),
    }),
    responses,
    handle: ({ query }) => bundleOf(deps, subjectIn(deps.log, query), query),
  });
}

interface Selection {
  readonly of?: string | undefined;
  readonly stream?: string | undefined;
  readonly positions?: string | undefined;
}

function subjectIn(log: EventLog, { of, stream, positions }: Selection): Subject {
  if ([of, stream, positions].filter((field) => field !== undefined).length !== 1) {
    throw refused('invalid', 'Name one of these: of, stream, positions.');
  }
  if (of !== undefined) return subjectOf(log, of);
  if (stream !== undefined) return { kind: 'stream', id: stream };
  return { kind: 'positions', id: positions!, ...endsOf(positions!) };
}

function endsOf(range: string): { readonly first: number; readonly last: number } {
  const [first = 0, last = 0] = range.split('-').map(Number);
  return { first, last };
}

interface Options {
  readonly with_files: string;
  readonly since?: number | undefined;
}

async function bundleOf(deps: Dependencies, subject: Subject, { with_files, since }: Options): Promise<Answer> {
  const { log, evidenceFiles } = deps;
  const { keys, checkpoint, size } = await signedHead(deps);
  const zip = await evidenceBundle(
    { log, evidenceFiles, canonical: canonicalJson },
    {
      subject,
      withFiles: with_files === '1' || with_files === 'true',
      since,
      checkpoint,
      vkey: vkeyOf(keys.origin, keys.log),
      sign: (text) => formatNote({ text, signatures: [signText(keys.log, keys.origin, text)] }),
      texts: async (selection) => [
        ...(await evidenceDocuments({ subject, size, selection, ofEngagement: engagementDocuments(deps) })),
        ['verify.html', verifyPage()],
        ['VERIFY.md', verifyGuide()],
      ],
    },
  );
  const name = `evidence-${subject.kind}-${subject.id.replace(/[^\w.-]/g, '_')}.zip`;
  return bytes(ZIP_TYPE, zip, { 'content-disposition': `attachment; filename="${name}"` });
}

/** The newest checkpoint and the keys that signed it, although the key may be replaced meanwhile. */
async function signedHead({ logKeys, cosigning }: Pick<Dependencies, 'logKeys' | 'cosigning'>) {
  for (;;) {
    const keys = await logKeys.open();
    const { note: checkpoint, size } = await cosigning.published();
    if ((await logKeys.open()) === keys) return { keys, checkpoint, size };
  }
}

/** The documents of an engagement as of the checkpoint; null when the engagement was removed before it. */
function engagementDocuments(deps: Dependencies): EngagementDocuments {
  return async (id, size) => {
    const parts = await documentParts(deps, id, String(size)).catch((error: unknown) => {
      if (error instanceof Refused && error.refusal.kind === 'not_found') return null;
      throw error;
    });
    return parts && { report: reportMarkdown(parts), handover: handoverMarkdown(parts) };
  };
}

const SCRIPTS = ['zip.js', 'note.js', 'form.js', 'streams.js', 'held.js', 'verify.js', 'page.js'];

let page: string | undefined;

/**
 * The verifier of a bundle: `verify.html`, one page that works from a file without network, and its guide `VERIFY.md`.
 *
 * - The content security policy of the page allows its one script and its one style by their hashes, and nothing else.
 */
export function verifyPage(): string {
  page ??= makePage();
  return page;
}

export function verifyGuide(): string {
  return webFile('evidence/VERIFY.md');
}

function makePage(): string {
  const script = SCRIPTS.map((name) => asScript(webFile(`evidence/${name}`))).join('\n');
  const style = webFile('evidence/page.css');
  const policy = `default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(style)}; base-uri 'none'; form-action 'none'`;
  return webFile('evidence/page.html')
    .replace('{policy}', () => policy)
    .replace('{style}', () => style)
    .replace('{script}', () => script);
}

/** A module without imports and exports, because the page joins its modules to one script. */
function asScript(text: string): string {
  return text.replace(/^import [^;]*;\n/gm, '').replace(/^export /gm, '');
}

function hashOf(text: string): string {
  return `'sha256-${hash('sha256', text, 'base64')}'`;
}
