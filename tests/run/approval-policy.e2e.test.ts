/** The default approval policy, from the command line, in an editor and over MCP. */
import { methods } from '@agentclientprotocol/sdk';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, it, onTestFinished } from 'vitest';
import { openEditor } from '../acp/editor.ts';
import { cliHere } from '../cli/support.ts';
import { sharedDaemon } from '../support/daemon.ts';

const daemon = sharedDaemon();

const policy = (...words: string[]) => cliHere(['approvals', 'policy', ...words], { home: daemon.home });

it('is shown, set in any spelling, and left to the configuration', async () => {
  expect((await policy()).stdout).toBe('Runs whose request names no policy get suggest (as configured).\n');
  expect((await policy('AutoEdit')).stdout).toBe(
    'Runs whose request names no policy get auto-edit (set here; configured is suggest).\n',
  );
  const { stdout } = await policy('configured', '--json');
  expect(JSON.parse(stdout)).toEqual({ policy: null, configured: 'suggest', effective: 'suggest' });
});

it('is refused with what may have been meant', async () => {
  const { code, stderr } = await policy('full-atuo');
  expect([code, stderr]).toEqual([
    2,
    "daybook: The policy must be one of suggest, auto-edit, full-auto, read-only, chat-only, configured. Did you mean 'full-auto'?\n",
  ]);
});

it('is the mode of an editor’s sessions', async () => {
  const editor = await openEditor({ home: daemon.home });
  onTestFinished(() => void editor.close());
  const opened = (): Promise<unknown> =>
    editor.agent.request(methods.agent.session.new, { cwd: daemon.workspace, mcpServers: [] });
  expect(await opened()).toMatchObject({ modes: { currentModeId: 'suggest' } });
  await policy('read-only');
  expect(await opened()).toMatchObject({ modes: { currentModeId: 'read-only' } });
  await policy('configured');
});

it('is what a run of MCP gets', async () => {
  await policy('read-only');
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${daemon.token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${daemon.url}/mcp`), { requestInit }));
  onTestFinished(() => client.close());
  const { content } = await client.callTool({ name: 'run_start', arguments: { task: 'Say hello.' } });
  const [first] = content;
  const { session_id } = JSON.parse(first?.type === 'text' ? first.text : '') as { session_id: string };
  expect(await (await daemon.request(`/jobs/${session_id}`)).json()).toMatchObject({ approval: 'read-only' });
});
