/** The messages of the MCP library as sentences. */
import { z } from 'zod';
import { parsedJson } from '../../lib/json-text.ts';

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
