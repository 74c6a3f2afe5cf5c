/**
 * The faults that a refusal names, by the field of the form that they are about. The daemon words them in two ways:
 * `Invalid body: title: must not be blank; url: must be …` and `title must have at most 120 characters.`
 */
export interface Faults {
  /** A sentence for each field, by its name. */
  readonly fields: ReadonlyMap<string, string>;
  /** What is about no field of the form; empty when everything is. */
  readonly rest: string;
}

const BODY = 'Invalid body: ';
/** The name of a field, without the places inside it (`tags.0`), and what is wrong with it. */
const NAMED = /^(\w+)(?:\.[\w.]+)?: (.+)$/s;
const SAID = /^(\w+) (must .+)$/s;

export function faultsOf(message: string, names: ReadonlySet<string>): Faults {
  if (!message.startsWith(BODY)) {
    const [, name = '', fault = ''] = SAID.exec(message) ?? [];
    return names.has(name)
      ? { fields: new Map([[name, sentence(fault)]]), rest: '' }
      : { fields: new Map(), rest: message };
  }
  const fields = new Map<string, string>();
  const rest: string[] = [];
  for (const [name, part, fault] of partsOf(message.slice(BODY.length))) {
    if (names.has(name) && !fields.has(name)) fields.set(name, sentence(fault));
    else rest.push(part);
  }
  return { fields, rest: rest.length === 0 ? '' : BODY + rest.join('; ') };
}

type Part = readonly [name: string, part: string, fault: string];

/** A semicolon also separates the halves of one fault, whose second half begins with no name. */
function partsOf(text: string): readonly Part[] {
  const parts: string[] = [];
  for (const piece of text.split('; ')) {
    if (parts.length === 0 || NAMED.test(piece)) parts.push(piece);
    else parts.push(`${parts.pop()}; ${piece}`);
  }
  return parts.map((part) => {
    const [, name = '', fault = part] = NAMED.exec(part) ?? [];
    return [name, part, fault];
  });
}

function sentence(fault: string): string {
  const text = fault.charAt(0).toUpperCase() + fault.slice(1);
  return text.endsWith('.') ? text : `${text}.`;
}
