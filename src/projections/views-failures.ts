/** Failures of the views: errors of SQLite, damage of the file, refused tables, and messages for failed folds. */
import { existsSync, writeFileSync } from 'node:fs';
import { errorCode } from '../lib/error-code.ts';

/** The rows are not served, because a newer program has written events that they do not include. */
export class ViewRefused extends Error {
  override readonly name = 'ViewRefused';
}

/** Tables that must not be read, found by their names in statements. */
export class RefusedTables {
  #sentences: ReadonlyMap<string, string> = new Map();
  /** By SQL text: the sentence, null for a statement that may be read. */
  #known = new Map<string, string | null>();

  set(sentences: ReadonlyMap<string, string>): void {
    this.#sentences = sentences;
    this.#known = new Map();
  }

  check(sql: string): void {
    if (this.#sentences.size === 0) return;
    let sentence = this.#known.get(sql);
    if (sentence === undefined) {
      const words = sql.match(/\w+/g) ?? [];
      sentence = words.map((word) => this.#sentences.get(word)).find((found) => found !== undefined) ?? null;
      this.#known.set(sql, sentence);
    }
    if (sentence !== null) throw new ViewRefused(sentence);
  }
}

/** Whether SQLite found bytes that it cannot have written. */
export function isDamage(error: unknown): boolean {
  return /^SQLITE_(?:CORRUPT|NOTADB)/.test(codeOf(error));
}

/** Suffix of the mark beside a damaged file, which is not opened again. */
export const DAMAGE_MARK = '-damaged';

/** The first damage that was found in the file. A mark beside the file keeps the next process from opening it. */
export class DamageRecord {
  readonly #mark: string | null;
  message: string | null = null;

  /** Throws when the file is marked as damaged. */
  constructor(path: string | null) {
    this.#mark = path === null ? null : path + DAMAGE_MARK;
    if (this.#mark !== null && existsSync(this.#mark)) throw new Error('damage was met in it');
  }

  note(error: unknown): void {
    if (!isDamage(error) || this.message !== null) return;
    this.message = (error as Error).message;
    try {
      if (this.#mark !== null) writeFileSync(this.#mark, '', { mode: 0o600 });
    } catch {
      // Without the mark, the next start finds the damage again.
    }
  }
}

/** Whether the file cannot be used for now, because the system refuses it or another process holds it. */
export function isOutOfReach(error: unknown): boolean {
  return /^(?:SQLITE_(?:FULL|IOERR|BUSY|READONLY|CANTOPEN)|E[A-Z0-9]+$)/.test(codeOf(error));
}

/** Whether SQLite has the file open for reading only. */
export function isReadOnly(error: unknown): boolean {
  return codeOf(error).startsWith('SQLITE_READONLY');
}

/** Whether the disk is full. SQLite also reports that when a quota or the growth of its WAL index fails. */
export function isDiskFull(error: unknown): boolean {
  return /^SQLITE_(?:FULL|IOERR_(?:SHMSIZE|SHMOPEN|WRITE))$|^(?:ENOSPC|EDQUOT)$/.test(codeOf(error));
}

/** Such as `SQLITE_CORRUPT`; `undefined` as text for an error without one. */
function codeOf(error: unknown): string {
  return String(errorCode(error));
}

export const VIEWS_DAMAGED =
  'The file of the views is damaged. Start the daemon again: it folds them anew from the log, which has everything.';

const FAILURES: readonly (readonly [RegExp, string])[] = [
  [
    /database or disk is full/,
    'The disk is full, the views cannot be written. Make room: then they follow the log again by themselves.',
  ],
  [/malformed|is not a database/, VIEWS_DAMAGED],
  [
    /disk I\/O error|is locked|readonly database|unable to open/,
    'The views cannot be written at the moment; as soon as they can, they follow the log again by themselves.',
  ],
];
const OTHER = 'A view could not be folded; see the daemon’s stderr, then run: daybook log rebuild.';

/**
 * The message for the reasons of failed folds, null without one. The reasons themselves may hold data, and `/health` is
 * public.
 */
export function viewsFailure(reasons: readonly string[]): string | null {
  if (reasons.length === 0) return null;
  const known = FAILURES.find(([pattern]) => reasons.some((reason) => pattern.test(reason)));
  return known?.[1] ?? OTHER;
}
