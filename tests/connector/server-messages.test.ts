/** What an MCP server prints: its messages, and an error for each request that gets no valid answer. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createServerMessages } from '../../src/integrations/mcp/server-messages.ts';

const result = { jsonrpc: '2.0', id: 7, result: {} } as const;
const notification = { jsonrpc: '2.0', method: 'notifications/message', params: { data: 'é🎈' } } as const;

/** The messages of a server that prints these lines while `tools/list` waits, as the request 7. */
function afterListing(...lines: readonly unknown[]) {
  const messages = createServerMessages();
  messages.sent({ jsonrpc: '2.0', id: 7, method: 'tools/list' });
  const text = lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');
  return messages.received(Buffer.from(text));
}

function failed(words: string) {
  return { jsonrpc: '2.0', id: 7, error: { code: -32_603, message: `its answer to tools/list is not ${words}` } };
}

describe('the messages of a server', () => {
  it('are its valid lines, with any line end, wherever the chunks are cut', () => {
    const bytes = Buffer.from(
      `Hello\r\n${JSON.stringify(notification)}\r\n{"level":"info"}\n[1,null]\n${JSON.stringify(result)}\n`,
    );
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(bytes.length)), (cuts) => {
        const messages = createServerMessages();
        messages.sent({ jsonrpc: '2.0', id: 7, method: 'tools/list' });
        const ends = [...cuts.sort((one, other) => one - other), bytes.length];
        const chunks = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
        expect(chunks.flatMap((chunk) => messages.received(chunk))).toEqual([notification, result]);
      }),
    );
  });

  it('are those of a batch, also after a byte order mark', () => {
    expect(afterListing(`\ufeff${JSON.stringify([notification, result])}`)).toEqual([notification, result]);
  });

  it.each([
    ['an error that is a text', { jsonrpc: '2.0', id: 7, error: 'no disk' }, 'a valid response: no disk'],
    ['an error without a code', { jsonrpc: '2.0', id: 7, error: { message: 'no disk' } }, 'a valid response: no disk'],
    ['an error in a batch', [{ jsonrpc: '2.0', id: 7, error: 5 }], 'a valid response.'],
    ['a result without the version', { id: '7', result: {} }, 'a valid response.'],
    ['a result that is a list', { jsonrpc: '2.0', id: 7, result: [] }, 'a valid response.'],
    [
      'an error about a request that it cannot read',
      { jsonrpc: '2.0', id: null, error: { code: -32_700, message: 'Parse error' } },
      'a valid response: Parse error',
    ],
    [
      'an error without an id',
      { jsonrpc: '2.0', error: { code: -32_700, message: 'Parse error' } },
      'a valid response: Parse error',
    ],
  ])('are an error to the request after %s', (_what, line, words) => {
    expect(afterListing(line)).toEqual([failed(words)]);
  });

  it('are none for JSON of a log that looks like an answer', () => {
    expect(afterListing({ level: 'error', error: 'no disk' }, { id: 99, error: 'no disk' }, { id: 7 })).toEqual([]);
  });

  it('are an error once: an answered or cancelled request waits no longer', () => {
    const broken = { jsonrpc: '2.0', id: 7, error: 'no disk' };
    expect(afterListing(result, broken)).toEqual([result]);
    const messages = createServerMessages();
    messages.sent({ jsonrpc: '2.0', id: 7, method: 'tools/call' });
    messages.sent({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } });
    expect(messages.received(Buffer.from(`${JSON.stringify(broken)}\n`))).toEqual([]);
  });
});
