/**
 * Takes secrets out of a text, in every form in which a program may have written them: as they are, one of their lines,
 * the password of a URL, escaped, in base64, in hexadecimal.
 */

export const REDACTED = '[redacted]';
/** A part of a secret that is shorter is no secret by itself: a last line `}`, a password `db`. */
const PART_CHARACTERS_MIN = 6;

export interface Redactor {
  redact(text: string): string;
  /** The same for the end of a longer text: what may be the end of a secret that began before it is left out. */
  redactEnd(text: string): string;
}

export function createRedactor(secrets: readonly string[]): Redactor {
  const forms = [...new Set(secrets.filter((secret) => secret !== '').flatMap(formsOf))];
  const longest = forms.reduce((most, { length }) => Math.max(most, length), 0);
  const redact = (text: string): string => without(text, found(text, forms));
  return {
    redact,
    redactEnd(text) {
      let from = longest;
      for (const { start, end } of found(text, forms)) if (start < from) from = Math.max(from, end);
      return redact(text.slice(from));
    },
  };
}

interface Found {
  readonly start: number;
  end: number;
}

/** Where a form stands, in order; those that overlap are one. By search: an expression of long secrets is too large. */
function found(text: string, forms: readonly string[]): readonly Found[] {
  const places: Found[] = [];
  for (const form of forms) {
    for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1)) {
      places.push({ start: at, end: at + form.length });
    }
  }
  places.sort((a, b) => a.start - b.start);
  const merged: Found[] = [];
  for (const place of places) {
    const last = merged.at(-1);
    if (last === undefined || place.start >= last.end) merged.push(place);
    else last.end = Math.max(last.end, place.end);
  }
  return merged;
}

function without(text: string, places: readonly Found[]): string {
  let [rest, from] = ['', 0];
  for (const { start, end } of places) {
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
 * In base64 a text looks different by where it begins among the bytes before it. Of each of the three ways there is
 * what depends on this text alone; a short one leaves too little to tell.
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
