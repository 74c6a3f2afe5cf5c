/**
 * Lets a lender carry out tool calls of a session in place of the daemon.
 *
 * - A lent call ends with its outcome, an abort, the end of the loan, or a time limit.
 * - Outcomes are cut to the limits of other tools.
 */
import type { Lender, ToolDelegates } from '../../ports/delegates.ts';
import type { ToolCall, ToolOutcome, ToolsPort } from '../../ports/tools.ts';
import { DEFAULT_LIMITS } from './config.ts';
import { clipEnd } from './text.ts';
import { failed } from './tool.ts';

/** Longer than any tool of the daemon runs; a silent lender must not hold a run for ever. */
const LENT_MS_MAX = (DEFAULT_LIMITS.bashTimeoutSecondsMax + 60) * 1_000;
const FILES_MAX = 10_000;
const GONE = 'The editor that carried out this call is gone; the call may or may not have had its effect.';

interface Lent {
  readonly lender: Lender;
  readonly waiting: Map<string, (outcome: ToolOutcome) => void>;
}

export function withDelegates(own: ToolsPort): { readonly tools: ToolsPort; readonly delegates: ToolDelegates } {
  const lent = new Map<string, Lent>();

  const delegates: ToolDelegates = {
    lend(session, lender) {
      end(lent.get(session));
      const mine: Lent = { lender, waiting: new Map() };
      lent.set(session, mine);
      return {
        settle: (callId, outcome) => mine.waiting.get(callId)?.(outcome),
        end() {
          if (lent.get(session) === mine) lent.delete(session);
          end(mine);
        },
      };
    },
  };

  const tools: ToolsPort = {
    ...own,
    call(call, signal) {
      const there = lent.get(call.session ?? '');
      return there?.lender.tools.has(call.name) === true ? lentCall(there, call, signal) : own.call(call, signal);
    },
  };
  return { tools, delegates };
}

function end(there: Lent | undefined): void {
  for (const settle of there?.waiting.values() ?? []) settle(failed(GONE));
}

async function lentCall({ lender, waiting }: Lent, call: ToolCall, signal: AbortSignal): Promise<ToolOutcome> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<ToolOutcome>();
  waiting.set(call.callId, resolve);
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const late = (): void => resolve(failed(`The editor did not answer within ${LENT_MS_MAX / 1000} s.`));
  const timer = setTimeout(late, LENT_MS_MAX);
  try {
    lender.call(call);
    return bounded(await promise);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    waiting.delete(call.callId);
    if (signal.aborted) lender.cancel(call.callId);
  }
}

function bounded({ success, output, files_modified }: ToolOutcome): ToolOutcome {
  const text = output.toWellFormed();
  return {
    success,
    output: clipEnd(text, DEFAULT_LIMITS.outputBytesMax),
    files_modified: files_modified.slice(0, FILES_MAX),
  };
}
