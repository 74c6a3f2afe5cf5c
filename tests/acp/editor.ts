/** An editor for tests: it starts `daybook acp` as a process and talks to it with the client side of the SDK. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import {
  type ClientCapabilities,
  type ClientContext,
  client,
  type McpServer,
  methods,
  ndJsonStream,
  type PromptResponse,
  type RequestPermissionRequest,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import { PROGRAM } from '../support/program.ts';

export interface Editor {
  readonly agent: ClientContext;
  readonly updates: SessionUpdate[];
  readonly permissions: RequestPermissionRequest[];
  /** Files that are open and not saved: what the agent reads first. */
  readonly unsaved: Map<string, string>;
  /** Methods the agent called, with the path or command. */
  readonly asked: string[];
  /** Answers permission requests; an option's id, or `cancelled`. */
  decide: (request: RequestPermissionRequest) => string | Promise<string>;
  readonly child: ChildProcess;
  stderr(): string;
  text(): string;
  /** The updates about tool calls so far. */
  toolUpdates(): SessionUpdate[];
  newSession(cwd: string, mcpServers?: McpServer[]): Promise<string>;
  prompt(sessionId: string, text: string): Promise<PromptResponse>;
  /** Forgets what it has seen so far. */
  forget(): void;
  close(): Promise<number | null>;
}

export interface EditorOptions {
  readonly home: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly args?: readonly string[];
  readonly capabilities?: ClientCapabilities;
}

export async function openEditor({ home, env = {}, args = [], capabilities = {} }: EditorOptions): Promise<Editor> {
  const child = spawn(process.execPath, [PROGRAM, 'acp', '--home', home, ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const updates: SessionUpdate[] = [];
  const permissions: RequestPermissionRequest[] = [];
  const unsaved = new Map<string, string>();
  const asked: string[] = [];
  const editor: { decide: Editor['decide'] } = { decide: () => 'allow_once' };
  const app = client({ name: 'test-editor' })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update))
    .onRequest(methods.client.session.requestPermission, async ({ params }) => {
      permissions.push(params);
      const optionId = await editor.decide(params);
      return { outcome: optionId === 'cancelled' ? { outcome: 'cancelled' } : { outcome: 'selected', optionId } };
    })
    .onRequest(methods.client.fs.readTextFile, ({ params }) => {
      asked.push(`read ${params.path}`);
      return { content: unsaved.get(params.path) ?? readFileSync(params.path, 'utf8') };
    })
    .onRequest(methods.client.fs.writeTextFile, ({ params }) => {
      asked.push(`write ${params.path}`);
      unsaved.delete(params.path);
      writeFileSync(params.path, params.content);
      return {};
    });
  serveTerminals(app, asked);
  const connection = app.connect(
    ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>),
  );
  const { agent } = connection;
  await agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: capabilities });
  return Object.assign(editor, {
    agent,
    updates,
    permissions,
    unsaved,
    asked,
    child,
    stderr: () => stderr,
    text: () =>
      updates
        .map((update) =>
          update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text' ? update.content.text : '',
        )
        .join(''),
    toolUpdates: () =>
      updates.filter((update) => update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update'),
    newSession: async (cwd: string, mcpServers: McpServer[] = []) =>
      (await agent.request(methods.agent.session.new, { cwd, mcpServers })).sessionId,
    prompt: (sessionId: string, text: string) =>
      agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] }),
    forget() {
      for (const list of [updates, permissions, asked]) list.length = 0;
      unsaved.clear();
      editor.decide = () => 'allow_once';
    },
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      const ended = once(child, 'exit');
      child.stdin.end();
      await ended;
      return child.exitCode;
    },
  });
}

interface Running {
  readonly child: ChildProcess;
  output: string;
}

/** Terminals as an editor has them: real processes, their output kept until released. */
function serveTerminals(app: ReturnType<typeof client>, asked: string[]): void {
  const terminals = new Map<string, Running>();
  const exitOf = ({ child }: Running) => ({ exitCode: child.exitCode, signal: child.signalCode });
  const ended = ({ child }: Running): boolean => child.exitCode !== null || child.signalCode !== null;
  app
    .onRequest(methods.client.terminal.create, ({ params }) => {
      asked.push(`terminal ${params.args?.at(-1) ?? params.command}`);
      const child = spawn(params.command, params.args ?? [], {
        cwd: params.cwd ?? undefined,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const terminal: Running = { child, output: '' };
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => (terminal.output += chunk));
      const terminalId = `t${terminals.size + 1}`;
      terminals.set(terminalId, terminal);
      return { terminalId };
    })
    .onRequest(methods.client.terminal.output, ({ params }) => {
      const terminal = terminals.get(params.terminalId)!;
      return { output: terminal.output, truncated: false, exitStatus: ended(terminal) ? exitOf(terminal) : null };
    })
    .onRequest(methods.client.terminal.waitForExit, async ({ params }) => {
      const terminal = terminals.get(params.terminalId)!;
      if (!ended(terminal)) await once(terminal.child, 'close');
      return exitOf(terminal);
    })
    .onRequest(methods.client.terminal.kill, ({ params }) => {
      terminals.get(params.terminalId)?.child.kill('SIGKILL');
      return {};
    })
    .onRequest(methods.client.terminal.release, ({ params }) => {
      asked.push('release');
      terminals.get(params.terminalId)?.child.kill('SIGKILL');
      return {};
    });
}
