/** RFC 8785: the canonical text of a JSON value, which is hashed. Keys are sorted by UTF-16 code units. */
import type { Json } from '../api.ts';

export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const record = value as { readonly [key: string]: Json };
  const parts = Object.keys(record)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(record[key]!)}`);
  return `{${parts.join(',')}}`;
}
