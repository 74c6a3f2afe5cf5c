/**
 * The facts of a briefing, each entry with the position of the event that it is derived from. They are recorded
 * completely, so that every sentence can be checked and the same briefing be made again.
 *
 * - Of memories there are counts and ids only: their texts may be encrypted at rest, or be deleted later.
 * - A list holds the newest entries; `more` says how many are not in it.
 */
import { z } from 'zod';
import { zPhase, zVerdict } from '../engagement/events.ts';

const zCount = z.int().nonnegative();
const zPosition = z.int().positive();

const listOf = <Item extends z.ZodType>(item: Item) => z.object({ items: z.array(item), more: zCount });

const zPeriod = z.object({
  from_position: zPosition.describe(
    'The first and the last covered event; `from_position` is one more than the last position when no event is covered.',
  ),
  to_position: zCount,
  tree_hash: z.string().describe('RFC 9162 tree hash of the log up to `to_position`.'),
  from: z.int().describe('Unix milliseconds.'),
  to: z.int(),
  previous: z.string().nullable().describe('The previous briefing, at whose end this one begins.'),
  is_cut: z.boolean().describe('The period has too many events; only the newest are covered.'),
});

const zRun = z.object({
  session_id: z.string(),
  status: z.enum(['complete', 'partial', 'failed', 'cancelled']),
  task: z.string(),
  summary: z.string().describe("The run's summary, or the reason for its failure."),
  workspace: z.string(),
  steps: zCount,
  files_modified: zCount,
  remaining: zCount.describe('Planned steps that are not done.'),
  ended_at: z.int(),
  position: zPosition,
});

const zRuns = listOf(zRun).extend({
  requested: zCount,
  complete: zCount,
  partial: zCount,
  failed: zCount,
  cancelled: zCount,
  running: zCount,
  queued: zCount,
});

const zWaiting = z.object({
  id: z.string(),
  session_id: z.string(),
  tool_name: z.string(),
  task: z.string(),
  requested_at: z.int(),
  expires_at: z.int(),
  position: zPosition.nullable().describe('Null when it was requested before the period.'),
});

const zApprovals = listOf(zWaiting).extend({ asked: zCount, allowed: zCount, denied: zCount, expired: zCount });

const zGoal = z.object({
  id: z.string(),
  title: z.string().nullable().describe('Null for one that is deleted.'),
  status: z.string(),
  changes: z.array(z.enum(['created', 'revised', 'planned', 'linked', 'deleted'])),
  links: zCount,
  position: zPosition,
});

const zGoals = listOf(zGoal).extend({ active: zCount });

const zEngagement = z.object({
  id: z.string(),
  name: z.string().nullable().describe('Null for one that is removed.'),
  client: z.string(),
  status: z.string(),
  phase: zPhase.nullable(),
  moves: z.array(z.object({ kind: z.enum(['advanced', 'forced', 'set']), from: zPhase, to: zPhase })),
  gates: z.array(z.object({ title: z.string(), verdict: zVerdict })),
  evidence_added: zCount,
  evidence_removed: zCount,
  deliverables_changed: zCount,
  deliverables_accepted: zCount.describe('Of the current phase.'),
  deliverables_total: zCount,
  blockers: zCount,
  gates_failed: zCount,
  position: zPosition,
});

const zEngagements = listOf(zEngagement).extend({ active: zCount });

const zMemory = z.object({
  added: zCount,
  merged: zCount,
  reflections: zCount,
  faded: zCount,
  deleted: zCount,
  drawers: zCount,
  facts_added: zCount,
  facts_closed: zCount,
  closed: listOf(z.object({ id: z.string(), position: zPosition })),
  total_memories: zCount,
  total_facts: zCount,
});

const zReviewed = z.object({
  id: z.string(),
  repository: z.string(),
  number: z.int(),
  title: z.string(),
  status: z.enum(['reviewed', 'failed']),
  findings: zCount,
  position: zPosition,
});

const zReviews = listOf(zReviewed).extend({ reviewed: zCount, failed: zCount, findings: zCount });

/** Observed when the briefing is made; not derived from events. */
const zStorage = z.object({
  backend: z.string(),
  events: zCount,
  disk_bytes: zCount,
  failure: z.string().nullable(),
  keeps_backups: z.boolean().describe('An ephemeral store keeps none.'),
  begun_at: z.int().nullable().describe('When the log begins; null while it is empty.'),
  backup: z
    .object({ made_at: z.int(), verified_at: z.int(), position: zCount })
    .nullable()
    .describe('The newest backup that was verified by restoring and reading it; null without one.'),
  backup_failure: z.string().nullable(),
  observed_at: z.int(),
});

/** Read from git when the briefing is made: the commits dated in the period. */
const zRepository = z.object({
  path: z.string(),
  commits: zCount,
  merges: zCount,
  authors: zCount,
  remediations: zCount.describe('Commits that took back something.'),
  tags: z.array(z.string()).describe('Git tags of the period.'),
  head: z.string().nullable(),
  error: z.string().nullable().describe('Why it could not be read.'),
});

const zIndex = z.object({
  provider: z.string().nullable(),
  model: z.string().nullable(),
  chunks: zCount.nullable(),
  files: zCount.nullable(),
  built_at: z.int().nullable(),
  builds: zCount,
  builds_failed: zCount,
  failure: z.string().nullable(),
  error: z.string().nullable(),
});

const ATTENTION = [
  'approval_waiting',
  'approval_expired',
  'run_failed',
  'run_partial',
  'gate_failed',
  'review_failed',
  'storage',
  'backup',
  'index',
  'repository',
] as const;

const zAttention = z.object({
  kind: z.enum(ATTENTION),
  ref: z.string().describe('An id, or empty for kinds that need none.'),
  text: z.string(),
  position: zPosition.nullable(),
});
export type Attention = z.infer<typeof zAttention>;

export const zBriefingFacts = z.object({
  period: zPeriod,
  timezone: z.string(),
  scheduled_for: z.int().nullable(),
  late_minutes: zCount,
  workspace: z.string().nullable(),
  /** Items that a person should act on, most urgent first. */
  attention: listOf(zAttention),
  runs: zRuns.optional(),
  approvals: zApprovals.optional(),
  goals: zGoals.optional(),
  engagements: zEngagements.optional(),
  memory: zMemory.optional(),
  reviews: zReviews.optional(),
  repositories: z.array(zRepository).optional(),
  index: zIndex.optional(),
  storage: zStorage.optional(),
});
z.globalRegistry.add(zBriefingFacts, { id: 'BriefingFacts' });
export type BriefingFacts = Readonly<z.infer<typeof zBriefingFacts>>;
type Section<Name extends keyof BriefingFacts> = NonNullable<BriefingFacts[Name]>;
export type RunFacts = Section<'runs'>;
export type ApprovalFacts = Section<'approvals'>;
export type GoalFacts = Section<'goals'>;
export type EngagementFacts = Section<'engagements'>;
export type MemoryFacts = Section<'memory'>;
export type ReviewFacts = Section<'reviews'>;
export type RepositoryFacts = Section<'repositories'>[number];
export type IndexFacts = Section<'index'>;
export type StorageFacts = Section<'storage'>;
