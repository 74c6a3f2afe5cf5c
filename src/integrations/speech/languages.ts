/** The languages that recognisers tell apart, and theirs among the codes that voices and people use. */
import { primaryLanguage } from './speaker.ts';

const CODES: ReadonlySet<string> = new Set(
  (
    'en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml ' +
    'cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu ' +
    'am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue'
  ).split(' '),
);

/** Other codes of the same languages. */
const SAME: Readonly<Record<string, string>> = { cmn: 'zh', nb: 'no', fil: 'tl', iw: 'he', in: 'id', jv: 'jw' };

/** What a recogniser may be told; undefined when it has to find out: for `auto` and for what it does not know. */
export function recognisedLanguage(code: string): string | undefined {
  const primary = primaryLanguage(code) ?? '';
  const known = SAME[primary] ?? primary;
  return CODES.has(known) ? known : undefined;
}

/** The code of a language that a server names, in English or by its code; null when it is none of those. */
export function languageNamed(name: string): string | null {
  const code = recognisedLanguage(name);
  if (code !== undefined) return code;
  const names = new Intl.DisplayNames(['en'], { type: 'language' });
  return [...CODES].find((each) => names.of(each)?.toLowerCase() === name.trim().toLowerCase()) ?? null;
}
