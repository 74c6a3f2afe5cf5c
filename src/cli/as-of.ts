/** The moment of a past state: the option that names it, and the facts of what is shown. */
import { Option } from 'commander';
import type { AsOf } from '../client/client.ts';
import { rfc3339 } from '../queries/as-of/moment.ts';
import { UsageError } from './errors.ts';
import { minute } from './text.ts';

/** `--at`, refused before anything is asked when it is neither a position nor a time. */
export function atOption(): Option {
  const option = new Option('--at <moment>', 'as it was then: a position of the log or an RFC 3339 time');
  return option.argParser((given) => {
    if (/^[1-9]\d{0,14}$/.test(given) || rfc3339(given) !== undefined) return given;
    throw new UsageError(
      '--at must be a position of the log from 1, or an RFC 3339 time such as 2026-01-31T09:30:00Z.',
    );
  });
}

export function asOfFact(asOf: AsOf | undefined): readonly (readonly [name: string, text: string])[] {
  if (asOf === undefined) return [];
  return [['as of', `position ${asOf.position}${asOf.at === null ? '' : `, ${minute(asOf.at)}`}`]];
}
