/**
 * The peer of Daybook's routes, as a separate process: bare fastify routes that serve the same values with fastify's
 * own serialisation, a bare POST that parses and validates but stores nothing, and a bare node:http fan-out, which
 * first sends `?history=` bytes if requested. Readers that do not read are sent nothing more. Prints `ports <fastify>
 * <fan-out>` when it listens.
 */
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import fastify from 'fastify';
import { z } from 'zod';

export interface BareValues {
  readonly job: unknown;
  readonly jobs: unknown;
  /** One SSE message with its blank line, as Daybook's stream sends it. */
  readonly message: string;
}

const values = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as BareValues;

const app = fastify({ logger: false });
app.get('/jobs/:id', async () => values.job);
app.get('/jobs', async () => values.jobs);
const zTask = z.object({
  title: z.string(),
  provider: z.string().nullish(),
  model: z.string().nullish(),
  project_path: z.string().nullish(),
  create_worktree: z.boolean().nullish(),
});
app.post('/api/tasks', async (request) => {
  const { title } = zTask.parse(request.body);
  return { id: '0123456789abcdef', title, status: 'queued' };
});
await app.listen({ port: 0, host: '127.0.0.1' });

const HISTORY_PIECE = Buffer.alloc(65_536, values.message);

/** Sends the bytes as fast as the reader accepts them. */
function sendHistory(response: ServerResponse, bytes: number): void {
  for (let left = bytes; left > 0; left -= HISTORY_PIECE.length) {
    if (response.destroyed) return;
    if (response.write(HISTORY_PIECE)) continue;
    response.once('drain', () => sendHistory(response, left - HISTORY_PIECE.length));
    return;
  }
  observers.add(response);
}

const observers = new Set<ServerResponse>();
const fanOut = createServer((request, response) => {
  if (request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
    response.flushHeaders();
    sendHistory(response, Number(new URL(request.url!, 'http://bare').searchParams.get('history') ?? 0));
    response.on('close', () => observers.delete(response));
    return;
  }
  request.resume();
  request.on('end', () => {
    for (const observer of observers) if (!observer.writableNeedDrain) observer.write(values.message);
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 2 }).end('{}');
  });
});
await new Promise<void>((resolve) => fanOut.listen(0, '127.0.0.1', resolve));

const portOf = (server: { address(): AddressInfo | string | null }): number => (server.address() as AddressInfo).port;
process.stdout.write(`ports ${portOf(app.server)} ${portOf(fanOut)}\n`);
