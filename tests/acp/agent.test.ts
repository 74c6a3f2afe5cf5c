/** What an editor is told when the daemon cannot be had. Editors show the message of an error, not its data. */
import { client, methods, ndJsonStream, PROTOCOL_VERSION } from '@agentclientprotocol/sdk';
import { expect, it } from 'vitest';
import { acpAgent } from '../../src/cli/acp/agent.ts';
import { createClient } from '../../src/cli/client.ts';
import { CommandError } from '../../src/cli/errors.ts';
import { temporaryFolder } from '../support/folders.ts';

it('an error of any method has its reason in its message', async () => {
  const home = temporaryFolder('acp-home');
  const reason = 'A daemon could not be started. It said: the disk is full';
  const { app } = acpAgent({
    client: createClient(home),
    ensureDaemon: () => Promise.reject(new CommandError(reason)),
    home,
    approval: undefined,
    provider: undefined,
    model: undefined,
    version: '1',
  });
  const [toAgent, toEditor] = [new TransformStream<Uint8Array>(), new TransformStream<Uint8Array>()];
  const served = app.connect(ndJsonStream(toEditor.writable, toAgent.readable));
  const { agent } = client({ name: 'editor' }).connect(ndJsonStream(toAgent.writable, toEditor.readable));
  await agent.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION });
  const cwd = home;
  const opened = { sessionId: 'f'.repeat(32), cwd, mcpServers: [] };
  for (const asked of [
    agent.request(methods.agent.session.new, { cwd, mcpServers: [] }),
    agent.request(methods.agent.session.load, opened),
    agent.request(methods.agent.session.resume, opened),
    agent.request(methods.agent.session.list, {}),
  ]) {
    await expect(asked).rejects.toMatchObject({ code: -32603, message: `Internal error: ${reason}` });
  }
  served.close();
});
