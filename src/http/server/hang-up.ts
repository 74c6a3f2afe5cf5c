/** The end of a caller's connection as a signal, for work that nobody else waits for. */
import type { IncomingMessage } from 'node:http';

/** A connection carries many requests, so the listener goes when the work is done. */
export async function untilHangUp<Result>(
  { socket }: IncomingMessage,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const gone = (): void => controller.abort(new Error('The client is gone.'));
  socket.once('close', gone);
  try {
    return await work(controller.signal);
  } finally {
    socket.off('close', gone);
  }
}
