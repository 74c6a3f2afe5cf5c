/** The messages of the MCP library as sentences. */
import { z } from 'zod';

const zIssues = z.array(z.object({ path: z.array(z.union([z.string(), z.number()])), message: z.string() })).min(1);

/**
 * The message about a result that does not fit a schema of the library lists all issues as JSON, over many lines. It
 * becomes one line with the first issue, as the library words it for a schema of the caller.
 */
export function sentenceOf(message: string): string {
  const [, what, list] = /^(Invalid result for \S+): (\[.*\])$/s.exec(message) ?? [];
  const issues = list === undefined ? undefined : zIssues.safeParse(parsed(list)).data;
  if (issues === undefined) return message;
  const [{ path, message: fault }] = issues as [(typeof issues)[number]];
  return `${what}: ${[path.join('.'), fault].filter((part) => part !== '').join(': ')}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
