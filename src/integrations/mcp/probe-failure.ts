/** Explains a failed probe to the owner of the connector: the missing program, or the server's error. */
import { basename } from 'node:path';
import { z } from 'zod';
import { withEllipsis } from '../../lib/characters.ts';
import { withoutEscapeSequences } from '../../lib/escape-sequences.ts';
import { parsedJson } from '../../lib/json-text.ts';
import type { Redactor } from './redact.ts';
import type { ServerEnd, ServerProcess } from './server-process.ts';

const SAID_CHARACTERS_MAX = 2_000;
const REASON_CHARACTERS_MAX = 1_000;
const PROGRAM_CHARACTERS_MAX = 200;

/** How to install a program, by its name. */
const INSTALL_HINTS: Readonly<Record<string, string>> = {
  npx: 'install Node.js, which brings it (https://nodejs.org)',
  uvx: 'install uv, which brings it (https://docs.astral.sh/uv)',
};

const INSTALL_HINT_DEFAULT = 'install it, or give the connector its full path';

export function notStarted(
  { code = 'an unknown error' }: NodeJS.ErrnoException,
  command: string,
  redactor: Redactor,
): string {
  const program = withEllipsis(shown(basename(command), redactor), PROGRAM_CHARACTERS_MAX);
  if (code !== 'ENOENT') return `The program ${program} cannot be started (${code}).`;
  const otherwise = /\s/.test(command) ? 'its arguments belong in args, one each' : INSTALL_HINT_DEFAULT;
  return `The program ${program} was not found: ${INSTALL_HINTS[basename(command)] ?? otherwise}.`;
}

export function endedEarly(
  end: ServerEnd,
  { command, said, redactor }: { command: string; said: ReturnType<ServerProcess['said']>; redactor: Redactor },
): string {
  if (end.kind === 'not_started') return notStarted(end.error, command, redactor);
  if (end.kind === 'flooded') return 'The server sent a message of more than 10 MiB; nothing was listed.';
  const how = end.signal === null ? `with exit code ${end.code}` : `by the signal ${end.signal}`;
  const words = lastWords(said, redactor);
  return `The server ended ${how} before it had listed its tools. ${words === '' ? 'It said nothing.' : `It said: ${words}`}`;
}

export function refused(reason: string, redactor: Redactor): string {
  const words = withEllipsis(shown(sentenceOf(reason), redactor), REASON_CHARACTERS_MAX);
  return `The server did not list its tools: ${words}`;
}

/** Redacts before cutting, because a cut secret is not recognised. */
function lastWords({ text, cut }: ReturnType<ServerProcess['said']>, redactor: Redactor): string {
  const words = shown(cut ? redactor.redactEnd(text) : text, redactor).trim();
  return words.length <= SAID_CHARACTERS_MAX ? words : `…${words.slice(-SAID_CHARACTERS_MAX).toWellFormed()}`;
}

/** Redacts twice: terminal sequences may split a secret, and a secret may contain such sequences. */
function shown(text: string, redactor: Redactor): string {
  return redactor.redact(harmless(redactor.redact(text)));
}

/** Removes what acts on terminals. */
function harmless(text: string): string {
  return withoutEscapeSequences(text).replace(/[^\P{Cc}\t\n]|[\u2028\u2029]/gu, '');
}

const zIssues = z.array(z.object({ path: z.array(z.union([z.string(), z.number()])), message: z.string() }));

/**
 * The message about a result that does not fit a schema of the library lists all issues as JSON, over many lines. It
 * becomes one line with the first issue, as the library words it for a schema of the caller.
 */
export function sentenceOf(message: string): string {
  const [, what, list] = /^(Invalid result for \S+): (\[.*\])$/s.exec(message) ?? [];
  const [first] = zIssues.safeParse(parsedJson(list ?? '')).data ?? [];
  if (first === undefined) return message;
  return `${what}: ${[first.path.join('.'), first.message].filter((part) => part !== '').join(': ')}`;
}
