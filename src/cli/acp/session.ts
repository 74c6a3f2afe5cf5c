/**
 * A session of an editor is one run: each prompt starts or resumes it, and permission requests answer its approvals.
 *
 * - One prompt at a time. Cancelling a prompt cancels the run; the prompt ends when the run has ended.
 */
import {
  type AgentContext,
  methods,
  type PromptResponse,
  RequestError,
  type RequestPermissionRequest,
  type SessionUpdate,
  type StopReason,
  type ToolCall,
} from '@agentclientprotocol/sdk';
import { decodeEvents } from '../../events/decode.ts';
import type { DataOf } from '../../events/define.ts';
import { zEnvelope } from '../../events/envelope.ts';
import { runEvents as eventTable, type RunEvent } from '../../events/run/events.ts';
import { type Client, RequestRefused } from '../client.ts';
import { eventsOf } from '../log/read.ts';
import { createTranslator, type Translator } from './updates.ts';

interface Dependencies {
  readonly client: Client;
  readonly editor: AgentContext;
  readonly id: string;
  readonly cwd: string;
  readonly provider: string | undefined;
  readonly model: string | undefined;
  /** The session exists in the daemon already: prompts resume it. */
  readonly begun: boolean;
  /** Called before each prompt: ensures that a daemon runs and has the editor's tools. */
  readonly prepare: () => Promise<void>;
}

export interface Session {
  mode: string;
  prompt(task: string, signal: AbortSignal): Promise<PromptResponse>;
  /** Ends the running prompt, if any. */
  cancel(): Promise<void>;
  /** Sends the editor every recorded event. */
  replay(): Promise<void>;
}

export function createSession(parts: Dependencies, mode: string): Session {
  const { client, id } = parts;
  const translator = createTranslator(parts.cwd);
  let { begun } = parts;
  let busy = false;
  let cancelled = false;

  async function request(task: string): Promise<void> {
    await requestRun(parts, { task, approval: session.mode, begun });
    begun = true;
    if (cancelled) await session.cancel();
  }

  const session: Session = {
    mode,
    async prompt(task, signal) {
      if (busy) throw RequestError.invalidRequest(undefined, 'A prompt of this session is under way already.');
      busy = true;
      cancelled = signal.aborted;
      const cancel = (): void => void session.cancel().catch(() => undefined);
      signal.addEventListener('abort', cancel, { once: true });
      try {
        await parts.prepare();
        const { position: after } = await client.api.log.head();
        if (cancelled) return { stopReason: 'cancelled' };
        await request(task);
        return { stopReason: await follow(parts, { after, translator, cancel }) };
      } finally {
        signal.removeEventListener('abort', cancel);
        busy = false;
      }
    },
    async cancel() {
      if (!busy) return;
      cancelled = true;
      if (begun) await client.api.runs.cancel(id);
    },
    async replay() {
      for await (const event of recordedEvents(client, id)) await show(parts, translator.updates(event));
    },
  };
  return session;
}

async function requestRun(
  { client, id, cwd: workspace_root, provider, model }: Dependencies,
  { task, approval, begun }: { readonly task: string; readonly approval: string; readonly begun: boolean },
): Promise<void> {
  const which = begun ? { resume_session_id: id } : { session_id: id };
  const body = { task, workspace_root, provider, model, approval, interactive: true, ...which };
  await client.api.runs.start(body);
}

interface FollowedPrompt {
  /** Position in the log before the request. */
  readonly after: number;
  readonly translator: Translator;
  readonly cancel: () => void;
}

/** Sends the editor the run's events and its approvals until it ends. */
async function follow(parts: Dependencies, { after, translator, cancel }: FollowedPrompt): Promise<StopReason> {
  const { client, editor, id } = parts;
  const stop = new AbortController();
  const permissions = createPermissions(client, editor, id);
  const ask = async (asked: DataOf<RunEvent, 'ApprovalRequested'>): Promise<void> => {
    const toolCall = translator.toolCall(asked.step_num, asked.call);
    if ((await permissions.ask(asked.approval_id, toolCall)) === 'cancelled') cancel();
  };
  let finish: Finish | null = null;
  try {
    for await (const event of runEvents(client, { session: id, after, signal: stop.signal })) {
      permissions.onEvent(event);
      // The editor shows the user's own message itself.
      if (event.type === 'RunRequested' || event.type === 'RunResumed') translator.updates(event);
      else await show(parts, translator.updates(event));
      if (event.type === 'ApprovalRequested') void ask(event.data).catch(() => undefined);
      if (event.type === 'ModelAnswered') finish = event.data.finish_reason;
      const end = endOf(event, finish);
      if (end !== null) return end;
    }
    throw RequestError.internalError(undefined, 'The daemon is gone.');
  } finally {
    stop.abort();
    permissions.close();
  }
}

async function show({ editor, id }: Dependencies, updates: readonly SessionUpdate[]): Promise<void> {
  for (const update of updates) await editor.notify(methods.client.session.update, { sessionId: id, update });
}

type Finish = DataOf<RunEvent, 'ModelAnswered'>['finish_reason'];

/** Why the prompt ends with this event after the last answer's finish, or null. A failed run is an error of the prompt. */
function endOf(event: RunEvent, finish: Finish | null): StopReason | null {
  switch (event.type) {
    case 'RunCompleted':
      return finish === 'length' ? 'max_tokens' : 'end_turn';
    case 'RunStopped':
      if (event.data.reason.startsWith('Stopped after ')) return 'max_turn_requests';
      return finish === 'length' ? 'max_tokens' : 'end_turn';
    case 'RunCancelled':
      return 'cancelled';
    case 'RunFailed':
      throw RequestError.internalError(undefined, event.data.message);
    default:
      return null;
  }
}

/** Live events after a position, until the signal aborts. */
async function* runEvents(
  client: Client,
  { session, after, signal }: { readonly session: string; readonly after: number; readonly signal: AbortSignal },
): AsyncGenerator<RunEvent> {
  const stream = `run-${session}`;
  const events = client.follow((api, options) => api.log.events({ ...options, after, stream }), { signal });
  for await (const { data } of events) yield* decodeEvents(eventTable, [zEnvelope.parse(data)]);
}

/** All recorded events of a run. */
async function* recordedEvents(client: Client, session: string): AsyncGenerator<RunEvent> {
  const range = { stream: `run-${session}`, after: 0, limit: Number.POSITIVE_INFINITY };
  for await (const envelope of eventsOf(client, range)) yield* decodeEvents(eventTable, [envelope]);
}

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

/**
 * A run's approvals as permission requests to the editor. A request ends when it is answered here or on another client,
 * when it expires, and with the prompt.
 */
function createPermissions(client: Client, editor: AgentContext, sessionId: string): Permissions {
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
