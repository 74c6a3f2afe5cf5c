/**
 * Inbound webhooks, stream `delivery-<hash of kind and delivery id>`. Appended by the webhook routes (deliveries) and
 * by the review reactor (outcomes).
 *
 * - Bodies and signatures are not kept: only the fields that the review needs, and the SHA-256 of the raw bytes.
 * - The diff is not kept either; its size and SHA-256 identify the reviewed diff.
 */
import { z } from 'zod';
import { define, ERASED_TEXT, type EventIn } from './define.ts';

/** The pull request of a delivery. */
export const zForgeRequest = z.object({
  action: z.string().describe('What happened to the pull request, as the forge names it.'),
  repository: z.string().describe('Repository as owner/name.'),
  number: z.int().describe('Number of the pull request.'),
  title: z.string(),
  head: z
    .object({ sha: z.string(), ref: z.string().describe('Branch that it is on.') })
    .describe('The newest commit of the pull request.'),
  base: z
    .object({ sha: z.string(), ref: z.string().describe('Branch that it is on.') })
    .describe('The commit that it is to be merged into.'),
  diff_url: z.string().describe('Where the forge offers the diff.'),
  clone_url: z.string().nullable().describe('Where the repository can be cloned from; null when the forge named none.'),
});
z.globalRegistry.add(zForgeRequest, { id: 'ForgeRequest' });
export type ForgeRequest = z.infer<typeof zForgeRequest>;

const zFinding = z.object({
  file: z.string().nullable().describe('Path in the repository; null when it is about no file.'),
  line: z.int().nullable().describe('Line in the file, from 1; null when it is about none.'),
  severity: z.string().nullable().describe('As the model named it; null when it named none.'),
  title: z.string(),
  detail: z.string().describe('What is wrong, and why.'),
});
z.globalRegistry.add(zFinding, { id: 'Finding' });
export type Finding = z.infer<typeof zFinding>;

const zCoverage = z.object({
  files_total: z.int().describe('Files of the diff.'),
  files_reviewed: z.int().describe('Files that the model was shown.'),
  llm_calls: z.int().describe('Requests to the model.'),
  llm_calls_failed: z.int().describe('Requests to the model that failed for good.'),
  files_truncated: z.array(z.string()).describe('Files of which the model saw a part.'),
  files_skipped: z.array(z.string()).describe('Files that are not reviewed because the diff is too long.'),
  files_provider_failed: z.array(z.string()).describe('Files whose request to the model failed.'),
  diff_cut: z.boolean().describe('The diff exceeds the limit; files after the cut are in no list.'),
});
export type Coverage = z.infer<typeof zCoverage>;

const zReceived = z.object({
  delivery_id: z.string().nullable().describe('As the sender named it; null when it named none.'),
  body_sha256: z.string(),
  body_length: z.int(),
});
export type Received = z.infer<typeof zReceived>;

export const zReview = z.object({
  findings: z.array(zFinding).describe('What the model found, in the order of its answers.'),
  summary: z.string().describe('The review in a sentence or two.'),
  coverage: zCoverage.describe('What of the diff was reviewed.'),
  source: z.enum(['diff_url', 'git']).describe('Where the diff came from: the forge, or git.'),
  diff_bytes: z.int(),
  diff_sha256: z.string(),
  provider: z.string(),
  model: z.string(),
});
export type Review = z.infer<typeof zReview>;

const ERASED_REVIEW: Review = {
  findings: [],
  summary: ERASED_TEXT,
  coverage: {
    files_total: 0,
    files_reviewed: 0,
    llm_calls: 0,
    llm_calls_failed: 0,
    files_truncated: [],
    files_skipped: [],
    files_provider_failed: [],
    diff_cut: false,
  },
  source: 'diff_url',
  diff_bytes: 0,
  diff_sha256: '',
  provider: '',
  model: '',
};

export const deliveryEvents = {
  /** Signed, but of a kind that is not handled. */
  DeliveryIgnored: define('DeliveryIgnored', zReceived.extend({ event: z.string(), action: z.string().nullable() })),
  ReviewRequested: define('ReviewRequested', zReceived.extend({ request: zForgeRequest })),
  ReviewStarted: define('ReviewStarted', z.object({ attempt: z.int().positive() })),
  ReviewInterrupted: define('ReviewInterrupted', z.object({ attempt: z.int(), reason: z.string() })),
  ReviewCompleted: define('ReviewCompleted', zReview, { whenErased: ERASED_REVIEW }),
  ReviewFailed: define('ReviewFailed', z.object({ kind: z.enum(['diff', 'model', 'internal']), message: z.string() }), {
    whenErased: { kind: 'internal', message: ERASED_TEXT },
  }),
  /** In one commit with the run that it started. */
  SkillTriggered: define(
    'SkillTriggered',
    zReceived.extend({ skill: z.string(), webhook_trigger: z.string(), session_id: z.string() }),
  ),
} as const;

export type DeliveryEvent = EventIn<typeof deliveryEvents>;
