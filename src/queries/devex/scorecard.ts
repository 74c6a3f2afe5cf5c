/** Delivery and practices, with a grade over the measured keys. */
import { KEYS } from './dora.ts';
import type { Band, DoraReport, PracticesReport, Scorecard } from './schemas.ts';

const POINTS: Readonly<Record<Band, number>> = { elite: 4, high: 3, medium: 2, low: 1 };

export function scorecardOf(dora: DoraReport, practices: PracticesReport): Scorecard {
  const bands = KEYS.flatMap((key) => dora[key]?.band ?? []);
  const grade = gradeOf(bands);
  const maturity =
    `practice maturity ${practices.mean_level.toFixed(1)}/${practices.max_detectable_level} detected across ` +
    `${practices.practices.length} practices.`;
  return {
    dora,
    practices,
    dora_coverage: bands.length / KEYS.length,
    ...(grade === undefined ? {} : { delivery_grade: grade }),
    headline:
      grade === undefined
        ? `None of the ${KEYS.length} delivery keys could be measured here, see unmeasured for the reasons; ${maturity}`
        : `Delivery grade ${grade} on ${bands.length}/${KEYS.length} delivery keys; ${maturity}`,
  };
}

/** The mean of the measured keys’ bands: A from 3.5 points, B from 2.5, C from 1.5, else D. No key, no grade. */
function gradeOf(bands: readonly Band[]): Scorecard['delivery_grade'] {
  if (bands.length === 0) return undefined;
  const mean = bands.reduce((sum, band) => sum + POINTS[band], 0) / bands.length;
  if (mean >= 3.5) return 'A';
  if (mean >= 2.5) return 'B';
  return mean >= 1.5 ? 'C' : 'D';
}
