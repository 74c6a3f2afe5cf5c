/** The one effect that is due or in flight in a state of a run. Effects with the same key are the same effect. */
import type { ToolCallData } from './conversation.ts';
import type { RunState } from './state.ts';

export type RunEffect =
  | { readonly kind: 'begin'; readonly key: string }
  | { readonly kind: 'ask'; readonly key: string; readonly call: number }
  | { readonly kind: 'wait'; readonly key: string; readonly call: number; readonly ms: number }
  | { readonly kind: 'pause'; readonly key: string; readonly call: number; readonly until: number }
  | { readonly kind: 'expire'; readonly key: string; readonly approval: string; readonly at: number }
  | { readonly kind: 'tool'; readonly key: string; readonly call: ToolCallData; readonly workspace: string };

export function nextRunEffect(state: RunState): RunEffect | undefined {
  if (state.status === 'queued') return { kind: 'begin', key: 'begin' };
  if (state.status !== 'running') return undefined;
  const { phase } = state;
  switch (phase.name) {
    case 'idle':
      return undefined;
    case 'asking': {
      const call = phase.attempt === 0 ? state.call + 1 : state.call;
      return { kind: 'ask', key: `ask ${call}.${phase.attempt}`, call };
    }
    case 'asked':
      return { kind: 'ask', key: `ask ${state.call}.${phase.attempt}`, call: state.call };
    case 'backing_off': {
      const { attempt, ms, until } = phase;
      if (until !== undefined) return { kind: 'pause', key: `pause ${state.call}.${attempt}`, call: state.call, until };
      return { kind: 'wait', key: `wait ${state.call}.${attempt}`, call: state.call, ms };
    }
    case 'tool_due': {
      const call = state.pending[0];
      return call === undefined ? undefined : tool(call, state);
    }
    case 'tool_started':
      return tool(phase.call, state);
    case 'awaiting_approval':
      return { kind: 'expire', key: `approval ${phase.approval}`, approval: phase.approval, at: phase.expires_at };
  }
}

function tool(call: ToolCallData, state: RunState): RunEffect {
  return { kind: 'tool', key: `tool ${state.call} ${call.id}`, call, workspace: state.request?.workspace ?? '' };
}
