/** Work that ends with the connection of its caller, and with the daemon. */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { HttpError, retryLater } from './errors.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Aborts when the daemon stops, shortly before it closes the connections. */
    readonly closing: AbortSignal;
  }
}

/** The parts of a request that `whileConnected` uses. */
interface ConnectedRequest {
  readonly raw: Pick<IncomingMessage, 'socket'>;
  readonly server: Pick<FastifyInstance, 'closing'>;
}

/**
 * Runs work with a signal that aborts when the client disconnects or the daemon stops. Throws 503 for work that fails
 * after the client has disconnected, and for work that the stop ended, so that its caller gets an answer.
 */
export async function whileConnected<Result>(
  { raw: { socket }, server: { closing } }: ConnectedRequest,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const leave = (): void => controller.abort(new Error('The client is gone.'));
  const stop = (): void => controller.abort(closing.reason);
  socket.once('close', leave);
  closing.addEventListener('abort', stop);
  // A socket that is destroyed emits no further `close`, a signal that is aborted no further `abort`.
  if (socket.destroyed) leave();
  if (closing.aborted) stop();
  try {
    return await work(controller.signal);
  } catch (error) {
    if (closing.aborted) throw retryLater('The daemon stops before the request is done; send it again.');
    throw socket.destroyed ? new HttpError(503, 'The client is gone.') : error;
  } finally {
    socket.off('close', leave);
    closing.removeEventListener('abort', stop);
  }
}
