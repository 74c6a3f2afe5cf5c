/** The languages that recognisers support, and how other codes map to them. */
import { primaryLanguage } from './speaker.ts';

const CODES: ReadonlySet<string> = new Set(
  (
    'en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml ' +
    'cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu ' +
    'am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue'
  ).split(' '),
);

const SAME: Readonly<Record<string, string>> = { cmn: 'zh', nb: 'no', fil: 'tl', iw: 'he', in: 'id', jv: 'jw' };

/** The recogniser's code of a language; undefined for `auto` and unknown languages, which it detects. */
export function recognisedLanguage(code: string): string | undefined {
  const primary = primaryLanguage(code) ?? '';
  const known = SAME[primary] ?? primary;
  return CODES.has(known) ? known : undefined;
}

/** The code of a language that a server names in English or by code; null for others. */
export function languageNamed(name: string): string | null {
  const code = recognisedLanguage(name);
  if (code !== undefined) return code;
  const names = new Intl.DisplayNames(['en'], { type: 'language' });
  return [...CODES].find((each) => names.of(each)?.toLowerCase() === name.trim().toLowerCase()) ?? null;
}
