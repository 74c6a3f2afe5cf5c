/**
 * Endless answers of providers: a line of a stream, a tool input, a refusal. The limits also count incomplete parts, so
 * memory stays bounded. A stream that says it is over is over, though its connection is not.
 */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
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

/** The address of a server that sends the bytes of an answer, cut anywhere, and never ends the connection. */
async function holdsOn(answer: string, bytesMax: number): Promise<string> {
  const server = createServer(async (request, response) => {
    await once(request.resume(), 'end');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const bytes = Buffer.from(answer);
    for (let at = 0; at < bytes.length; at += bytesMax) {
      response.write(bytes.subarray(at, at + bytesMax));
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
  onTestFinished(() => void server.close().closeAllConnections());
  return `http://127.0.0.1:${await listening(server)}`;
}

describe('a stream that says it is over is over, though the connection stays open', () => {
  const part = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
  const named = (type: string, rest: object): string => `event: ${type}\n${part({ type, ...rest })}`;
  const delta = (content: object, finish_reason: string | null = null): string =>
    part({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta: content, finish_reason }] });
  const OPENAI = `${delta({ content: 'ü 🎉\ndata: [DONE]\n\n' })}${delta({}, 'stop')}data: [DONE]\n\n`;
  const ANTHROPIC = [
    named('message_start', { message: { id: 'm', usage: { input_tokens: 1, output_tokens: 1 } } }),
    named('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    named('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'ü 🎉\ndata: [DONE]\n\n' } }),
    named('content_block_stop', { index: 0 }),
    named('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } }),
    named('message_stop', {}),
  ].join('');

  test.each([
    { wire: WIRES[0]!, answer: OPENAI, bytesMax: 1 },
    { wire: WIRES[0]!, answer: OPENAI, bytesMax: 100_000 },
    { wire: WIRES[0]!, answer: OPENAI.replaceAll('\n', '\r\n'), bytesMax: 7 },
    { wire: WIRES[2]!, answer: ANTHROPIC, bytesMax: 1 },
    { wire: WIRES[2]!, answer: ANTHROPIC, bytesMax: 100_000 },
  ])('$wire.name in pieces of $bytesMax bytes', async ({ wire, answer, bytesMax }) => {
    const models = createModels({ env: wire.env(await holdsOn(answer, bytesMax)) });
    const { text, finish } = await ask(models, { provider: wire.provider });
    expect([text, finish?.reason]).toEqual(['ü 🎉\ndata: [DONE]\n\n', 'stop']);
  });
});
