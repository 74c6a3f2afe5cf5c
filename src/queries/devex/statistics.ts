/** Percentiles and the bands that values fall into. */
import type { Band } from './schemas.ts';

/**
 * Nearest rank: the smallest value that at least `percent` percent of the sample do not exceed. The sample is sorted
 * and not empty. The result is one of its values; nothing is interpolated.
 */
export function percentile(sorted: readonly number[], percent: number): number {
  return sorted[Math.max(1, Math.ceil((percent * sorted.length) / 100)) - 1]!;
}

/** Thresholds as the DORA research reports published them, best band first: `[elite, high, medium]`. */
export const BANDS = {
  /** Deployments a day, at least. */
  frequency: [1, 1 / 7, 1 / 30],
  /** Hours from commit to release, less than. */
  lead: [24, 168, 720],
  /** Hours from release to remediation, less than. */
  restore: [1, 24, 168],
  /** Share of deployments that failed, at most. */
  failure: [0.05, 0.1, 0.15],
} as const;

export function frequencyBand(perDay: number): Band {
  return band(BANDS.frequency, (threshold) => perDay >= threshold);
}

export function leadBand(hours: number): Band {
  return band(BANDS.lead, (threshold) => hours < threshold);
}

export function restoreBand(hours: number): Band {
  return band(BANDS.restore, (threshold) => hours < threshold);
}

export function failureBand(share: number): Band {
  return band(BANDS.failure, (threshold) => share <= threshold);
}

const NAMES: readonly Band[] = ['elite', 'high', 'medium', 'low'];

function band(thresholds: readonly number[], meets: (threshold: number) => boolean): Band {
  const index = thresholds.findIndex(meets);
  return NAMES[index < 0 ? thresholds.length : index]!;
}
