/** The open sessions of an editor, and the tools of the editor that each of them uses. */
import { randomBytes } from 'node:crypto';
import { isAbsolute, resolve } from 'node:path';
import {
  type AgentContext,
  type ClientCapabilities,
  type ListSessionsResponse,
  type McpServer,
  methods,
  RequestError,
} from '@agentclientprotocol/sdk';
import { createTools } from '../../integrations/tools/tools.ts';
import { KeyedMutex } from '../../lib/keyed-mutex.ts';
import { isFolder } from '../../lib/paths.ts';
import { SESSION_TOOL_PREFIX } from '../../ports/delegates.ts';
import { type Client, RequestRefused } from '../client.ts';
import { type EditorTerminal, runFileTool, runInTerminal } from './editor-tools.ts';
import type { SessionServers } from './mcp-servers.ts';
import { createSession, type Session } from './session.ts';
import { openToolSocket, type RunTool, type ToolSocket } from './tool-socket.ts';

export interface Dependencies {
  readonly client: Client;
  /** Starts a daemon if none runs. A daemon that another command started ends with that command. */
  readonly ensureDaemon: () => Promise<void>;
  /** DAYBOOK_HOME. */
  readonly home: string;
  /** Approval policy of new sessions; default: that of the daemon. */
  readonly approval: string | undefined;
  readonly provider: string | undefined;
  readonly model: string | undefined;
}

/** The working folder and the MCP servers of a session. */
interface SessionParams {
  readonly cwd: string;
  readonly mcpServers?: readonly McpServer[];
}

export interface Sessions {
  /** The editor's capabilities, from `initialize`. */
  capabilities: ClientCapabilities;
  create(editor: AgentContext, params: SessionParams): Promise<{ readonly id: string; readonly session: Session }>;
  /** Opens a run of the daemon as a session; a session that is open already is closed first. */
  reopen(editor: AgentContext, params: SessionParams & { readonly sessionId: string }): Promise<Session>;
  /** Throws when no session with this id is open. */
  get(id: string): Session;
  close(id: string): Promise<void>;
  closeAll(): Promise<void>;
}

const SESSIONS_MAX = 100;
const LISTED_RUNS_MAX = 100;
const TITLE_CHARACTERS_MAX = 200;

interface OpenSession {
  readonly session: Session;
  readonly servers: SessionServers | null;
  /** Null before the first prompt, and for a session without tools of its own. */
  toolSocket: ToolSocket | null;
}

interface IdentifiedParams extends SessionParams {
  readonly id: string;
  /** Whether the run of the session exists already. */
  readonly begun: boolean;
}

export function createSessions(parts: Dependencies): Sessions {
  const open = new Map<string, OpenSession>();
  const reopening = new KeyedMutex();
  /** Aborts when the editor is gone: servers that are starting end. */
  const closing = new AbortController();

  async function begin(editor: AgentContext, params: IdentifiedParams): Promise<Session> {
    if (open.size >= SESSIONS_MAX) throw RequestError.invalidRequest(undefined, `At most ${SESSIONS_MAX} sessions.`);
    const mode = await modeOf(parts);
    const servers = await startServers(params, closing.signal);
    const prepare = async (): Promise<void> => {
      await parts.ensureDaemon();
      const tools = { tools: toolsOf(sessions.capabilities), sessionTools: servers?.tools ?? [] };
      if ((tools.tools.length === 0 && tools.sessionTools.length === 0) || entry.toolSocket?.open === true) return;
      const runTool = toolRunner(editor, params.id, { home: parts.home, servers });
      const socket = await openToolSocket({ home: parts.home, session: params.id, ...tools }, runTool);
      // The session can be closed while the socket opens.
      if (open.get(params.id) === entry) entry.toolSocket = socket;
      else socket.close();
    };
    const session = createSession({ ...parts, ...params, editor, prepare }, mode);
    const entry: OpenSession = { session, servers, toolSocket: null };
    open.set(params.id, entry);
    return session;
  }

  const sessions: Sessions = {
    capabilities: {},
    async create(editor, params) {
      requireFolder(params.cwd);
      const id = randomBytes(16).toString('hex');
      return { id, session: await begin(editor, { ...params, id, begun: false }) };
    },
    async reopen(editor, { sessionId: id, ...params }) {
      requireFolder(params.cwd);
      return reopening.run(id, async () => {
        await parts.ensureDaemon();
        await requireRun(parts.client, id);
        await sessions.close(id);
        return begin(editor, { ...params, id, begun: true });
      });
    },
    get(id) {
      const entry = open.get(id);
      if (entry === undefined) throw RequestError.resourceNotFound(id);
      return entry.session;
    },
    async close(id) {
      const entry = open.get(id);
      open.delete(id);
      if (entry !== undefined) await end(entry);
    },
    async closeAll() {
      closing.abort();
      await Promise.allSettled([...open.keys()].map((id) => sessions.close(id)));
    },
  };
  return sessions;
}

/** Without a daemon, the tools and servers of the session end too. */
async function end({ session, toolSocket, servers }: OpenSession): Promise<void> {
  await session.cancel().catch(() => undefined);
  toolSocket?.close();
  await servers?.close();
}

/** Policy of a new session: the option, else the daemon's, else `suggest`, because an editor can answer approvals. */
async function modeOf({ approval, client, ensureDaemon }: Dependencies): Promise<string> {
  if (approval !== undefined) return approval;
  await ensureDaemon();
  return (await client.api.approvals.policy()).policy ?? 'suggest';
}

/** Runs as sessions, newest first; with a folder only those that work in it. Throws for an unknown cursor. */
export async function listRuns(
  { client, ensureDaemon }: Dependencies,
  { cursor, cwd }: { readonly cursor?: string | null; readonly cwd?: string | null },
): Promise<ListSessionsResponse> {
  await ensureDaemon();
  const query = { limit: LISTED_RUNS_MAX, after: cursor ?? undefined };
  const jobs = await client.api.runs.list({ query }).catch((error: unknown) => {
    const isUnknown = error instanceof RequestRefused && error.status === 400;
    throw isUnknown ? RequestError.invalidParams({ cursor: 'must come from an earlier list' }) : error;
  });
  const folder = cwd == null ? null : resolve(cwd);
  const sessions = jobs
    .filter((job) => folder === null || job.workspace === folder)
    .map((job) => ({
      sessionId: job.session_id,
      cwd: job.workspace,
      title: job.task.slice(0, TITLE_CHARACTERS_MAX).toWellFormed(),
      updatedAt: new Date(job.finished_at ?? job.started_at).toISOString(),
    }));
  const last = jobs.length === LISTED_RUNS_MAX ? jobs.at(-1) : undefined;
  return { sessions, nextCursor: last?.session_id ?? null };
}

/** The tools that the editor's capabilities suffice for. */
function toolsOf({ fs, terminal }: ClientCapabilities): readonly string[] {
  const reads = fs?.readTextFile === true;
  const writes = fs?.writeTextFile === true;
  return [
    ...(reads ? ['read_file'] : []),
    ...(writes ? ['write_file'] : []),
    ...(reads && writes ? ['edit_file'] : []),
    ...(terminal === true ? ['bash'] : []),
  ];
}

/** Null without servers. The MCP library is loaded only for a session with servers. */
async function startServers(
  { cwd, mcpServers = [] }: SessionParams,
  signal: AbortSignal,
): Promise<SessionServers | null> {
  if (mcpServers.length === 0) return null;
  const { startSessionServers } = await import('./mcp-servers.ts');
  return startSessionServers(mcpServers, { cwd, signal });
}

function toolRunner(
  editor: AgentContext,
  sessionId: string,
  { home, servers }: { readonly home: string; readonly servers: SessionServers | null },
): RunTool {
  const tools = createTools({ home, env: process.env });
  const files = {
    read: async (path: string) => (await editor.request(methods.client.fs.readTextFile, { sessionId, path })).content,
    write: async (path: string, content: string) => {
      await editor.request(methods.client.fs.writeTextFile, { sessionId, path, content });
    },
  };
  const terminal: EditorTerminal = { create: (command) => editor.createTerminal({ sessionId, ...command }) };
  return (call, signal) => {
    if (servers !== null && call.name.startsWith(SESSION_TOOL_PREFIX)) return servers.call(call, signal);
    return call.name === 'bash'
      ? runInTerminal({ call, terminal, home }, signal)
      : runFileTool({ call, tools, files, home }, signal);
  };
}

function requireFolder(cwd: string): void {
  if (!isAbsolute(cwd)) throw RequestError.invalidParams({ cwd: 'must be an absolute path' });
  if (!isFolder(cwd)) throw RequestError.invalidParams({ cwd: 'must be a folder that exists' });
}

async function requireRun(client: Client, id: string): Promise<void> {
  if (!/^[0-9a-f]{32}$/.test(id)) throw RequestError.resourceNotFound(id);
  try {
    await client.api.runs.get(id);
  } catch (error) {
    throw error instanceof RequestRefused && error.status === 404 ? RequestError.resourceNotFound(id) : error;
  }
}
