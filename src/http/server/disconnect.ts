/** Work that ends with the connection of its caller. */
import type { IncomingMessage } from 'node:http';

/** The signal aborts when the client disconnects. The listener goes with the work: connections carry many requests. */
export async function whileConnected<Result>(
  { socket }: IncomingMessage,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const abort = (): void => controller.abort(new Error('The client is gone.'));
  socket.once('close', abort);
  try {
    return await work(controller.signal);
  } finally {
    socket.off('close', abort);
  }
}
