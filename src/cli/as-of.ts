/** The moment of a past state, among the facts of what is shown. */
import type { AsOf } from '../client/client.ts';
import { minute } from './text.ts';

export function asOfFact(asOf: AsOf | undefined): readonly (readonly [name: string, text: string])[] {
  if (asOf === undefined) return [];
  return [['as of', `position ${asOf.position}${asOf.at === null ? '' : `, ${minute(asOf.at)}`}`]];
}
