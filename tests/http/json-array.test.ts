/** Arrays of any length: short ones as one text, long ones in chunks that are made as the client reads. */
import { describe, expect, it } from 'vitest';
import { CHUNK_CHARACTERS, jsonArray, jsonList } from '../../src/http/server/json-array.ts';
import { publicRoutes, testServer } from '../support/server.ts';

type Text = { readonly text: string };

/** Numbers as JSON texts of a length, and how many of them were taken. */
function counted(count: number, length: number) {
  const of = { taken: 0 };
  function* items(): Generator<string> {
    for (let each = 0; each < count; each += 1) {
      of.taken += 1;
      yield JSON.stringify(`${each}`.padStart(length - 2));
    }
  }
  return { of, items };
}

describe('an array', () => {
  it.each([0, 1, 3])('of %i short items is one text', async (count) => {
    const answer = await jsonArray(counted(count, 10).items());
    expect(answer.kind).toBe('text');
    expect(JSON.parse((answer as { text: string }).text)).toHaveLength(count);
  });

  it.each([3, 1_000])('of %i items stands in a frame', async (count) => {
    const { items } = counted(count, 1_000);
    const answer = await jsonArray(items(), { before: '{"items":', after: `,"count":${count}}` });
    const chunks = answer.kind === 'stream' ? answer.chunks : [(answer as Text).text];
    let text = '';
    for await (const chunk of chunks) text += chunk;
    const { items: found, count: told } = JSON.parse(text) as { items: unknown[]; count: number };
    expect([found.length, told]).toEqual([count, count]);
  });

  it.each([{}, { count: 2, next: null }])('of values is a field beside the fields of %j', async (rest) => {
    const answer = await jsonList('items', [{ a: 1 }, 'b'], rest);
    expect((answer as Text).text).toBe(JSON.stringify({ items: [{ a: 1 }, 'b'], ...rest }));
  });

  it('of 64 MB is made in chunks, each when it is due', async () => {
    const { of, items } = counted(1_000, 65_536);
    const answer = await jsonArray(items());
    if (answer.kind !== 'stream') throw new Error(`It is a ${answer.kind}.`);
    let chunks = 0;
    let characters = 0;
    for await (const chunk of answer.chunks) {
      chunks += 1;
      characters += chunk.length;
      expect(chunk.length).toBeLessThan(2 * CHUNK_CHARACTERS);
      expect(of.taken).toBeLessThanOrEqual(chunks + 2);
    }
    expect(characters).toBe(1_000 * 65_536 + 999 + 2);
  });

  it('arrives whole over HTTP', async () => {
    const { of, items } = counted(200, 10_000);
    const list = publicRoutes.get('/list', {
      operation: 'list',
      summary: 'A list.',
      responses: { 200: { description: 'The list.' } },
      handle: () => jsonArray(items()),
    });
    const server = await testServer(() => [list]);
    const reply = await server.app.inject({ method: 'GET', url: '/list', headers: { host: 'localhost' } });
    expect([reply.statusCode, reply.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    expect((reply.json() as string[]).map(Number)).toEqual(Array.from({ length: 200 }, (_, each) => each));
    expect(of.taken).toBe(200);
  });
});
