/** Ids as people type them: whole, a unique beginning, or the name of what they stand for. */
import { closest } from '../lib/closest.ts';
import type { Client } from './client.ts';
import { CommandError, UsageError } from './errors.ts';
import { oneLine } from './text.ts';

/** Shown of an id: unique among many thousands, and accepted by every command. */
const ID_CHARACTERS = 12;
const AMBIGUOUS_SHOWN = 3;
const NAME_CHARACTERS_MAX = 60;

export interface Choice {
  readonly id: string;
  /** What else it is called by, the usual one first. */
  readonly names: readonly string[];
}

export interface Kind {
  /** `engagement`. */
  readonly one: string;
  readonly many: string;
  /** The command that lists them. */
  readonly list: string;
}

/** The first group of a UUID, else the first characters. */
export function shortId(id: string): string {
  return /^[0-9a-f]{8}-/.test(id) ? id.slice(0, 8) : id.slice(0, ID_CHARACTERS);
}

/**
 * The id of the choice that `given` means: its id, its name, the beginning of its id or of its name, in this order and in any
 * case. Throws `UsageError` when several are meant, and `CommandError`, with what may have been meant, when none is.
 */
export function pickId(given: string, choices: readonly Choice[], kind: Kind): string {
  const word = given.trim().toLowerCase();
  const rules: readonly ((choice: Choice) => boolean)[] = [
    ({ id }) => id === word,
    ({ names }) => names.some((name) => name.toLowerCase() === word),
    ({ id }) => word !== '' && id.startsWith(word),
    ({ names }) => word !== '' && names.some((name) => name.toLowerCase().startsWith(word)),
  ];
  for (const rule of rules) {
    const [first, ...others] = choices.filter(rule);
    if (first !== undefined && others.length === 0) return first.id;
    if (first !== undefined) throw ambiguous(given, [first, ...others], kind);
  }
  const meant = closest(given, [...choices.flatMap(({ names }) => names), ...choices.map(({ id }) => shortId(id))]);
  const hint = meant === undefined ? '' : ` Did you mean '${oneLine(meant, NAME_CHARACTERS_MAX)}'?`;
  throw new CommandError(`There is no ${kind.one} '${oneLine(given, NAME_CHARACTERS_MAX)}'.${hint} See: ${kind.list}`);
}

function ambiguous(given: string, found: readonly Choice[], { many }: Kind): UsageError {
  const shown = found.slice(0, AMBIGUOUS_SHOWN).map(({ id, names }) => {
    const [name] = names;
    return name === undefined ? shortId(id) : `${shortId(id)} (${oneLine(name, NAME_CHARACTERS_MAX)})`;
  });
  const rest = found.length > shown.length ? ` and ${found.length - shown.length} more` : '';
  return new UsageError(`'${given}' means ${found.length} ${many}: ${shown.join(', ')}${rest}. Type more of it.`);
}

const WHOLE_SESSION = /^[0-9a-f]{32}$/;
const SESSION_PREFIX = /^[0-9a-f]{1,31}$/;
const RUNS: Kind = { one: 'run', many: 'runs', list: 'daybook jobs' };

/** The session id with this prefix. The daemon refuses text that is no id. */
export async function resolveSessionId(client: Client, given: string): Promise<string> {
  if (WHOLE_SESSION.test(given) || !SESSION_PREFIX.test(given)) return given;
  const jobs = await client.api.runs.list();
  return pickSession(
    given,
    jobs.map((job) => job.session_id),
  );
}

/** The one of these session ids with this prefix. Throws as `pickId`. */
export function pickSession(given: string, ids: readonly string[]): string {
  return pickId(
    given,
    ids.map((id) => ({ id, names: [] })),
    RUNS,
  );
}
