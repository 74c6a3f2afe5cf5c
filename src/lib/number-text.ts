/** Numbers that arrive as text, as they do in a query string. */
import { z } from 'zod';

/**
 * Text of this form is converted to a number and checked by `number`. Other text becomes NaN; other values are
 * unchanged. Digits beyond what a number can hold are the greatest number.
 */
export function numberText<Schema extends z.ZodType<number>>(form: RegExp, number: Schema) {
  const read = (input: unknown): unknown => {
    if (typeof input !== 'string') return input;
    return form.test(input) ? Math.min(Math.max(Number(input), -Number.MAX_VALUE), Number.MAX_VALUE) : Number.NaN;
  };
  return z.preprocess(read, number);
}
