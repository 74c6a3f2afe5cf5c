/** Work that ends with the connection of its caller. */
import type { IncomingMessage } from 'node:http';
import { HttpError } from './errors.ts';

/** Runs work with a signal that aborts when the client disconnects. */
export async function whileConnected<Result>(
  { socket }: IncomingMessage,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const abort = (): void => controller.abort(new Error('The client is gone.'));
  socket.once('close', abort);
  // A socket that is destroyed emits no further `close`.
  if (socket.destroyed) abort();
  try {
    return await work(controller.signal);
  } finally {
    socket.off('close', abort);
  }
}

/** The error of work for a client: `error`, or 503 when the client has disconnected. */
export function unlessDisconnected({ socket }: IncomingMessage, error: unknown): unknown {
  return socket.destroyed ? new HttpError(503, 'The client is gone.') : error;
}
