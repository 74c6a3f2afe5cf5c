/**
 * Parses a model's review leniently: JSON as requested, JSON in a fence or in prose, or plain prose whose list items
 * are its findings. Pure.
 */
import type { Coverage, Finding } from '../../events/webhook.ts';
import { parsedJson } from '../../lib/json-text.ts';

export interface ReviewText {
  /** At most FINDINGS_MAX. */
  readonly findings: readonly Finding[];
  /** The findings with those beyond the limit. */
  readonly found: number;
  readonly summary: string;
}

export const FINDINGS_MAX = 500;
const SUMMARY_CHARACTERS_MAX = 8_000;
const TEXT_CHARACTERS_MAX = 4_000;

export function readReview(answer: string): ReviewText {
  const json = jsonIn(answer);
  return json === undefined ? fromProse(answer) : fromJson(json);
}

function fromJson(json: object): ReviewText {
  const list = Array.isArray(json) ? json : (json as { findings?: unknown }).findings;
  const summary = Array.isArray(json) ? '' : text((json as { summary?: unknown }).summary);
  const findings = (Array.isArray(list) ? list : []).flatMap((item: unknown) => findingOf(item) ?? []);
  return limited(findings, summary);
}

function findingOf(item: unknown): Finding | undefined {
  if (typeof item === 'string') {
    return item.trim() === '' ? undefined : { file: null, line: null, severity: null, title: clip(item), detail: '' };
  }
  if (typeof item !== 'object' || item === null) return undefined;
  const { file, path, line, severity, title, message, detail, description } = item as Record<string, unknown>;
  const head = [title, message, detail, description].map(text).find((each) => each !== '');
  if (head === undefined) return undefined;
  return {
    file: text(file ?? path) === '' ? null : clip(text(file ?? path)),
    line: lineOf(line),
    severity: text(severity) === '' ? null : clip(text(severity)).toLowerCase(),
    title: clip(head),
    detail: clip([detail, description].map(text).find((each) => each !== '' && each !== head) ?? ''),
  };
}

/** List items at the left margin are findings; the text before the first of them is the summary. */
function fromProse(answer: string): ReviewText {
  const lines = answer.trim().split('\n');
  const items = lines.flatMap((line) => /^(?:[-*•]|\d{1,3}[.)])\s+(\S.*)$/.exec(line)?.[1] ?? []);
  const first = lines.findIndex((line) => /^(?:[-*•]|\d{1,3}[.)])\s+\S/.test(line));
  const before = (first < 0 ? lines : lines.slice(0, first)).join('\n').trim();
  return limited(
    items.flatMap((item) => findingOf(item) ?? []),
    before,
  );
}

function limited(findings: readonly Finding[], summary: string): ReviewText {
  return {
    findings: findings.slice(0, FINDINGS_MAX),
    found: findings.length,
    summary: summary.slice(0, SUMMARY_CHARACTERS_MAX),
  };
}

/**
 * The object or list of the answer: the whole answer, the content of a fence, or the part between the outer brackets.
 */
function jsonIn(answer: string): object | undefined {
  const braces = answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1);
  for (const candidate of [answer, fencedIn(answer), braces]) {
    const value = parsedJson(candidate.trim());
    if (Array.isArray(value)) return value;
    if (typeof value === 'object' && value !== null && ('findings' in value || 'summary' in value)) return value;
  }
  return undefined;
}

/** The content of the first fence; empty without one. */
function fencedIn(answer: string): string {
  const begin = /```(?:json)?[^\S\n]*\n/.exec(answer);
  if (begin === null) return '';
  const rest = answer.slice(begin.index + begin[0].length);
  return rest.slice(0, Math.max(0, rest.search(/\n[^\S\n]*```/)));
}

/** The findings of a review of several texts. */
export function reviewFindings(texts: readonly ReviewText[]): Finding[] {
  return texts.flatMap((text) => text.findings).slice(0, FINDINGS_MAX);
}

/** The summary of a review of several texts. What was left out is named in it however long the texts are. */
export function reviewSummary(texts: readonly ReviewText[], coverage: Coverage): string {
  if (coverage.files_total === 0) return 'The diff is empty: there was nothing to review.';
  const summaries = texts.map((text) => text.summary).filter((summary) => summary !== '');
  const found = texts.reduce((sum, text) => sum + text.found, 0);
  const counted = `${found} ${found === 1 ? 'finding' : 'findings'} in ${coverage.files_reviewed} of ${coverage.files_total} changed files.`;
  const notes = [
    ['Only the beginning was reviewed of', coverage.files_truncated],
    ['Not reviewed, the diff is too long', coverage.files_skipped],
    ['Not reviewed, the model failed', coverage.files_provider_failed],
  ] as const;
  const limits = notes.flatMap(([what, files]) => (files.length === 0 ? [] : [`${what}: ${named(files)}.`]));
  if (found > FINDINGS_MAX) limits.push(`Only the first ${FINDINGS_MAX} findings are kept.`);
  if (coverage.diff_cut) limits.push('The diff is longer than what is read of one; the rest was not reviewed.');
  const end = cut([counted, ...limits].join(' '), SUMMARY_CHARACTERS_MAX);
  const summary = cut(summaries.join('\n\n'), Math.max(0, SUMMARY_CHARACTERS_MAX - end.length - 2));
  return summary === '' ? end : `${summary}\n\n${end}`;
}

function named(files: readonly string[]): string {
  const shown = files.slice(0, 10).join(', ');
  return files.length > 10 ? `${shown} and ${files.length - 10} more` : shown;
}

function cut(text: string, max: number): string {
  return text.slice(0, max).toWellFormed();
}

function lineOf(line: unknown): number | null {
  const number = typeof line === 'string' ? Number.parseInt(line, 10) : line;
  return typeof number === 'number' && Number.isSafeInteger(number) && number > 0 ? number : null;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value.trim().toWellFormed() : '';
}

function clip(value: string): string {
  return cut(value.trim().toWellFormed(), TEXT_CHARACTERS_MAX);
}
