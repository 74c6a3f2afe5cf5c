import { bench } from '/work/main/tests/agent/support.ts';
import { openEditor } from '/work/main/tests/acp/editor.ts';
import { says, callsTool } from '/work/main/tests/fakes/providers/server.ts';
import { methods } from '@agentclientprotocol/sdk';
process.chdir('/work/main');
const on = await bench('openai', { DAYBOOK_RATE_AUTHENTICATED: '3' });
const e = await openEditor({ home: on.daemon.home, capabilities: { fs: { readTextFile: true } } });
on.provider.script(() => says('hi'));
for (let i = 0; i < 2; i++) {
  const { sessionId } = await e.agent.request(methods.agent.session.new, { cwd: on.daemon.workspace, mcpServers: [] });
  const t = performance.now();
  console.log(await e.agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text: 'x' }] }), Math.round(performance.now() - t), e.stderr());
}
await e.close(); await on.close();
