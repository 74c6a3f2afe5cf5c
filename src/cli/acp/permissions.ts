/**
 * A run's approvals as permission requests to the editor. A request ends when it is answered here or on another client,
 * when it expires, and with the prompt.
 */
import { type AgentContext, methods, type RequestPermissionRequest, type ToolCall } from '@agentclientprotocol/sdk';
import type { RunEvent } from '../../events/run/events.ts';
import { type Client, RequestRefused } from '../client.ts';

interface Permissions {
  /** Asks the user and answers the approval with the choice; `cancelled` when the user cancels the prompt instead. */
  ask(approval: string, toolCall: ToolCall): Promise<'answered' | 'cancelled'>;
  /** Withdraws the request of an approval that this event settles. */
  onEvent(event: RunEvent): void;
  close(): void;
}

const OPTIONS = [
  { optionId: 'allow_once', name: 'Allow once', kind: 'allow_once' },
  { optionId: 'allow_run', name: 'Allow until this run ends', kind: 'allow_always' },
  { optionId: 'deny', name: 'Deny', kind: 'reject_once' },
] as const;

type Decision = (typeof OPTIONS)[number]['optionId'];

export function createPermissions(client: Client, editor: AgentContext, sessionId: string): Permissions {
  const questions = new Map<string, AbortController>();

  /** The choice; null when the user cancels the prompt instead. A failed request counts as `deny`. */
  async function choice(toolCall: ToolCall, cancellationSignal: AbortSignal): Promise<Decision | null> {
    const params: RequestPermissionRequest = { sessionId, toolCall, options: [...OPTIONS] };
    const waiting = { cancellationSignal, stopWaitingOnCancel: true };
    try {
      const { outcome } = await editor.request(methods.client.session.requestPermission, params, waiting);
      if (outcome.outcome === 'cancelled') return null;
      return OPTIONS.find((option) => option.optionId === outcome.optionId)?.optionId ?? 'deny';
    } catch {
      return 'deny';
    }
  }

  return {
    async ask(approval, toolCall) {
      const controller = new AbortController();
      questions.set(approval, controller);
      const decision = await choice(toolCall, controller.signal);
      questions.delete(approval);
      if (controller.signal.aborted) return 'answered';
      if (decision === null) return 'cancelled';
      try {
        await client.api.approvals.answer(approval, { decision });
      } catch (error) {
        // Another client answered, or the approval expired: the run continues with that.
        if (!(error instanceof RequestRefused)) throw error;
      }
      return 'answered';
    },
    onEvent(event) {
      if (event.type !== 'ApprovalRequested' && 'approval_id' in event.data) {
        questions.get(event.data.approval_id)?.abort();
      }
    },
    close() {
      for (const question of questions.values()) question.abort();
    },
  };
}
