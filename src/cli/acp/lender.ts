/**
 * Lends an editor's files and terminal to a session of the daemon: holds the socket over which its tool calls come.
 *
 * - Only what the editor said it can do is lent; the daemon runs the rest itself, and all of it once the socket is
 *   gone.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { zJson } from '../../events/envelope.ts';
import type { ToolCall, ToolOutcome } from '../../ports/tools.ts';
import { Refused, requireDaemon } from '../client.ts';
import { CommandError } from '../failures.ts';

/** Carries out one call. Throws only when aborted. */
export type Carry = (call: ToolCall, signal: AbortSignal) => Promise<ToolOutcome>;

export interface Lending {
  readonly open: boolean;
  close(): void;
}

const zFrame = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('call'), call_id: z.string(), name: z.string(), input: zJson, workspace: z.string() }),
  z.object({ type: z.literal('cancel'), call_id: z.string() }),
]);

export interface Loan {
  readonly home: string;
  readonly session: string;
  readonly tools: readonly string[];
}

/** Waits for the rate limit, at 5 s each: longer than its window of a minute. */
const RATE_WAITS_MAX = 15;
const RATE_WAIT_MS = 5_000;

/** Resolves when the daemon knows of the loan. */
export async function lend(loan: Loan, carry: Carry): Promise<Lending> {
  for (let waits = 0; ; waits += 1) {
    try {
      return await connect(loan, carry);
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 429 || waits >= RATE_WAITS_MAX) throw error;
      await sleep(RATE_WAIT_MS);
    }
  }
}

async function connect({ home, session, tools }: Loan, carry: Carry): Promise<Lending> {
  const { url, token } = requireDaemon(home);
  const address = `${url.replace(/^http/, 'ws')}/acp/v1/sessions/${session}/tools?names=${tools.join(',')}`;
  const socket = new WebSocket(address, { headers: { authorization: `Bearer ${token}` } });
  const underWay = new Map<string, AbortController>();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const end = (): void => {
    for (const controller of underWay.values()) controller.abort(new Error('The daemon is gone.'));
    reject(new CommandError('The daemon does not take the editor’s tools.'));
  };
  socket.on('unexpected-response', (_request, response) => {
    reject(new Refused(response.statusCode ?? 0, 'The daemon does not take the editor’s tools.'));
    socket.terminate();
  });
  socket.on('error', end);
  socket.on('close', end);
  socket.on('message', (data) => {
    const frame = zFrame.parse(JSON.parse(String(data)));
    if (frame.type === 'ready') resolve();
    else if (frame.type === 'cancel') underWay.get(frame.call_id)?.abort(new Error('The run does not wait any more.'));
    else void answer(socket, { frame, carry, underWay });
  });
  await promise;
  return {
    get open() {
      return socket.readyState === WebSocket.OPEN;
    },
    close: () => socket.close(),
  };
}

interface Asked {
  readonly frame: Extract<z.infer<typeof zFrame>, { type: 'call' }>;
  readonly carry: Carry;
  readonly underWay: Map<string, AbortController>;
}

async function answer(socket: WebSocket, { frame, carry, underWay }: Asked): Promise<void> {
  const { call_id, name, input, workspace } = frame;
  const controller = new AbortController();
  underWay.set(call_id, controller);
  try {
    const outcome = await carry({ callId: call_id, name, input, workspace }, controller.signal);
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ type: 'result', call_id, ...outcome }));
  } catch (error) {
    if (controller.signal.aborted || socket.readyState !== WebSocket.OPEN) return;
    const output = `The editor could not do it: ${(error as Error).message}`;
    socket.send(JSON.stringify({ type: 'result', call_id, success: false, output, files_modified: [] }));
  } finally {
    underWay.delete(call_id);
  }
}
