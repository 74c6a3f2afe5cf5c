/**
 * Child process that launches one MCP server, lists its tools, writes the result to stdout and exits. It reads the
 * launch from stdin; its parent kills it with everything that the server started.
 *
 * - Output of the server and the MCP library stay out of the daemon.
 * - The result contains no secret of the launch.
 */
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { TOOL_VARIABLE } from '../tools/marker.ts';
import { endedEarly, notStarted, refused } from './probe-failure.ts';
import { createRedactor, type Redactor } from './redact.ts';
import { type ServerEnd, type ServerProcess, startServer } from './server-process.ts';

const zProbeJob = z.object({
  command: z.string(),
  args: z.array(z.string()),
  secrets: z.record(z.string(), z.string()),
  version: z.string(),
});
export type ProbeJob = z.infer<typeof zProbeJob>;

type ProbeAnswer = { readonly tools: readonly string[] } | { readonly error: string };

/** More tools are an error of the server. */
const TOOLS_MAX = 10_000;
const PAGES_MAX = 1_000;
const TOOL_NAME_CHARACTERS_MAX = 256;
/** Time for the server to exit after its stdin is closed. */
const EXIT_MS = 500;
/** Time between the failure of a request and the exit of the process that caused it. */
const SETTLE_MS = 200;
/** The caller limits the total time; no request may time out before. */
const REQUEST_MS_MAX = 3_600_000;

/** The part of a response that is needed: a tool without a name cannot be listed. */
const zPage = z.looseObject({
  tools: z.array(z.looseObject({ name: z.string() })),
  nextCursor: z.string().nullish(),
});

const job = zProbeJob.parse(JSON.parse(await text(process.stdin)));
const answer = await probe(job);
await new Promise((written) => process.stdout.write(JSON.stringify(answer), written));
process.exit(0);

async function probe({ command, args, secrets, version }: ProbeJob): Promise<ProbeAnswer> {
  const redactor = createRedactor(Object.values(secrets));
  const { [TOOL_VARIABLE]: marker = '', NODE_COMPILE_CACHE: _, ...inherited } = process.env as Record<string, string>;
  let server: ServerProcess;
  try {
    server = startServer({ command, args, env: { ...inherited, ...secrets, [TOOL_VARIABLE]: marker } });
  } catch (error) {
    // Some failures, such as too long arguments, are thrown and not emitted.
    return { error: notStarted(error as NodeJS.ErrnoException, command, redactor) };
  }
  const connection: Connection = {
    server,
    client: new Client({ name: 'daybook', version }),
    redactor,
    ended: (end) => ({ error: endedEarly(end, { command, said: server.said(), redactor }) }),
  };
  // The server may exit before there is a request that could fail.
  const early = server.ended.then((end) => delay(SETTLE_MS, connection.ended(end)));
  const answer = await Promise.race([list(connection), early]);
  await server.transport.close();
  await Promise.race([server.ended, delay(EXIT_MS)]);
  await server.kill();
  return answer;
}

interface Connection {
  readonly server: ServerProcess;
  readonly client: Client;
  readonly redactor: Redactor;
  readonly ended: (end: ServerEnd) => ProbeAnswer;
}

async function list({ server, client, redactor, ended }: Connection): Promise<ProbeAnswer> {
  try {
    await client.connect(server.transport, { timeout: REQUEST_MS_MAX });
    if (client.getServerCapabilities()?.tools === undefined) return { tools: [] };
    const names = await allTools(client);
    return { tools: names.map((name) => redactor.redact(name).slice(0, TOOL_NAME_CHARACTERS_MAX).toWellFormed()) };
  } catch (error) {
    // The exit of the server explains the failure, otherwise its answer does. A server that has answered is still
    // running here: it exits when the client closes.
    const end = await Promise.race([server.ended, null]);
    return end === null ? { error: refused((error as Error).message, redactor) } : ended(end);
  }
}

async function allTools(client: Client): Promise<readonly string[]> {
  const names: string[] = [];
  const cursors = new Set<string>();
  for (let cursor: string | null | undefined; ; ) {
    const request = { method: 'tools/list', params: cursor == null ? {} : { cursor } };
    const page: z.infer<typeof zPage> = await client.request(request, zPage, { timeout: REQUEST_MS_MAX });
    for (const { name } of page.tools) names.push(name);
    cursor = page.nextCursor;
    if (names.length > TOOLS_MAX) throw new Error(`it lists more than ${TOOLS_MAX} tools.`);
    if (cursor == null || cursor === '') return names;
    if (cursors.has(cursor) || cursors.size >= PAGES_MAX) throw new Error('its list of tools does not come to an end.');
    cursors.add(cursor);
  }
}
