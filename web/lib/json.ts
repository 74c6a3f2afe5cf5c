/** Reads values from JSON of uncertain shape: a value of another type counts as absent. */
import type { Json } from '../api.ts';

export type JsonObject = Readonly<Record<string, Json>>;

export function objectOf(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

export const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
export const numberOf = (value: Json | undefined): number => (typeof value === 'number' ? value : 0);
export const numberOrNull = (value: Json | undefined): number | null => (typeof value === 'number' ? value : null);
export const listOf = (value: Json | undefined): readonly Json[] =>
  Array.isArray(value) ? (value as readonly Json[]) : [];
