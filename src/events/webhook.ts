/**
 * Inbound webhooks, stream `delivery-<hash of kind and delivery id>`. Appended by the webhook routes (deliveries) and
 * by the review reactor (outcomes).
 *
 * - Bodies and signatures are not kept: only the fields that the review needs, and the SHA-256 of the raw bytes.
 * - The diff is not kept either; its size and SHA-256 identify the reviewed diff.
 */
import { z } from 'zod';
import { define, type EventIn } from './define.ts';

/** The pull request of a delivery. */
export const zForgeRequest = z.object({
  action: z.string(),
  repository: z.string(),
  number: z.int(),
  title: z.string(),
  head: z.object({ sha: z.string(), ref: z.string() }),
  base: z.object({ sha: z.string(), ref: z.string() }),
  diff_url: z.string(),
  clone_url: z.string().nullable(),
});
z.globalRegistry.add(zForgeRequest, { id: 'ForgeRequest' });
export type ForgeRequest = z.infer<typeof zForgeRequest>;

export const zFinding = z.object({
  file: z.string().nullable(),
  line: z.int().nullable(),
  severity: z.string().nullable(),
  title: z.string(),
  detail: z.string(),
});
z.globalRegistry.add(zFinding, { id: 'Finding' });
export type Finding = z.infer<typeof zFinding>;

export const zCoverage = z.object({
  files_total: z.int(),
  files_reviewed: z.int(),
  llm_calls: z.int(),
  llm_calls_failed: z.int(),
  files_truncated: z.array(z.string()),
  files_skipped: z.array(z.string()),
  files_provider_failed: z.array(z.string()),
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
  findings: z.array(zFinding),
  summary: z.string(),
  coverage: zCoverage,
  source: z.enum(['diff_url', 'git']),
  diff_bytes: z.int(),
  diff_sha256: z.string(),
  provider: z.string(),
  model: z.string(),
});
export type Review = z.infer<typeof zReview>;

export const deliveryEvents = {
  /** Signed, but of a kind that is not handled. */
  DeliveryIgnored: define('DeliveryIgnored', zReceived.extend({ event: z.string(), action: z.string().nullable() })),
  ReviewRequested: define('ReviewRequested', zReceived.extend({ request: zForgeRequest })),
  ReviewStarted: define('ReviewStarted', z.object({ attempt: z.int().positive() })),
  ReviewInterrupted: define('ReviewInterrupted', z.object({ attempt: z.int(), reason: z.string() })),
  ReviewCompleted: define('ReviewCompleted', zReview),
  ReviewFailed: define('ReviewFailed', z.object({ kind: z.enum(['diff', 'model', 'internal']), message: z.string() })),
  /** In one commit with the run that it started. */
  SkillTriggered: define(
    'SkillTriggered',
    zReceived.extend({ skill: z.string(), webhook_trigger: z.string(), session_id: z.string() }),
  ),
} as const;

export type DeliveryEvent = EventIn<typeof deliveryEvents>;
