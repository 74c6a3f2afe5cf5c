/** Whole numbers in a query: digits and nothing else. `0x10`, `1e2`, blanks and a name that comes twice are refused. */
import { z } from 'zod';

interface Range {
  readonly min: number;
  readonly max?: number;
}

export function queryNumber({ min, max = Number.MAX_SAFE_INTEGER }: Range) {
  const upTo = max === Number.MAX_SAFE_INTEGER ? '' : ` to ${max}`;
  const error = `must be a whole number from ${min}${upTo}`;
  const read = (given: unknown): number =>
    typeof given === 'string' && /^\d{1,15}$/.test(given) ? Number(given) : Number.NaN;
  return z.preprocess(read, z.number({ error }).int(error).min(min, error).max(max, error));
}
