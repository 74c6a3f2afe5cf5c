/** Past states: the option for their moment, and the line that says which state is shown. */
import { Option } from 'commander';
import type { AsOf } from '../client/client.ts';
import { rfc3339 } from '../queries/as-of/moment.ts';
import { UsageError } from './errors.ts';
import type { AnswerOptions } from './options.ts';
import { minute } from './text.ts';

/** Options of a command with `atOption`. */
export interface PastOptions extends AnswerOptions {
  readonly at?: string;
}

/** `--at`. Parsing throws `UsageError` for a value that is neither a position nor a time. */
export function atOption(): Option {
  const option = new Option('--at <moment>', 'the state at this moment: a position of the log or an RFC 3339 time');
  return option.argParser((text) => {
    if (/^[1-9]\d{0,14}$/.test(text) || rfc3339(text) !== undefined) return text;
    throw new UsageError(
      '--at must be a position of the log from 1, or an RFC 3339 time such as 2026-01-31T09:30:00Z.',
    );
  });
}

export function asOfFact(asOf: AsOf | undefined): readonly (readonly [name: string, text: string])[] {
  if (asOf === undefined) return [];
  if (asOf.position === 0) return [['as of', `${asOf.asked}, before the first one`]];
  return [['as of', `position ${asOf.position}${asOf.at === null ? '' : `, ${minute(asOf.at)}`}`]];
}
