/**
 * The facts of a briefing, each entry with the position of the event that it is derived from. They are recorded
 * completely, so that every sentence can be checked and the same briefing be made again.
 *
 * - Of memories there are counts and ids only: their texts may be encrypted at rest, or be deleted later.
 * - A list holds the newest entries; `more` says how many are not in it.
 */
import { z } from 'zod';
import { zPhase, zVerdict } from '../engagement/events.ts';
import { RUN_ENDS } from '../run/events.ts';

const zCount = z.int().nonnegative();
const zPosition = z.int().positive();

const listOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item).describe('The newest ones.'), more: zCount });

const zPeriod = z.object({
  from_position: zPosition.describe(
    'The first and the last covered event; `from_position` is one more than the last position when no event is covered.',
  ),
  to_position: zCount.describe('Position of the last covered event; 0 before the first event of the log.'),
  tree_hash: z.string().describe('RFC 9162 tree hash of the log up to `to_position`.'),
  from: z.int().describe('Unix milliseconds.'),
  to: z.int().describe('End of the period, Unix milliseconds.'),
  previous: z.string().nullable().describe('The previous briefing, at whose end this one begins.'),
  is_cut: z.boolean().describe('The period has too many events; only the newest are covered.'),
});

const zRun = z.object({
  session_id: z.string(),
  status: z.enum(RUN_ENDS).describe('How the run ended.'),
  task: z.string(),
  summary: z.string().describe("The run's summary, or the reason for its failure."),
  workspace: z.string(),
  steps: zCount.describe('Tool calls of the run.'),
  calls_rejected: zCount
    .exactOptional()
    .describe('Tool calls that were not run: not allowed, or of no tool that it has.'),
  files_modified: zCount.describe('Files that it changed.'),
  remaining: zCount.describe('Planned steps that are not done.'),
  ended_at: z.int(),
  position: zPosition,
});

const zRuns = listOf(zRun).extend({
  requested: zCount.describe('Runs requested or resumed in the period.'),
  complete: zCount.describe('Runs that ended so in the period.'),
  partial: zCount.describe('Runs that ended so in the period, with planned steps left.'),
  failed: zCount.describe('Runs that ended so in the period.'),
  cancelled: zCount.describe('Runs that ended so in the period.'),
  running: zCount.describe('Runs at work when the briefing is made.'),
  queued: zCount.describe('Runs that wait when the briefing is made.'),
});

const zWaiting = z.object({
  id: z.string().describe('Id of the approval.'),
  session_id: z.string(),
  tool_name: z.string(),
  task: z.string(),
  requested_at: z.int(),
  expires_at: z.int(),
  position: zPosition.nullable().describe('Null when it was requested before the period.'),
});

const zApprovals = listOf(zWaiting).extend({
  asked: zCount.describe('Approvals requested in the period.'),
  allowed: zCount.describe('Of those answered in the period.'),
  denied: zCount.describe('Of those answered in the period.'),
  expired: zCount.describe('Without an answer in time, in the period.'),
});

const zGoalChange = z.enum(['created', 'revised', 'planned', 'linked', 'deleted']);
export type GoalChange = z.infer<typeof zGoalChange>;

const zGoal = z.object({
  id: z.string().describe('Id of the goal.'),
  title: z.string().nullable().describe('Null for one that is deleted.'),
  status: z.string().describe('Status when the briefing is made; `deleted` for one that is gone.'),
  changes: z.array(zGoalChange).describe('What happened to it in the period.'),
  links: zCount.describe('Links added in the period.'),
  position: zPosition,
});

const zGoals = listOf(zGoal).extend({ active: zCount.describe('Goals that are active when the briefing is made.') });

const zPhaseMove = z.object({
  kind: z
    .enum(['advanced', 'forced', 'set'])
    .describe('`advanced`: past its gates. `forced`: in spite of open blockers. `set`: by hand.'),
  from: zPhase.describe('The phase that was left.'),
  to: zPhase.describe('The phase that was entered.'),
});

const zEngagement = z.object({
  id: z.string().describe('Id of the engagement.'),
  name: z.string().nullable().describe('Null for one that is removed.'),
  client: z.string().describe('Whom it is for; may be empty.'),
  status: z.string().describe('Status when the briefing is made; `removed` for one that is gone.'),
  phase: zPhase.nullable().describe('Current phase; null for one that is removed.'),
  moves: z.array(zPhaseMove).describe('The newest changes of its phase in the period, oldest first.'),
  gates: z
    .array(z.object({ title: z.string(), verdict: zVerdict }))
    .describe('Gates judged in the period, with their newest verdict.'),
  evidence_added: zCount.describe('Pieces of evidence attached in the period.'),
  evidence_removed: zCount.describe('Pieces of evidence removed in the period.'),
  deliverables_changed: zCount.describe('Deliverables whose status changed in the period.'),
  deliverables_accepted: zCount.describe('Of the current phase.'),
  deliverables_total: zCount.describe('Deliverables of the current phase that are not waived.'),
  blockers: zCount.describe('Open blockers of the current phase.'),
  gates_failed: zCount.describe('Gates of the current phase that failed.'),
  position: zPosition,
});

const zEngagements = listOf(zEngagement).extend({
  active: zCount.describe('Engagements that are active when the briefing is made.'),
});

const zMemory = z.object({
  added: zCount.describe('Memories added or imported in the period.'),
  merged: zCount.describe('Memories made by merging weak ones.'),
  reflections: zCount.describe('Reflections formed.'),
  faded: zCount.describe('Memories let go of, because their salience fell below the limit.'),
  deleted: zCount.describe('Memories deleted by somebody.'),
  drawers: zCount.describe('Drawers stored.'),
  facts_added: zCount.describe('Facts recorded.'),
  facts_closed: zCount.describe('Facts that ended because another one began.'),
  closed: listOf(z.object({ id: z.string().describe('Id of the fact.'), position: zPosition })).describe(
    'The facts that ended.',
  ),
  total_memories: zCount,
  total_facts: zCount.describe('Facts when the briefing is made.'),
});

const zReviewed = z.object({
  id: z.string().describe('Id of the delivery.'),
  repository: z.string().describe('Repository as owner/name.'),
  number: z.int().describe('Number of the pull request.'),
  title: z.string(),
  status: z.enum(['reviewed', 'failed']).describe('How the review ended.'),
  findings: zCount.describe('Findings of this review.'),
  position: zPosition,
});

const zReviews = listOf(zReviewed).extend({
  reviewed: zCount.describe('Reviews completed in the period.'),
  failed: zCount.describe('Reviews that failed in the period.'),
  findings: zCount.describe('Findings of all of them.'),
});

/** Observed when the briefing is made; not derived from events. */
const zStorage = z.object({
  backend: z.string(),
  events: zCount.describe('Events in the log.'),
  disk_bytes: zCount,
  failure: z.string().nullable().describe('Why writes are refused; null while they are accepted.'),
  keeps_backups: z.boolean().describe('An ephemeral store keeps none.'),
  begun_at: z.int().nullable().describe('When the log begins; null while it is empty.'),
  backup: z
    .object({ made_at: z.int(), verified_at: z.int(), position: zCount })
    .nullable()
    .describe('The newest backup that was verified by restoring and reading it; null without one.'),
  backup_failure: z.string().nullable().describe('Why the last backup failed; null when it did not.'),
  observed_at: z.int(),
});

/** Read from git when the briefing is made: the commits dated in the period. */
const zRepository = z.object({
  path: z.string().describe('Folder of the repository.'),
  commits: zCount.describe('Commits of the period, merges among them.'),
  merges: zCount.describe('Merge commits of the period.'),
  authors: zCount.describe('Authors of those commits.'),
  remediations: zCount.describe('Commits that took back something.'),
  tags: z.array(z.string()).describe('Git tags of the period.'),
  head: z.string().nullable().describe('Hash of the commit of HEAD; null without one.'),
  error: z.string().nullable().describe('Why it could not be read.'),
});

const zIndex = z.object({
  provider: z.string().nullable().describe("Provider of the index's vectors; null without an index."),
  model: z.string().nullable().describe("Model of the index's vectors; null without an index."),
  chunks: zCount.nullable().describe('Pieces of text in the index; null without one.'),
  files: zCount.nullable().describe('Files in the index; null without one.'),
  built_at: z.int().nullable(),
  builds: zCount.describe('Builds that succeeded in the period.'),
  builds_failed: zCount.describe('Builds that failed in the period.'),
  failure: z.string().nullable().describe('Why the last build of the period failed; null when it did not.'),
  error: z.string().nullable().describe('Why the index cannot be used; null when it can.'),
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
  kind: z.enum(ATTENTION).describe('What it is about.'),
  ref: z.string().describe('An id, or empty for kinds that need none.'),
  text: z.string().describe('One sentence for a person.'),
  position: zPosition.nullable(),
});
export type Attention = z.infer<typeof zAttention>;

export const zBriefingFacts = z.object({
  period: zPeriod.describe('The part of the log that is covered.'),
  timezone: z.string(),
  scheduled_for: z.int().nullable(),
  late_minutes: zCount.describe('Minutes from the scheduled time to the making, 0 or more.'),
  workspace: z.string().nullable(),
  attention: listOf(zAttention).describe('What a person should act on, most urgent first.'),
  runs: zRuns.exactOptional().describe('Ended runs, and counts. Absent when the section is switched off.'),
  approvals: zApprovals
    .exactOptional()
    .describe('Approvals that wait, and counts. Absent when the section is switched off.'),
  goals: zGoals.exactOptional().describe('Goals that changed. Absent when the section is switched off.'),
  engagements: zEngagements
    .exactOptional()
    .describe('Engagements that changed. Absent when the section is switched off.'),
  memory: zMemory.exactOptional().describe('Counts of the memory. Absent when the section is switched off.'),
  reviews: zReviews
    .exactOptional()
    .describe('Ended reviews of pull requests. Absent when the section is switched off.'),
  repositories: z
    .array(zRepository)
    .exactOptional()
    .describe('Commits of each repository. Absent when the section is switched off.'),
  index: zIndex.exactOptional().describe('The code index. Absent when the section is switched off.'),
  storage: zStorage.exactOptional().describe('The store under the log. Absent when the section is switched off.'),
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
