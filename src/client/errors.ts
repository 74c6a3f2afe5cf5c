/**
 * The only error class of the client. Aborted calls reject with the reason of their signal instead.
 *
 * Methods document their specific statuses. Any method may also throw 400 (a part of the request is malformed),
 * 401 (missing or invalid token), 403 (foreign host or origin), 409 (an idempotency key that was used with another
 * body), 413 (the body is too large), 429 (too many requests), 503 (the daemon is not ready) and 0 (no answer).
 */

export interface DaybookErrorFacts {
  /** Status of the answer; 0 if there was none, or if it was cut off. */
  readonly status: number;
  /** The message of the daemon. */
  readonly error: string;
  /** Seconds after which another attempt may succeed. */
  readonly retryAfter?: number | undefined;
  /** The body of the answer: parsed if it is JSON, else its text. */
  readonly body?: unknown;
  readonly cause?: unknown;
}

export class DaybookError extends Error {
  override readonly name = 'DaybookError';
  readonly status: number;
  readonly error: string;
  readonly retryAfter: number | undefined;
  readonly body: unknown;

  constructor({ status, error, retryAfter, body, cause }: DaybookErrorFacts) {
    super(error, { cause });
    this.status = status;
    this.error = error;
    this.retryAfter = retryAfter;
    this.body = body;
  }
}

/** The error for an answer other than 2xx; reads its body. */
export async function refusal(response: Response): Promise<DaybookError> {
  const { status, statusText, headers } = response;
  const body = parsed(await response.text().catch(() => ''));
  const message = typeof body === 'object' && body !== null && 'error' in body ? body.error : undefined;
  const error =
    typeof message === 'string' ? message : `The daemon answered ${status} ${statusText}`.trimEnd().concat('.');
  return new DaybookError({ status, error, body, retryAfter: seconds(headers.get('retry-after')) });
}

/** The error for a connection that could not be opened, or that broke. */
export function unreachable(url: string, cause: unknown): DaybookError {
  const { cause: inner, message } = cause as { readonly cause?: { code?: string; message?: string }; message?: string };
  const why = inner?.code ?? inner?.message ?? message ?? 'it cannot be reached';
  return new DaybookError({ status: 0, error: `The daemon at ${url} does not answer: ${why}.`, cause });
}

/**
 * Parses a part of an answer; empty text is undefined. Throws `DaybookError` for text that is not JSON, such as the page
 * of a proxy.
 */
export function parseJson<Value>(text: string, status: number): Value;
export function parseJson(text: string, status: number): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch (cause) {
    throw new DaybookError({ status, error: 'The answer of the daemon is not JSON.', body: text, cause });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Retry-After is a number of seconds or a date. */
function seconds(header: string | null): number | undefined {
  if (header === null) return undefined;
  const value = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1_000;
  return Number.isNaN(value) ? undefined : Math.max(0, value);
}
