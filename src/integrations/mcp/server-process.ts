/**
 * An MCP server as a child process, with the transport to it.
 *
 * - The end of its stderr is kept for the error message.
 * - With a marker, the server runs under the watchdog in its own group, and no process of it outlives this one.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { serializeMessage, type Transport } from '@modelcontextprotocol/client';
import { carrying, holding, kill, killAll, outputLinks, TOOL_VARIABLE, WATCHDOG_VARIABLE } from '../tools/marker.ts';
import { start, underWatchdog, WATCHDOG_DESCRIPTOR } from '../tools/watchdog.ts';
import { createServerMessages } from './server-messages.ts';

const SAID_BYTES_MAX = 65_536;

export interface ServerProcess {
  readonly transport: Transport;
  /** The end of its stderr; `cut` when the beginning is missing. */
  said(): { readonly text: string; readonly cut: boolean };
  /** How it exited; resolves after its output is read. */
  readonly ended: Promise<ServerEnd>;
  /** Kills the server and what it started: processes of its group, with its marker, or that hold its output. */
  kill(): Promise<void>;
}

export type ServerEnd =
  | { readonly kind: 'exited'; readonly code: number | null; readonly signal: string | null }
  | { readonly kind: 'not_started'; readonly error: NodeJS.ErrnoException }
  /** A message is too long; reading has stopped. */
  | { readonly kind: 'flooded' };

export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly marker?: string;
}

export function startServer(server: ServerCommand): ServerProcess {
  const child = spawnServer(server);
  const { promise: ended, resolve: end } = Promise.withResolvers<ServerEnd>();
  child.once('error', (error) => end({ kind: 'not_started', error }));
  child.once('close', (code, signal) => end({ kind: 'exited', code, signal }));
  const transport = transportOf(child, () => end({ kind: 'flooded' }));
  void ended.then(() => transport.onclose?.());
  // Its processes inherit its output even without its environment.
  const isHolding = holding(child.pid === undefined ? new Set() : outputLinks(child.pid));
  const isMarked = carrying([TOOL_VARIABLE], (value) => value === server.marker);
  const killEverything = async (): Promise<void> => {
    if (server.marker !== undefined && child.pid !== undefined) kill(-child.pid);
    await killAll((pid) => isMarked(pid) || isHolding(pid));
  };
  return { transport, said: endOfText(child), ended, kill: killEverything };
}

function spawnServer({ command, args, env, cwd, marker }: ServerCommand): ChildProcessWithoutNullStreams {
  const options = { env, cwd, stdio: 'pipe' } as const;
  if (marker === undefined) return spawn(command, args, options);
  const child = spawn('/bin/sh', underWatchdog(marker, [command, ...args]), {
    ...options,
    env: { ...env, [WATCHDOG_VARIABLE]: marker },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  start(child);
  // The watchdog ends with its pipe. The event `close` waits for both.
  child.once('exit', () => child.stdio[WATCHDOG_DESCRIPTOR]?.destroy());
  return child;
}

function transportOf(child: ChildProcessWithoutNullStreams, flooded: () => void): Transport {
  const messages = createServerMessages();
  const transport: Transport = {
    async start() {
      child.stdin.on('error', () => undefined);
      child.stdout.on('data', (chunk: Buffer) => {
        let received: ReturnType<typeof messages.received>;
        try {
          received = messages.received(chunk);
        } catch {
          child.stdout.destroy();
          flooded();
          return;
        }
        for (const message of received) transport.onmessage?.(message);
      });
    },
    async send(message) {
      messages.sent(message);
      child.stdin.write(serializeMessage(message));
    },
    async close() {
      child.stdin.end();
    },
  };
  return transport;
}

function endOfText(child: ChildProcessWithoutNullStreams): ServerProcess['said'] {
  let chunks: Buffer[] = [];
  let bytes = 0;
  let cut = false;
  child.stderr.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes <= 2 * SAID_BYTES_MAX) return;
    chunks = [Buffer.from(Buffer.concat(chunks).subarray(-SAID_BYTES_MAX))];
    bytes = SAID_BYTES_MAX;
    cut = true;
  });
  return () => ({ text: Buffer.concat(chunks).toString('utf8'), cut });
}
