/** Work on documents that a client named by path: ended when the client hangs up, its faults as statuses. */
import type { FastifyRequest } from 'fastify';
import { DocumentError, type DocumentFault } from '../ports/documents.ts';
import { whileConnected } from './server/disconnect.ts';
import { HttpError } from './server/errors.ts';

const STATUS: Readonly<Record<DocumentFault, number>> = {
  invalid: 400,
  forbidden: 403,
  not_found: 404,
  too_large: 413,
  unsupported_media: 415,
  unsupported: 422,
  bad_output: 502,
  unavailable: 503,
  busy: 503,
  timed_out: 504,
};

const BUSY_RETRY_AFTER_SECONDS = 5;

/** Throws `HttpError` for a `DocumentError`, and for whatever happens after the client has gone. */
export async function onDocument<Result>(
  request: FastifyRequest,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  try {
    return await whileConnected(request.raw, work);
  } catch (error) {
    if (error instanceof DocumentError) throw new HttpError(STATUS[error.fault], error.message, headersOf(error.fault));
    throw request.raw.socket.destroyed ? new HttpError(503, 'The client is gone.') : error;
  }
}

function headersOf(fault: DocumentFault): Readonly<Record<string, string>> {
  return fault === 'busy' ? { 'retry-after': String(BUSY_RETRY_AFTER_SECONDS) } : {};
}
