/**
 * Removes secrets from a text, in all forms in which a program may print them: verbatim, single lines, the password of
 * a URL, escaped, base64, hexadecimal.
 */

export const REDACTED = '[redacted]';
/** Shorter parts of a secret, such as a last line `}` or a password `db`, are not redacted by themselves. */
const PART_CHARACTERS_MIN = 6;

export interface Redactor {
  redact(text: string): string;
  /** Like `redact`, for the end of a longer text: drops the beginning, which may be the end of a secret. */
  redactEnd(text: string): string;
}

export function createRedactor(secrets: readonly string[]): Redactor {
  const forms = [...new Set(secrets.filter((secret) => secret !== '').flatMap(formsOf))];
  const longest = forms.reduce((most, { length }) => Math.max(most, length), 0);
  const redact = (text: string): string => without(text, occurrences(text, forms));
  return {
    redact,
    redactEnd(text) {
      let from = longest;
      for (const { start, end } of occurrences(text, forms)) if (start < from) from = Math.max(from, end);
      return redact(text.slice(from));
    },
  };
}

interface Occurrence {
  readonly start: number;
  end: number;
}

/**
 * Occurrences of the forms, in order; overlapping ones are merged. Searches each form by itself, because one regular
 * expression for long secrets is too large.
 */
function occurrences(text: string, forms: readonly string[]): readonly Occurrence[] {
  const all: Occurrence[] = [];
  for (const form of forms) {
    for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1)) {
      all.push({ start: at, end: at + form.length });
    }
  }
  all.sort((a, b) => a.start - b.start);
  const merged: Occurrence[] = [];
  for (const occurrence of all) {
    const last = merged.at(-1);
    if (last === undefined || occurrence.start >= last.end) merged.push(occurrence);
    else last.end = Math.max(last.end, occurrence.end);
  }
  return merged;
}

function without(text: string, removed: readonly Occurrence[]): string {
  let [rest, from] = ['', 0];
  for (const { start, end } of removed) {
    rest += text.slice(from, start) + REDACTED;
    from = end;
  }
  return rest + text.slice(from);
}

function formsOf(secret: string): string[] {
  const isSecret = ({ length }: string): boolean => length >= PART_CHARACTERS_MIN;
  const whole = [secret, passwordOf(secret)].filter((part) => part === secret || isSecret(part));
  return [...whole.flatMap(writtenForms), ...secret.split(/\r?\n/).filter(isSecret)].filter((form) => form !== '');
}

function writtenForms(text: string): string[] {
  const bytes = Buffer.from(text, 'utf8');
  const hex = bytes.toString('hex');
  const percent = encodeURIComponent(text.toWellFormed());
  const plain = [text, percent, percent.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())];
  const form = new URLSearchParams({ '': text }).toString().slice(1);
  return [...plain, form, JSON.stringify(text).slice(1, -1), hex, hex.toUpperCase(), ...base64Forms(bytes)];
}

/**
 * The base64 form of a text depends on its offset modulo 3. Returns, for each offset, the characters that depend on
 * this text alone. A short text has too few of them, so its plain base64 form is used.
 */
function base64Forms(bytes: Buffer): string[] {
  if (bytes.length < PART_CHARACTERS_MIN) return [bytes.toString('base64').replace(/=+$/, '')];
  const shifted = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const foreign = Math.ceil((before * 8) / 6);
    const own = Math.floor(((before + bytes.length) * 8) / 6);
    return text.slice(foreign, own);
  });
  return shifted.flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')]);
}

function passwordOf(secret: string): string {
  if (!URL.canParse(secret)) return '';
  const { password } = new URL(secret);
  try {
    return decodeURIComponent(password);
  } catch {
    return password;
  }
}
