/**
 * Lets a delegate carry out tool calls of a session in place of the daemon.
 *
 * - A delegated call ends with its outcome, an abort, the end of the registration, or a time limit.
 * - Outcomes are cut to the limits of other tools.
 */
import { addAbortListener } from 'node:events';
import { SESSION_TOOL_PREFIX, type ToolDelegate, type ToolDelegates } from '../../ports/delegates.ts';
import type { ToolCall, ToolOutcome, ToolsPort } from '../../ports/tools.ts';
import { DEFAULT_LIMITS } from './config.ts';
import { clipEnd } from './text.ts';
import { failed } from './tool.ts';

/** Longer than any tool of the daemon may run. A delegate that never answers must not block a run. */
const DELEGATED_MS_MAX = (DEFAULT_LIMITS.bashTimeoutSecondsMax + 60) * 1_000;
const FILES_MAX = 10_000;
const NOT_HERE = 'The editor that brought this tool is gone; the call was not made.';
const GONE = 'The editor that carried out this call is gone; the call may or may not have had its effect.';

interface Registered {
  readonly delegate: ToolDelegate;
  readonly waiting: Map<string, (outcome: ToolOutcome) => void>;
}

export function withDelegates(
  own: ToolsPort,
  delegatedMsMax = DELEGATED_MS_MAX,
): { readonly tools: ToolsPort; readonly delegates: ToolDelegates } {
  const registered = new Map<string, Registered>();

  const delegates: ToolDelegates = {
    register(session, delegate) {
      end(registered.get(session));
      const entry: Registered = { delegate, waiting: new Map() };
      registered.set(session, entry);
      return {
        settle: (callId, outcome) => entry.waiting.get(callId)?.(outcome),
        end() {
          if (registered.get(session) === entry) registered.delete(session);
          end(entry);
        },
      };
    },
    toolsOf: (session) => registered.get(session)?.delegate.ownTools ?? [],
  };

  const tools: ToolsPort = {
    ...own,
    async call(call, signal) {
      const entry = registered.get(call.session ?? '');
      if (entry !== undefined && handles(entry.delegate, call.name)) {
        return delegatedCall(entry, { call, msMax: delegatedMsMax }, signal);
      }
      return call.name.startsWith(SESSION_TOOL_PREFIX) ? failed(NOT_HERE) : own.call(call, signal);
    },
  };
  return { tools, delegates };
}

function handles({ tools, ownTools }: ToolDelegate, name: string): boolean {
  return tools.has(name) || ownTools.some((tool) => tool.name === name);
}

function end(entry: Registered | undefined): void {
  for (const settle of entry?.waiting.values() ?? []) settle(failed(GONE));
}

async function delegatedCall(
  { delegate, waiting }: Registered,
  { call, msMax }: { readonly call: ToolCall; readonly msMax: number },
  signal: AbortSignal,
): Promise<ToolOutcome> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<ToolOutcome>();
  waiting.set(call.callId, resolve);
  using _aborted = addAbortListener(signal, () => reject(signal.reason));
  let isLate = false;
  using _late = setTimeout(() => {
    isLate = true;
    resolve(failed(`The editor did not answer within ${msMax / 1000} s.`));
  }, msMax);
  try {
    delegate.call(call);
    return bounded(await promise);
  } finally {
    waiting.delete(call.callId);
    if (signal.aborted || isLate) delegate.cancel(call.callId);
  }
}

/** Cuts an outcome to the limits of other tools, and replaces halves of characters, which the log does not hold. */
export function bounded({ success, output, files_modified }: ToolOutcome): ToolOutcome {
  return {
    success,
    output: clipEnd(output.toWellFormed(), DEFAULT_LIMITS.outputBytesMax),
    files_modified: files_modified.slice(0, FILES_MAX).map((path) => path.toWellFormed()),
  };
}
