/**
 * Endless answers of providers: a line of a stream, a tool input, a refusal. The limits also count incomplete parts, so
 * memory stays bounded.
 */
import { createServer, type ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { createModels } from '../../src/integrations/models/models.ts';
import { firstRows } from '../support/depth.ts';
import { listening } from '../support/ports.ts';
import { ask, failure, READ_FILE, WIRES, type Wire } from './support.ts';

const MEGABYTE = 1024 * 1024;
const SENT_MAX = 200 * MEGABYTE;

/** Answers everything with `head` and then the same piece again, until the reader goes away or took far too much. */
async function endless(wire: Wire, answer: { status: number; head: string; piece: string }) {
  const sent = { bytes: 0 };
  const pour = (response: ServerResponse): void => {
    while (!response.destroyed && sent.bytes < SENT_MAX) {
      sent.bytes += answer.piece.length;
      if (!response.write(answer.piece)) return;
    }
    response.end();
  };
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(answer.status, { 'content-type': 'text/event-stream' });
    response.write(answer.head);
    response.on('drain', () => pour(response));
    pour(response);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const env = wire.env(`http://127.0.0.1:${await listening(server)}`);
  return { sent, error: await failure(ask(createModels({ env }), { provider: wire.provider, tools: [READ_FILE] })) };
}

test.each(firstRows(2, WIRES))('$name: a line without an end is given up', async (wire) => {
  const { sent, error } = await endless(wire, { status: 200, head: 'data: {"a":"', piece: 'x'.repeat(MEGABYTE) });
  expect(error.kind).toBe('transient');
  expect(error.message).toContain('its answer could not be read: a line of its stream has no end');
  expect(sent.bytes).toBeLessThan(SENT_MAX);
});

test.each(firstRows(2, WIRES))('$name: an endless refusal is read up to the limit of its message', async (wire) => {
  const { sent, error } = await endless(wire, {
    status: 400,
    head: '{"error":{"message":"',
    piece: 'x'.repeat(MEGABYTE),
  });
  expect(error).toMatchObject({ kind: 'fatal', status: 400 });
  expect(sent.bytes).toBeLessThan(SENT_MAX);
});

test('a tool input without an end is given up', async () => {
  const chunk = (call: object): string =>
    `data: ${JSON.stringify({ id: 'c', created: 1, model: 'm', choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...call }] } }] })}\n\n`;
  const { sent, error } = await endless(WIRES[0]!, {
    status: 200,
    head: chunk({ id: 'c', type: 'function', function: { name: 'read_file', arguments: '{"path":"' } }),
    piece: chunk({ function: { arguments: 'x'.repeat(MEGABYTE) } }),
  });
  expect(error).toMatchObject({ kind: 'fatal', message: 'The model’s answer is too long.' });
  expect(sent.bytes).toBeLessThan(SENT_MAX);
});
