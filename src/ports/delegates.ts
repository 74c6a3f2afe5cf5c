/**
 * Clients that carry out tool calls of a session in place of the daemon: an editor lends its open files and its
 * terminal.
 *
 * - A client names the tools that it lends. The daemon runs all other tools, and all tools after the client is gone.
 */
import type { ToolCall, ToolOutcome } from './tools.ts';

export interface Lender {
  readonly tools: ReadonlySet<string>;
  call(call: ToolCall): void;
  /** The run does not wait for this call any longer. */
  cancel(callId: string): void;
}

export interface Loan {
  /** Reports the outcome of a call; ignored when nothing waits for it. */
  settle(callId: string, outcome: ToolOutcome): void;
  /** Ends the loan. Pending calls fail, with unknown effect. */
  end(): void;
}

export interface ToolDelegates {
  /** A session has one lender; a new one replaces the one before. */
  lend(session: string, lender: Lender): Loan;
}
