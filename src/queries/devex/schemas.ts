/** The delivery metrics on the wire. An optional field is absent when it cannot be measured. */
import { z } from 'zod';
import { zUnixSeconds } from '../../events/envelope.ts';

const zBand = z.enum(['elite', 'high', 'medium', 'low']);
export type Band = z.infer<typeof zBand>;

const zPercentile = z.object({
  label: z.string().describe('Which one, such as `p50`.'),
  value: z.number().describe('In the unit of the measure.'),
});

const zMeasure = z.object({
  value: z.number().describe('The number, in `unit`.'),
  unit: z.string().describe('What is counted, such as `deployments/week` or `hours`.'),
  band: zBand.describe('Where the number stands among teams, by `band_source`.'),
  sample_size: z.int(),
  proxy: z.string().describe('The proxy that is measured in place of the key itself.'),
  percentiles: z.array(zPercentile).optional().describe('Of the values behind it.'),
});
z.globalRegistry.add(zMeasure, { id: 'Measure' });
export type Measure = z.infer<typeof zMeasure>;

const zUnmeasured = z.object({
  metric: z.string().describe('Name of what is not measured.'),
  reason: z.string().describe('Why it cannot be measured here.'),
  to_measure_this: z.string().describe('What to do so that it can be.'),
});
export type Unmeasured = z.infer<typeof zUnmeasured>;

export const zDora = z.object({
  repo: z.string(),
  window_days: z.int(),
  since: z.int().describe('Unix seconds at which the window begins.'),
  generated_at: zUnixSeconds,
  release_marker: z.enum(['version-tags', 'release-branch-merges']).describe('What counts as a release.'),
  release_marker_description: z.string().describe('The same in words.'),
  band_source: z.string().describe('Where the bands come from.'),
  deployment_frequency: zMeasure.optional().describe('Releases a week; absent when it cannot be measured.'),
  lead_time_for_changes: zMeasure
    .optional()
    .describe('From a commit to the release that brought it; absent when it cannot be measured.'),
  change_failure_rate: zMeasure
    .optional()
    .describe('Releases that were followed by a remediation; absent when it cannot be measured.'),
  time_to_restore: zMeasure
    .optional()
    .describe('From such a release to the remediation; absent when it cannot be measured.'),
  unmeasured: z.array(zUnmeasured).describe('What cannot be measured here, and why.'),
  deployments: z
    .array(
      z.object({
        name: z.string().describe('Name of the release.'),
        commit: z.string().describe('Hash of the commit that was released.'),
        at: zUnixSeconds,
        followed_by_remediation: z
          .boolean()
          .describe('Whether a revert, hotfix or rollback came before the next release.'),
      }),
    )
    .describe('The newest releases of the window, oldest first; at most 10 000.'),
  commits_in_window: z.int().describe('Commits of the window.'),
  authors_in_window: z.int().describe('Authors of those commits.'),
  notes: z.array(z.string()).describe('Sentences about what limits the numbers.'),
});
z.globalRegistry.add(zDora, { id: 'Dora' });
export type DoraReport = z.infer<typeof zDora>;

const zSignal = z.object({
  name: z.string().describe('What is looked for.'),
  found: z.boolean().describe('Whether it is there.'),
  path: z.string().optional().describe('The first of its paths that exists; absent without one.'),
});
export type Signal = z.infer<typeof zSignal>;

/** By level, from 0. */
export const LEVEL_NAMES = ['absent', 'initial', 'managed', 'defined'] as const;

const zPractice = z.object({
  key: z.string().describe('Names the practice.'),
  title: z.string(),
  pillar: z.string().describe('The group of practices that it belongs to.'),
  signals: z.array(zSignal).describe('What shows the practice, and whether it is there.'),
  found: z.int().describe('Signals that are there.'),
  expected: z.int().describe('Signals that are looked for.'),
  level: z.int().describe('`found`, at most 3.'),
  level_name: z.enum(LEVEL_NAMES).describe('The level in a word.'),
  next_step: z.string().describe('What would raise the level.'),
  detection_caveat: z.string().optional().describe('What the files cannot show about it; absent without such a thing.'),
});

export const zPractices = z.object({
  workspace: z.string().describe('Folder that was looked at.'),
  generated_at: zUnixSeconds,
  practices: z.array(zPractice).describe('Every practice with its level.'),
  mean_level: z.number().describe('Mean of the levels, 0 to 3.'),
  max_detectable_level: z.int().describe('The highest level that files can show: 3.'),
  scope_note: z.string().describe('What the levels say, and what they do not.'),
});
z.globalRegistry.add(zPractices, { id: 'Practices' });
export type PracticesReport = z.infer<typeof zPractices>;

export const zOnboarding = z.object({
  repo: z.string(),
  window_days: z.int(),
  generated_at: zUnixSeconds,
  readiness: z.array(zSignal).describe('What prepares a repository for newcomers, and whether it is there.'),
  readiness_found: z.int().describe('How much of it is there.'),
  readiness_expected: z.int().describe('How much is looked for.'),
  new_contributors: z
    .array(
      z.object({
        author: z.string().describe('Name as the commits spell it.'),
        first_commit_at: zUnixSeconds,
        hours_to_second_commit: z
          .number()
          .optional()
          .describe('Hours from the first commit to the second; absent without a second.'),
        commits_in_window: z.int().describe('Commits of the window.'),
      }),
    )
    .describe('Authors whose first commit is in the window, the newest first; at most 10 000.'),
  not_measured: z.array(zUnmeasured).describe('What cannot be measured here, and why.'),
  notes: z.array(z.string()).describe('Sentences about what limits the numbers.'),
});
z.globalRegistry.add(zOnboarding, { id: 'Onboarding' });
export type OnboardingReport = z.infer<typeof zOnboarding>;

export const zScorecard = z.object({
  dora: zDora.describe('The four delivery keys.'),
  practices: zPractices.describe('Which practices the files of the repository show.'),
  dora_coverage: z.number().describe('Share of the four keys that was measured, 0 to 1.'),
  delivery_grade: z
    .enum(['A', 'B', 'C', 'D'])
    .optional()
    .describe('Mean of the bands of the measured keys: A from 3.5 points of 4; absent without a key.'),
  headline: z.string(),
});
z.globalRegistry.add(zScorecard, { id: 'Scorecard' });
export type Scorecard = z.infer<typeof zScorecard>;

const zSpaceMeasure = z.object({
  name: z.string().describe('What is measured.'),
  value: z.number().describe('The number, in `unit`.'),
  unit: z.string().describe('What is counted.'),
  source: z.string().describe('Where the number comes from.'),
  sample_size: z.int(),
  caveat: z.string().optional().describe('What the number does not say; absent without such a thing.'),
});
export type SpaceMeasure = z.infer<typeof zSpaceMeasure>;

const zDimension = z.object({
  dimension: z
    .enum(['satisfaction', 'performance', 'activity', 'collaboration', 'efficiency'])
    .describe('One of the five SPACE dimensions.'),
  key: z.string().describe('The same as `dimension`.'),
  title: z.string(),
  measures: z.array(zSpaceMeasure).describe('What the history gives for it; may be empty.'),
  unmeasured: z.array(zUnmeasured).describe('What the history does not give, and which system does.'),
});
export type Dimension = z.infer<typeof zDimension>;

export const zSpace = z.object({
  repo: z.string(),
  window_days: z.int(),
  generated_at: zUnixSeconds,
  dimensions: z.array(zDimension).describe('The five dimensions.'),
  dimensions_measured: z.int().describe('Dimensions with a measure, 0 to 5.'),
  outcome_signal: z.boolean().describe('Whether an outcome is among the measures, beside amounts of work.'),
  scope_note: z.string().describe('What the measures say, and what they do not.'),
});
z.globalRegistry.add(zSpace, { id: 'Space' });
export type SpaceReport = z.infer<typeof zSpace>;
