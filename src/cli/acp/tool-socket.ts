/**
 * The WebSocket on which the daemon asks an editor to run tools of a session: with its open files and its terminal.
 *
 * - The request names the tools that the editor runs. The daemon runs all others, and every tool once the socket is
 *   closed.
 * - The first frame has the tools of the session's MCP servers.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { z } from 'zod';
import { bounded } from '../../integrations/tools/delegates.ts';
import { zDaemonFrame } from '../../ports/delegates.ts';
import type { ModelTool } from '../../ports/models.ts';
import type { ToolCall, ToolOutcome } from '../../ports/tools.ts';
import { RATE_WAITS_MAX, RequestRefused, requireDaemon } from '../client.ts';
import { CommandError } from '../errors.ts';

/** Runs one tool call. Throws only when aborted. */
export type RunTool = (call: ToolCall, signal: AbortSignal) => Promise<ToolOutcome>;

export interface ToolSocket {
  readonly open: boolean;
  close(): void;
}

interface EditorTools {
  /** DAYBOOK_HOME. */
  readonly home: string;
  readonly session: string;
  /** Names of the tools that the editor runs. */
  readonly tools: readonly string[];
  /** Tools of the session's MCP servers. */
  readonly sessionTools: readonly ModelTool[];
}

const RATE_WAIT_MS = 5_000;
/** The output of a result is cut to 32 KiB, which JSON makes six times as long at most. */
const FILES_BYTES_MAX = 512 * 1024;

/** Resolves when the daemon has accepted the tools. */
export async function openToolSocket(tools: EditorTools, runTool: RunTool): Promise<ToolSocket> {
  for (let waits = 0; ; waits += 1) {
    try {
      return await connect(tools, runTool);
    } catch (error) {
      if (!(error instanceof RequestRefused) || error.status !== 429 || waits >= RATE_WAITS_MAX) throw error;
      await sleep(RATE_WAIT_MS);
    }
  }
}

async function connect({ home, session, tools, sessionTools }: EditorTools, runTool: RunTool): Promise<ToolSocket> {
  const { url, token } = requireDaemon(home);
  const query = `names=${tools.join(',')}${sessionTools.length === 0 ? '' : '&brings=tools'}`;
  const address = `${url.replace(/^http/, 'ws')}/acp/v1/sessions/${session}/tools?${query}`;
  const socket = new WebSocket(address, { headers: { authorization: `Bearer ${token}` } });
  const running = new Map<string, AbortController>();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const end = (): void => {
    for (const controller of running.values()) controller.abort(new Error('The daemon is gone.'));
    reject(new CommandError('The daemon does not take the editor’s tools.'));
  };
  socket.on('unexpected-response', (_request, response) => {
    reject(new RequestRefused(response.statusCode ?? 0, 'The daemon does not take the editor’s tools.'));
    socket.terminate();
  });
  socket.on('open', () => {
    if (sessionTools.length > 0) socket.send(JSON.stringify({ type: 'tools', tools: sessionTools }));
  });
  socket.on('error', end);
  socket.on('close', end);
  socket.on('message', (data) => {
    const frame = zDaemonFrame.parse(JSON.parse(String(data)));
    if (frame.type === 'ready') resolve();
    else if (frame.type === 'cancel') running.get(frame.call_id)?.abort(new Error('The run does not wait any more.'));
    else void answer(socket, { frame, runTool, running });
  });
  await promise;
  return {
    get open() {
      return socket.readyState === WebSocket.OPEN;
    },
    close: () => socket.close(),
  };
}

interface PendingCall {
  readonly frame: Extract<z.infer<typeof zDaemonFrame>, { type: 'call' }>;
  readonly runTool: RunTool;
  readonly running: Map<string, AbortController>;
}

async function answer(socket: WebSocket, { frame, runTool, running }: PendingCall): Promise<void> {
  const { call_id, name, input, workspace } = frame;
  const controller = new AbortController();
  running.set(call_id, controller);
  try {
    const outcome = await runTool({ callId: call_id, name, input, workspace }, controller.signal);
    if (socket.readyState === WebSocket.OPEN) socket.send(resultFrame(call_id, outcome));
  } catch (error) {
    if (controller.signal.aborted || socket.readyState !== WebSocket.OPEN) return;
    const output = `The editor could not do it: ${(error as Error).message}`;
    socket.send(resultFrame(call_id, { success: false, output, files_modified: [] }));
  } finally {
    running.delete(call_id);
  }
}

/** The daemon closes the socket of a client that sends a frame of more than 1 MiB. */
function resultFrame(call_id: string, outcome: ToolOutcome): string {
  const { files_modified: files, ...rest } = bounded(outcome);
  let room = FILES_BYTES_MAX;
  const files_modified = files.filter((path) => {
    room -= Buffer.byteLength(JSON.stringify(path)) + 1;
    return room >= 0;
  });
  return JSON.stringify({ type: 'result', call_id, ...rest, files_modified });
}
