/** Work on documents that a client names by path: it ends when the client disconnects, its faults become statuses. */
import type { FastifyRequest } from 'fastify';
import { DocumentError } from '../ports/documents.ts';
import { unlessDisconnected, whileConnected } from './server/disconnect.ts';
import { HttpError, STATUS } from './server/errors.ts';

const BUSY_HEADERS = { 'retry-after': '5' };

/** Runs work with a signal that aborts when the client disconnects. Throws `HttpError` for a `DocumentError`. */
export async function onDocument<Result>(
  request: FastifyRequest,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  try {
    return await whileConnected(request.raw, work);
  } catch (error) {
    if (error instanceof DocumentError) throw documentError(error);
    throw unlessDisconnected(request.raw, error);
  }
}

function documentError({ fault, message }: DocumentError): HttpError {
  return fault === 'busy' ? new HttpError(503, message, BUSY_HEADERS) : new HttpError(STATUS[fault], message);
}
