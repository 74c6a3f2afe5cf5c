/**
 * Clients that carry out tool calls of a session in place of the daemon: an editor uses its open files and its
 * terminal.
 *
 * - A client names the tools that it carries out. The daemon runs all other tools, and all tools after the client has
 *   disconnected.
 */
import type { ToolCall, ToolOutcome } from './tools.ts';

export interface ToolDelegate {
  readonly tools: ReadonlySet<string>;
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
}
