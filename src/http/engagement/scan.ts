/**
 * Walks a workspace and proposes files as evidence. Proposals only: with `attach` they are recorded, statuses never
 * change.
 */
import { resolve } from 'node:path';
import { z } from 'zod';
import { engagement as decider } from '../../commands/engagement/decide.ts';
import { type Detection, detect, UNDETECTABLE } from '../../commands/engagement/scan-rules.ts';
import type { Config } from '../../config.ts';
import type { Fingerprint } from '../../events/engagement/events.ts';
import type { EngagementDocument } from '../../events/engagement/records.ts';
import type { EvidenceFiles, Walk, WalkedFile } from '../../ports/evidence-files.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import type { Views } from '../../projections/views.ts';
import { documentThen } from '../../queries/engagement/as-of.ts';
import type { EventLog } from '../../storage/event-log.ts';
import { type Answer, value } from '../server/answer.ts';
import { HttpError } from '../server/errors.ts';
import { type Call, type RouteSpec, route } from '../server/route.ts';
import { badRequest, freshId, unknownId, zId, zPath, zReason } from './schemas.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly config: Config;
  readonly ids: IdGenerator;
  readonly log: EventLog;
  readonly views: Views;
  readonly evidenceFiles: EvidenceFiles;
}

export const CANDIDATES_MAX = 400;
/** Bytes hashed for one attaching scan; files beyond it are attached with their size alone. */
const HASHED_BYTES_MAX = 1_073_741_824;

const zCandidate = z.object({ deliverable_key: z.string(), rule: z.string(), path: z.string(), bytes: z.int() });

const zScanReport = z.object({
  root: z.string(),
  files_scanned: z.int(),
  candidates: z.array(zCandidate),
  truncated: z.boolean(),
  undetectable: z.array(z.string()),
  notes: z.array(z.string()),
});

const zScanBody = z
  .object({
    path: zPath.nullish(),
    attach: z
      .boolean()
      .nullish()
      .transform((attach) => attach === true),
    reason: zReason,
  })
  .optional();

interface Candidate extends z.infer<typeof zCandidate> {
  readonly file: WalkedFile;
}

export function scanRoute(deps: Dependencies): RouteSpec {
  return route({
    method: 'POST',
    path: '/engagements/{id}/scan',
    summary: 'Proposes files of a workspace as evidence; `attach` records them, statuses never change.',
    tag: 'engagements',
    auth: 'bearer',
    params: zId,
    body: zScanBody,
    responses: {
      200: {
        description: 'What was found, and how many were attached: null when none were to be.',
        schema: z.object({ scan: zScanReport, attached: z.int().nullable() }),
      },
      ...badRequest,
      ...unknownId,
    },
    handle: (call) => scan(deps, call),
  });
}

async function scan(
  deps: Dependencies,
  { params: { id }, body, dispatch }: Call<z.infer<typeof zId>, unknown, z.infer<typeof zScanBody>>,
): Promise<Answer> {
  const { document } = documentThen(deps, id, undefined);
  const found = await find(deps, rootOf(deps, document, body?.path));
  const { candidates, ...report } = found;
  const shown = { ...report, candidates: candidates.map(({ file: _file, ...candidate }) => candidate) };
  if (body?.attach !== true) return value({ scan: shown, attached: null });
  const fresh = await withFingerprints(deps, unattached(document, candidates));
  const { events } = await dispatch(decider, id, {
    type: 'AttachFound',
    found: fresh.map(({ candidate, file }) => ({
      evidence_id: freshId(deps),
      deliverable_key: candidate.deliverable_key,
      label: `detected: ${candidate.rule}`,
      reference: candidate.path,
      file,
    })),
    reason: body.reason,
  });
  return value({ scan: shown, attached: events.length });
}

function rootOf(
  deps: Dependencies,
  { engagement: { workspace_path } }: EngagementDocument,
  path: string | null | undefined,
): { readonly root: string; readonly named: string } {
  if (path != null && path.trim() !== '') {
    return { root: resolve(workspace_path ?? deps.config.workspace, path), named: 'path' };
  }
  if (workspace_path !== null) return { root: workspace_path, named: 'workspace_path' };
  throw new HttpError(400, 'path must name a directory: this engagement has no workspace bound to it.');
}

async function find(deps: Dependencies, { root, named }: { readonly root: string; readonly named: string }) {
  const detections = new Map<string, readonly Detection[]>();
  let count = 0;
  let full = false;
  const walk = await deps.evidenceFiles.walk(root, (relative) => {
    const detected = detect(relative.toLowerCase());
    if (detected.length === 0) return 'skip';
    full = count >= CANDIDATES_MAX;
    if (full) return 'stop';
    detections.set(relative, detected);
    count += detected.length;
    return 'take';
  });
  if (walk === undefined) throw new HttpError(400, `${named} must name a directory that exists and can be read.`);
  const all = candidatesOf(walk, detections);
  const candidates = all.slice(0, CANDIDATES_MAX);
  full ||= all.length > CANDIDATES_MAX;
  const cutShort = [...walk.cutShort, ...(full ? [`The scan stopped after ${CANDIDATES_MAX} candidates.`] : [])];
  return {
    root,
    files_scanned: walk.filesScanned,
    candidates,
    truncated: cutShort.length > 0,
    undetectable: UNDETECTABLE,
    notes: notes(cutShort),
  };
}

function notes(cutShort: readonly string[]): readonly string[] {
  return [
    'Candidates are not findings: a file was recognised by its name and place alone; read it before you rely on it.',
    ...(cutShort.length === 0 ? [] : [`The list is incomplete. ${cutShort.join(' ')}`]),
    'Deliverables listed as undetectable cannot be shown by a file; that they have no candidate means nothing.',
  ];
}

/** By deliverable, then by path; names that differ in case alone are one candidate. */
function candidatesOf(walk: Walk, detections: ReadonlyMap<string, readonly Detection[]>): readonly Candidate[] {
  const found = new Map<string, Candidate>();
  for (const file of walk.taken) {
    const path = file.relative.toLowerCase();
    for (const { deliverable_key, rule } of detections.get(file.relative) ?? []) {
      const once = `${deliverable_key}\n${path}`;
      if (!found.has(once)) found.set(once, { deliverable_key, rule, path, bytes: file.bytes, file });
    }
  }
  return [...found.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, candidate]) => candidate);
}

function unattached(document: EngagementDocument, candidates: readonly Candidate[]): readonly Candidate[] {
  const keys = new Map(document.deliverables.map(({ id, key }) => [id, key]));
  const attached = new Set(document.evidence.map((item) => `${keys.get(item.deliverable_id)}\n${item.reference}`));
  return candidates.filter(({ deliverable_key, path }) => !attached.has(`${deliverable_key}\n${path}`));
}

async function withFingerprints(deps: Dependencies, candidates: readonly Candidate[]) {
  const fresh: { readonly candidate: Candidate; readonly file: Fingerprint | null }[] = [];
  let hashed = 0;
  for (const candidate of candidates) {
    const { path, bytes } = candidate.file;
    hashed += bytes;
    const file =
      hashed <= HASHED_BYTES_MAX
        ? await deps.evidenceFiles.fingerprint(path)
        : { path, size_bytes: bytes, sha256: null };
    fresh.push({ candidate, file });
  }
  return fresh;
}
