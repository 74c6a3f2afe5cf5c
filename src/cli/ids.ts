/** Ids on the command line: complete, a unique prefix, or the name of the thing. */
import { closest } from '../lib/closest.ts';
import type { Client } from './client.ts';
import { CommandError, UsageError } from './errors.ts';
import { oneLine } from './text.ts';

/** Length of a shown id: unique among many thousands, and accepted by every command. */
const ID_CHARACTERS = 12;
const AMBIGUOUS_SHOWN = 3;
const NAME_CHARACTERS_MAX = 60;

interface Choice {
  readonly id: string;
  /** Names, the most usual first. */
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
 * Finds a choice by its id as it is typed, then in any case by its id, its name, a prefix of its id or a prefix of its
 * name, in this order. Ids of rooms may differ in case or in spaces only.
 * Throws `UsageError` when several choices match, and `CommandError`, with the closest name, when none does.
 */
export function pickId(nameOrId: string, choices: readonly Choice[], kind: Kind): string {
  const word = nameOrId.trim().toLowerCase();
  const rules: readonly ((choice: Choice) => boolean)[] = [
    ({ id }) => id === nameOrId,
    ({ id }) => id.toLowerCase() === word,
    ({ names }) => names.some((name) => name.toLowerCase() === word),
    ({ id }) => word !== '' && id.toLowerCase().startsWith(word),
    ({ names }) => word !== '' && names.some((name) => name.toLowerCase().startsWith(word)),
  ];
  for (const rule of rules) {
    const [first, ...others] = choices.filter(rule);
    if (first !== undefined && others.length === 0) return first.id;
    if (first !== undefined) throw ambiguous(nameOrId, [first, ...others], kind);
  }
  const meant = closest(nameOrId, [...choices.flatMap(({ names }) => names), ...choices.map(({ id }) => shortId(id))]);
  const hint = meant === undefined ? '' : ` Did you mean '${oneLine(meant, NAME_CHARACTERS_MAX)}'?`;
  throw new CommandError(
    `There is no ${kind.one} '${oneLine(nameOrId, NAME_CHARACTERS_MAX)}'.${hint} See: ${kind.list}`,
  );
}

function ambiguous(nameOrId: string, found: readonly Choice[], { many }: Kind): UsageError {
  const shown = found.slice(0, AMBIGUOUS_SHOWN).map(({ id, names }) => {
    const [name] = names;
    return name === undefined ? shortId(id) : `${shortId(id)} (${oneLine(name, NAME_CHARACTERS_MAX)})`;
  });
  const rest = found.length > shown.length ? ` and ${found.length - shown.length} more` : '';
  const or = found.some(({ names }) => names.length > 0) ? ', or an id' : '';
  return new UsageError(
    `'${nameOrId}' means ${found.length} ${many}: ${shown.join(', ')}${rest}. Type more of it${or}.`,
  );
}

const WHOLE_SESSION = /^[0-9a-f]{32}$/;
const RUNS: Kind = { one: 'run', many: 'runs', list: 'daybook jobs' };

/** The session id with this prefix; a whole id is not looked up. Throws as `pickId`. */
export async function resolveSessionId(client: Client, idOrPrefix: string): Promise<string> {
  if (WHOLE_SESSION.test(idOrPrefix)) return idOrPrefix;
  const jobs = await client.api.runs.list();
  return pickSession(
    idOrPrefix,
    jobs.map((job) => job.session_id),
  );
}

/** The session id with this prefix among `ids`. Throws as `pickId`. */
export function pickSession(idOrPrefix: string, ids: readonly string[]): string {
  return pickId(
    idOrPrefix,
    ids.map((id) => ({ id, names: [] })),
    RUNS,
  );
}
