/** Short texts: what a tool call is about, and why a run did not complete. */
import type { JobRecord, Json } from '../api.ts';

const SUBJECTS = ['command', 'path', 'pattern', 'query', 'url', 'description', 'summary'] as const;

/** The most informative argument: a command, a path, a pattern; else the first text. */
export function subjectOf(input: Json): string {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    return typeof input === 'string' ? input : '';
  const fields = input as Readonly<Record<string, Json>>;
  for (const name of SUBJECTS) {
    const value = fields[name];
    if (typeof value === 'string' && value !== '') return value;
  }
  return Object.values(fields).find((value): value is string => typeof value === 'string') ?? '';
}

/** The exit code in the output of a command; null for other tools. */
export function exitCodeOf(name: string, output: string | null): number | null {
  if (name !== 'bash' || output === null) return null;
  const code = /^exit code (\d+)/m.exec(output)?.[1];
  return code === undefined ? null : Number(code);
}

const WITH_REASON = ['failed', 'partial', 'cancelled'];

/** Why a run did not complete: the first line of its final message; empty for other runs. */
export function reasonOf({ status, summary, cancellation_reason }: JobRecord): string {
  if (!WITH_REASON.includes(status)) return '';
  const [line = ''] = (summary ?? cancellation_reason ?? '').trim().split('\n', 1);
  return line;
}
