/** The agent's side of the protocol: what it says it can do, and which method does what. */
import { type AgentApp, agent, methods, PROTOCOL_VERSION, RequestError } from '@agentclientprotocol/sdk';
import { isMode, MODES, modeState } from './modes.ts';
import { taskOf } from './prompt.ts';
import { type AcpParts, createSessions, listRuns, type Sessions } from './sessions.ts';

/** `close` when the editor is gone: nobody is left to answer or to look. */
export function acpAgent(parts: AcpParts & { readonly version: string }): {
  readonly app: AgentApp;
  close(): Promise<void>;
} {
  const sessions = createSessions(parts);
  const app = agent({ name: 'daybook' }).onRequest(methods.agent.initialize, ({ params }) => {
    sessions.editorCan = params.clientCapabilities ?? {};
    return {
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name: 'daybook', title: 'Daybook', version: parts.version },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { embeddedContext: true },
        sessionCapabilities: { list: {}, resume: {}, close: {} },
      },
      authMethods: [],
    };
  });
  serveSessions(app, sessions);
  servePrompts(app, sessions);
  app.onRequest(methods.agent.session.list, ({ params }) => listRuns(parts, params));
  return { app, close: () => sessions.closeAll() };
}

function serveSessions(app: AgentApp, sessions: Sessions): void {
  app
    .onRequest(methods.agent.session.new, ({ params, client: editor }) => {
      const { id, session } = sessions.create(editor, params.cwd);
      return { sessionId: id, modes: modeState(session.mode) };
    })
    .onRequest(methods.agent.session.load, async ({ params, client: editor }) => {
      const session = await sessions.reopen(editor, params);
      await session.replay();
      return { modes: modeState(session.mode) };
    })
    .onRequest(methods.agent.session.resume, async ({ params, client: editor }) => {
      const session = await sessions.reopen(editor, params);
      return { modes: modeState(session.mode) };
    })
    .onRequest(methods.agent.session.close, async ({ params: { sessionId } }) => {
      sessions.known(sessionId);
      await sessions.close(sessionId);
      return {};
    });
}

function servePrompts(app: AgentApp, sessions: Sessions): void {
  app
    .onRequest(methods.agent.session.setMode, ({ params }) => {
      const session = sessions.known(params.sessionId);
      if (!isMode(params.modeId)) {
        throw RequestError.invalidParams({ modeId: `must be one of ${MODES.map((mode) => mode.id).join(', ')}` });
      }
      session.mode = params.modeId;
      return {};
    })
    .onRequest(methods.agent.session.prompt, ({ params, signal }) =>
      sessions.known(params.sessionId).prompt(taskOf(params.prompt), signal),
    )
    .onNotification(methods.agent.session.cancel, ({ params }) => sessions.known(params.sessionId).cancel());
}
