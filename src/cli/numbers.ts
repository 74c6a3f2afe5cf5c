/** Numbers on a command line. */
import { UsageError } from './failures.ts';

/** A whole number from 0, or a sentence that names the option. */
export function whole(text: string, option: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new UsageError(`${option} must be a whole number from 0.`);
  return Number(text);
}
