/** The result of a handler: a value for the route's serializer, finished text or bytes, or a stream. */
import type { SseSource } from './sse.ts';

export type Answer =
  /** Serialized to JSON with the schema of the status. */
  | { readonly kind: 'value'; readonly status: number; readonly value: unknown }
  /**
   * Sent unchanged: JSON that a projection stores as text, HTML, markdown, SVG. The headers are recorded for an
   * idempotent repeat: they hold no secret.
   */
  | {
      readonly kind: 'text';
      readonly status: number;
      readonly type: string;
      readonly text: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Sent unchanged. Recorded for an idempotent repeat without the bytes, which the route computes again. */
  | {
      readonly kind: 'bytes';
      readonly status: number;
      readonly type: string;
      readonly bytes: Uint8Array;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Sent in chunks, as fast as the client reads. Not recorded for an idempotent repeat. */
  | { readonly kind: 'stream'; readonly status: number; readonly type: string; readonly chunks: AsyncIterable<string> }
  | { readonly kind: 'sse'; readonly source: SseSource }
  /** Made by a library, with its status and headers. Not recorded for an idempotent repeat. */
  | { readonly kind: 'web'; readonly response: Response }
  | { readonly kind: 'empty'; readonly status: number };

export const JSON_TYPE = 'application/json; charset=utf-8';
const HTML_TYPE = 'text/html; charset=utf-8';
export const MARKDOWN_TYPE = 'text/markdown; charset=utf-8';

export function value(of: unknown, status = 200): Answer {
  return { kind: 'value', status, value: of };
}

export function json(text: string, status = 200): Answer {
  return { kind: 'text', status, type: JSON_TYPE, text };
}

export function html(text: string, status = 200, headers: Readonly<Record<string, string>> = {}): Answer {
  return { kind: 'text', status, type: HTML_TYPE, text, headers };
}

export function text(type: string, of: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return { kind: 'text', status: 200, type, text: of, headers };
}

export function bytes(type: string, of: Uint8Array, headers: Readonly<Record<string, string>> = {}): Answer {
  return { kind: 'bytes', status: 200, type, bytes: of, headers };
}

export function sse(source: SseSource): Answer {
  return { kind: 'sse', source };
}
