/** The agent's side of the protocol: its capabilities, its session modes and the handler of each method. */
import {
  type AgentApp,
  agent,
  type ContentBlock,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type SessionModeState,
} from '@agentclientprotocol/sdk';
import { createSessions, type Dependencies, listRuns, type Sessions } from './sessions.ts';

const MODES = [
  { id: 'suggest', name: 'Ask first', description: 'Asks before files are changed or commands are run.' },
  {
    id: 'auto-edit',
    name: 'Edit freely',
    description: 'Changes files of the workspace; asks before commands are run.',
  },
  { id: 'full-auto', name: 'Full auto', description: 'Changes files and runs commands without asking.' },
  { id: 'read-only', name: 'Read only', description: 'Reads and searches; changes nothing and asks nothing.' },
  { id: 'chat-only', name: 'Chat only', description: 'Answers without any tools.' },
];

/** `close` ends every session; call it when the editor has disconnected. */
export function acpAgent(parts: Dependencies & { readonly version: string }): {
  readonly app: AgentApp;
  close(): Promise<void>;
} {
  const sessions = createSessions(parts);
  const app = agent({ name: 'daybook' }).onRequest(methods.agent.initialize, ({ params }) => {
    sessions.capabilities = params.clientCapabilities ?? {};
    return {
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name: 'daybook', title: 'Daybook', version: parts.version },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { embeddedContext: true },
        mcpCapabilities: { http: true, sse: false },
        sessionCapabilities: { list: {}, resume: {}, close: {} },
      },
      authMethods: [],
    };
  });
  // The SDK asks the handlers in this order, also for messages that arrive together: a prompt begins before a close.
  servePrompts(app, sessions);
  serveSessions(app, sessions);
  app.onRequest(methods.agent.session.list, ({ params }) => explained(() => listRuns(parts, params)));
  return { app, close: () => sessions.closeAll() };
}

function serveSessions(app: AgentApp, sessions: Sessions): void {
  app
    .onRequest(methods.agent.session.new, ({ params, client: editor }) =>
      explained(async () => {
        const { id, session } = await sessions.create(editor, params);
        return { sessionId: id, modes: modeState(session.mode) };
      }),
    )
    .onRequest(methods.agent.session.load, ({ params, client: editor }) =>
      explained(async () => {
        const session = await sessions.reopen(editor, params);
        await session.replay();
        return { modes: modeState(session.mode) };
      }),
    )
    .onRequest(methods.agent.session.resume, ({ params, client: editor }) =>
      explained(async () => {
        const session = await sessions.reopen(editor, params);
        return { modes: modeState(session.mode) };
      }),
    )
    .onRequest(methods.agent.session.close, async ({ params: { sessionId } }) => {
      sessions.get(sessionId);
      await sessions.close(sessionId);
      return {};
    });
}

function servePrompts(app: AgentApp, sessions: Sessions): void {
  app
    .onRequest(methods.agent.session.setMode, ({ params }) => {
      const session = sessions.get(params.sessionId);
      if (!MODES.some(({ id }) => id === params.modeId)) {
        throw RequestError.invalidParams({ modeId: `must be one of ${MODES.map((mode) => mode.id).join(', ')}` });
      }
      session.mode = params.modeId;
      return {};
    })
    .onRequest(methods.agent.session.prompt, ({ params, signal }) =>
      explained(() => sessions.get(params.sessionId).prompt(taskOf(params.prompt), signal)),
    )
    .onNotification(methods.agent.session.cancel, ({ params }) => sessions.get(params.sessionId).cancel());
}

/** Puts the reason of an error into its message: editors show that, and the SDK would name the reason in `data` only. */
async function explained<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof RequestError ? error : RequestError.internalError(undefined, (error as Error).message);
  }
}

function modeState(currentModeId: string): SessionModeState {
  return { currentModeId, availableModes: MODES };
}

/** The content blocks of a prompt as the text of a task. Throws `RequestError` for blocks of other kinds. */
function taskOf(prompt: readonly ContentBlock[]): string {
  const task = prompt.map(textOf).join('\n\n').trim();
  if (task === '') throw RequestError.invalidParams({ prompt: 'must hold some text' });
  return task.toWellFormed();
}

function textOf(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'resource_link':
      return `[${block.title ?? block.name}](${block.uri})`;
    case 'resource': {
      const { resource } = block;
      if (!('text' in resource)) return `(The binary resource ${resource.uri} is left out.)`;
      return `Contents of ${resource.uri}:\n\n<context>\n${resource.text}\n</context>`;
    }
    case 'image':
    case 'audio':
      throw RequestError.invalidParams({ prompt: `${block.type} content is not supported` });
  }
}
