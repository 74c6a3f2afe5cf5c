/**
 * A minimal process in place of the daemon: it opens the tools on a home, starts one bash call, and waits to be killed.
 */
import { createTools } from '../../src/integrations/tools/tools.ts';

const [home = '', workspace = '', command = ''] = process.argv.slice(2);
const tools = createTools({ home, env: process.env });
const call = { callId: 'held', name: 'bash', input: { command }, workspace };
await tools.call(call, new AbortController().signal);
