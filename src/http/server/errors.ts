/**
 * Errors on the wire: the tables from refusals and errors of ports to statuses, the one shape of the body, messages of
 * validation errors.
 */
import { z } from 'zod';
import { type RefusalKind, Refused, sanitiseEcho } from '../../commands/refusal.ts';
import { NewerEventError } from '../../events/decode.ts';
import { PortError, type PortFault } from '../../ports/port-error.ts';
import { isDamage, VIEWS_DAMAGED, ViewRefused } from '../../projections/views-failures.ts';

export const STATUS: Readonly<Record<RefusalKind | PortFault, number>> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  unsupported_media: 415,
  unsupported: 422,
  too_many: 429,
  failed: 500,
  bad_output: 502,
  unavailable: 503,
  busy: 503,
  timed_out: 504,
};

/** Not imported: an import of node:http reads every export of it, which loads Node's fetch: 30 ms and 14 MB. */
const { STATUS_CODES } = process.getBuiltinModule('node:http');

export function reasonPhrase(status: number): string {
  return STATUS_CODES[status] ?? 'Unknown';
}

export const zError = z.object({ error: z.string() });
z.globalRegistry.add(zError, { id: 'Error' });

/** An error with an HTTP status. The message is sent to the caller. */
export class HttpError extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.name = 'HttpError';
    this.status = status;
    this.headers = headers;
  }
}

const RETRY_SECONDS = 5;

/** 405. `methods` are those that the routes of the path declare; HEAD comes with GET. */
export function notAllowed(method: string, methods: readonly string[]): HttpError {
  const allow = methods.flatMap((each) => (each === 'GET' ? ['GET', 'HEAD'] : [each])).join(', ');
  return new HttpError(405, `${method} is not allowed here; allowed: ${allow}.`, { allow });
}

/** 503 for a caller who may try again after so many seconds. */
export function retryLater(message: string, seconds = RETRY_SECONDS): HttpError {
  return new HttpError(503, message, { 'retry-after': String(seconds) });
}

export function notFound(kind: string, id: string): HttpError {
  return new HttpError(404, `${kind} '${sanitiseEcho(id)}' not found`);
}

interface ErrorReply {
  readonly status: number;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
  /** For the daemon's stderr only. */
  readonly internal: string | null;
}

/** `Retry-After` while the daemon is too old for events of the log, and has to be upgraded. */
const OUTDATED_RETRY_SECONDS = '60';

/** Codes of Node for a file of the program that is loaded at its first use, and is gone. */
const MISSING_MODULE = /^(?:ERR_)?MODULE_NOT_FOUND$/;
const PROGRAM_REPLACED = 'A file of the program is gone, as after an upgrade. Restart the daemon.';

/** Errors of Fastify that get another message or status. */
const FRAMEWORK: Readonly<Record<string, { status: number; message: string }>> = {
  FST_ERR_BAD_URL: { status: 400, message: 'The URL cannot be read.' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { status: 400, message: 'The Content-Type cannot be read.' },
};

/** The kind of an error whose message is for the caller. */
function kindOf(error: unknown): keyof typeof STATUS | undefined {
  if (error instanceof Refused) return error.refusal.kind;
  return error instanceof PortError ? error.fault : undefined;
}

/** The reply to anything thrown. Unknown errors are 500 without their text, which may hold paths or secrets. */
export function errorReply(error: unknown): ErrorReply {
  const plain = { headers: {}, internal: null };
  if (error instanceof HttpError)
    return { ...plain, status: error.status, message: error.message, headers: error.headers };
  const kind = kindOf(error);
  if (kind !== undefined) {
    const headers: Record<string, string> =
      kind === 'busy' || kind === 'too_many' ? { 'retry-after': String(RETRY_SECONDS) } : {};
    return { ...plain, headers, status: STATUS[kind], message: (error as Error).message };
  }
  if (error instanceof ViewRefused || error instanceof NewerEventError) {
    const sentence = error instanceof NewerEventError ? error.sentence : error.message;
    return { ...plain, status: 503, message: sentence, headers: { 'retry-after': OUTDATED_RETRY_SECONDS } };
  }
  const { code, message, statusCode, cause } = error as Error & { code?: string; statusCode?: number };
  const known = FRAMEWORK[code ?? ''];
  if (known !== undefined) return { ...plain, ...known };
  // Without a cause the write was refused before it reached the disk, and the message is meant for callers.
  if ((code === 'STORAGE_FULL' || code === 'STORAGE_MOVED') && message !== undefined && cause === undefined) {
    return { ...plain, status: 503, message, headers: { 'retry-after': '5' } };
  }
  if (code === 'STORAGE_UNAVAILABLE' && message !== undefined) {
    return { ...plain, status: 503, message, headers: { 'retry-after': '2' } };
  }
  if (code === 'STORAGE_READ_ONLY' || code === 'STORAGE_FULL' || code === 'STORAGE_IO') {
    return {
      ...plain,
      status: 503,
      message: 'The log takes no writes at the moment; see GET /health.',
      internal: message ?? code,
    };
  }
  if (isDamage(error)) return { ...plain, status: 503, message: VIEWS_DAMAGED, internal: message ?? null };
  if (code !== undefined && MISSING_MODULE.test(code)) {
    return { ...plain, status: 503, message: PROGRAM_REPLACED, internal: message ?? code };
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return { ...plain, status: statusCode, message: reasonPhrase(statusCode) };
  }
  return {
    ...plain,
    status: 500,
    message: 'Internal error; the daemon’s log has the details.',
    internal: String((error as Error)?.stack ?? error),
  };
}

/** Errors that were announced, or the causes that they name. */
const announced = new WeakSet<object>();

/** Announces what only the operator may read, once for each cause: a log that has failed refuses every write. */
export function announceCause(error: unknown, announce: (line: string) => void): void {
  const { internal } = errorReply(error);
  const cause = Object((error as Error | undefined)?.cause ?? error);
  if (internal === null || announced.has(cause)) return;
  announced.add(cause);
  announce(`error: ${internal}`);
}

/** Limit of issues, and of fields of one issue, in a message: a body may have a hundred thousand. */
const ISSUES_NAMED_MAX = 5;

/** The error of a parse with `faultOf`, as one sentence that names the fields to change. */
export function validationMessage(error: z.ZodError, where: string): string {
  const parts = error.issues.slice(0, ISSUES_NAMED_MAX).map((issue) => {
    // The sender of a query wrote `status=a,b`, not a list.
    const keys = where === 'query' ? issue.path.slice(0, 1) : issue.path;
    const path = keys.map((key) => sanitiseEcho(String(key))).join('.');
    const text = issue.code === 'unrecognized_keys' ? unknownFields(issue.keys) : issue.message;
    return path === '' ? text : `${path}: ${text}`;
  });
  return `Invalid ${where}: ${parts.join('; ')}`;
}

function unknownFields(names: readonly string[]): string {
  const named = names.slice(0, ISSUES_NAMED_MAX).map(sanitiseEcho).join(', ');
  const more = names.length - ISSUES_NAMED_MAX;
  return `unknown field ${named}${more > 0 ? ` and ${more} more` : ''}`;
}
