/** The operations of an OpenAPI document as methods of the client: a group, a name, parameters and an answer. */
import type { OpenApi } from '../../src/http/openapi/document.ts';
import type { Operation } from '../../src/http/openapi/operation.ts';

/** How the answer of an operation is read. */
export type AnswerKind = 'json' | 'text' | 'bytes' | 'stream';

export interface ClientOperation {
  readonly group: string;
  readonly name: string;
  readonly method: string;
  /** As in the document: `/jobs/{session_id}`. */
  readonly path: string;
  /** Names of path parameters, in the order of the path. */
  readonly params: readonly string[];
  readonly kind: AnswerKind;
  readonly operation: Operation;
}

export function operationsOf({ paths }: OpenApi): readonly ClientOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...names(operation),
      method: method.toUpperCase(),
      path,
      params: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!),
      kind: kindOf(operation),
      operation,
    })),
  );
}

function names({ tags, operationId }: Operation): { readonly group: string; readonly name: string } {
  const group = camelCase(tags[0]!);
  const full = camelCase(operationId);
  const own = full.startsWith(group) && full.length > group.length ? full.slice(group.length) : full;
  return { group, name: own[0]!.toLowerCase() + own.slice(1) };
}

function camelCase(text: string): string {
  const name = pascalCase(text);
  return name[0]!.toLowerCase() + name.slice(1);
}

export function pascalCase(text: string): string {
  return text.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_all, letter: string) => letter.toUpperCase());
}

function kindOf(operation: Operation): AnswerKind {
  const types = contentTypes(operation);
  if (types.includes('text/event-stream')) return 'stream';
  if (types.length === 0 || types.some((type) => type.startsWith('application/json'))) return 'json';
  return types.every((type) => type.startsWith('text/') || type === 'image/svg+xml') ? 'text' : 'bytes';
}

function contentTypes({ responses }: Operation): string[] {
  return Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, { content = {} }]) => Object.keys(content));
}

/** The name of a path parameter as an argument. */
export function argumentName(parameter: string): string {
  return camelCase(parameter);
}
