/**
 * Clients that carry out tool calls of a session in place of the daemon: an editor uses its open files and its
 * terminal.
 *
 * - A client names the tools that it carries out. The daemon runs all other tools, and all tools after the client has
 *   disconnected.
 * - A client may bring tools of its own, such as those of MCP servers, for the runs that are requested while it is
 *   connected. They are of the class `execute`: what a server says about its own tools is not relied on.
 */
import { z } from 'zod';
import { zJson } from '../events/envelope.ts';
import type { ModelTool } from './models.ts';
import type { ToolCall, ToolOutcome } from './tools.ts';

/** Names of tools that clients bring begin with this; no tool of the daemon does. */
export const SESSION_TOOL_PREFIX = 'mcp__';

/** A frame of the daemon to the client: `ready` first, then the calls of tools that the client carries out. */
export const zDaemonFrame = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({
    type: z.literal('call'),
    call_id: z.string(),
    name: z.string().describe('Name of the tool.'),
    input: zJson,
    workspace: z.string(),
  }),
  z.object({ type: z.literal('cancel'), call_id: z.string() }),
]);

export interface ToolDelegate {
  readonly tools: ReadonlySet<string>;
  /** Tools that the client brings. */
  readonly ownTools: readonly ModelTool[];
  call(call: ToolCall): void;
  /** The run has stopped waiting for this call. */
  cancel(callId: string): void;
}

export interface DelegateRegistration {
  /** Reports the outcome of a call; ignored for a call that is not pending. */
  settle(callId: string, outcome: ToolOutcome): void;
  /** Ends the registration. Pending calls fail, with unknown effect. */
  end(): void;
}

export interface ToolDelegates {
  /** A session has one delegate; a new one replaces the one before. */
  register(session: string, delegate: ToolDelegate): DelegateRegistration;
  /** The tools that the client of a session has brought. */
  toolsOf(session: string): readonly ModelTool[];
}
