/**
 * Who else may carry out tool calls of a session: an editor that lends its open files and its terminal. What is lent is
 * named tool by tool; everything else, and everything once the lender is gone, runs here.
 */
import type { ToolCall, ToolOutcome } from './tools.ts';

export interface Lender {
  readonly tools: ReadonlySet<string>;
  call(call: ToolCall): void;
  /** The run does not wait for this call any more. */
  cancel(callId: string): void;
}

export interface Loan {
  /** The outcome of a call; one that nobody waits for is dropped. */
  settle(callId: string, outcome: ToolOutcome): void;
  /** Calls under way fail: whether they had their effect is not known. */
  end(): void;
}

export interface ToolDelegates {
  /** One lender a session: a newer one takes the place of the one before. */
  lend(session: string, lender: Lender): Loan;
}
