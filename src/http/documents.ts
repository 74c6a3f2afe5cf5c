/** Work on documents that a client names by path: it ends when the client disconnects, its faults become statuses. */
import type { FastifyRequest } from 'fastify';
import { DocumentError } from '../ports/documents.ts';
import { unlessDisconnected, whileConnected } from './server/disconnect.ts';
import { HttpError, retryLater, STATUS } from './server/errors.ts';

/** Runs work with a signal that aborts when the client disconnects. Throws `HttpError` for a `DocumentError`. */
export async function onDocument<Result>(
  request: FastifyRequest,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  try {
    return await whileConnected(request, work);
  } catch (error) {
    if (error instanceof DocumentError) throw documentError(error);
    throw unlessDisconnected(request.raw, error);
  }
}

function documentError({ fault, message }: DocumentError): HttpError {
  return fault === 'busy' ? retryLater(message) : new HttpError(STATUS[fault], message);
}
