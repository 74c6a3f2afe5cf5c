/** The delivery metrics on the wire. An optional field is absent when it cannot be measured. */
import { z } from 'zod';

const zBand = z.enum(['elite', 'high', 'medium', 'low']);
export type Band = z.infer<typeof zBand>;

const zPercentile = z.object({ label: z.string(), value: z.number() });

export const zMeasure = z.object({
  value: z.number(),
  unit: z.string(),
  band: zBand,
  sample_size: z.int(),
  proxy: z.string().describe('The proxy that is measured in place of the key itself.'),
  percentiles: z.array(zPercentile).optional(),
});
z.globalRegistry.add(zMeasure, { id: 'Measure' });
export type Measure = z.infer<typeof zMeasure>;

const zUnmeasured = z.object({ metric: z.string(), reason: z.string(), to_measure_this: z.string() });
export type Unmeasured = z.infer<typeof zUnmeasured>;

export const zDora = z.object({
  repo: z.string(),
  window_days: z.int(),
  since: z.int(),
  generated_at: z.int(),
  release_marker: z.enum(['version-tags', 'release-branch-merges']),
  release_marker_description: z.string(),
  band_source: z.string(),
  deployment_frequency: zMeasure.optional(),
  lead_time_for_changes: zMeasure.optional(),
  change_failure_rate: zMeasure.optional(),
  time_to_restore: zMeasure.optional(),
  unmeasured: z.array(zUnmeasured),
  deployments: z.array(
    z.object({ name: z.string(), commit: z.string(), at: z.int(), followed_by_remediation: z.boolean() }),
  ),
  commits_in_window: z.int(),
  authors_in_window: z.int(),
  notes: z.array(z.string()),
});
z.globalRegistry.add(zDora, { id: 'Dora' });
export type DoraReport = z.infer<typeof zDora>;

const zSignal = z.object({ name: z.string(), found: z.boolean(), path: z.string().optional() });
export type Signal = z.infer<typeof zSignal>;

const zPractice = z.object({
  key: z.string(),
  title: z.string(),
  pillar: z.string(),
  signals: z.array(zSignal),
  found: z.int(),
  expected: z.int(),
  level: z.int(),
  level_name: z.enum(['absent', 'initial', 'managed', 'defined']),
  next_step: z.string(),
  detection_caveat: z.string().optional(),
});
export type Practice = z.infer<typeof zPractice>;

export const zPractices = z.object({
  workspace: z.string(),
  generated_at: z.int(),
  practices: z.array(zPractice),
  mean_level: z.number(),
  max_detectable_level: z.int(),
  scope_note: z.string(),
});
z.globalRegistry.add(zPractices, { id: 'Practices' });
export type PracticesReport = z.infer<typeof zPractices>;

export const zOnboarding = z.object({
  repo: z.string(),
  window_days: z.int(),
  generated_at: z.int(),
  readiness: z.array(zSignal),
  readiness_found: z.int(),
  readiness_expected: z.int(),
  new_contributors: z.array(
    z.object({
      author: z.string(),
      first_commit_at: z.int(),
      hours_to_second_commit: z.number().optional(),
      commits_in_window: z.int(),
    }),
  ),
  not_measured: z.array(zUnmeasured),
  notes: z.array(z.string()),
});
z.globalRegistry.add(zOnboarding, { id: 'Onboarding' });
export type OnboardingReport = z.infer<typeof zOnboarding>;

export const zScorecard = z.object({
  dora: zDora,
  practices: zPractices,
  dora_coverage: z.number(),
  delivery_grade: z.enum(['A', 'B', 'C', 'D']).optional(),
  headline: z.string(),
});
z.globalRegistry.add(zScorecard, { id: 'Scorecard' });
export type Scorecard = z.infer<typeof zScorecard>;

const zSpaceMeasure = z.object({
  name: z.string(),
  value: z.number(),
  unit: z.string(),
  source: z.string(),
  sample_size: z.int(),
  caveat: z.string().optional(),
});
export type SpaceMeasure = z.infer<typeof zSpaceMeasure>;

const zDimension = z.object({
  dimension: z.enum(['satisfaction', 'performance', 'activity', 'collaboration', 'efficiency']),
  key: z.string(),
  title: z.string(),
  measures: z.array(zSpaceMeasure),
  unmeasured: z.array(zUnmeasured),
});
export type Dimension = z.infer<typeof zDimension>;

export const zSpace = z.object({
  repo: z.string(),
  window_days: z.int(),
  generated_at: z.int(),
  dimensions: z.array(zDimension),
  dimensions_measured: z.int(),
  outcome_signal: z.boolean(),
  scope_note: z.string(),
});
z.globalRegistry.add(zSpace, { id: 'Space' });
export type SpaceReport = z.infer<typeof zSpace>;
