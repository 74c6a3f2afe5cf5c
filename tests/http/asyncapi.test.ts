/** The AsyncAPI document against the published schema of AsyncAPI 3.0, and its examples against their schemas. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { asyncApi } from '../../src/http/openapi/async-document.ts';
import { documentedRoutes } from './documented-routes.ts';

const { routes, sockets } = await documentedRoutes();
const document = asyncApi(routes, { version: '0.0.0', sockets });
const messages = Object.entries(document.channels).flatMap(([channel, { messages }]) =>
  Object.entries(messages).map(([name, message]) => ({ channel, name, message })),
);

// The published schema brings the one of JSON Schema along.
const published = new Ajv({ strict: false, validateFormats: false, meta: false, validateSchema: false });
const path = createRequire(import.meta.url).resolve('@asyncapi/specs/schemas/3.0.0.json');
const isAsyncApi = published.compile(JSON.parse(readFileSync(path, 'utf8')));

const payloads = new Ajv({ strict: false, validateFormats: false });
payloads.addSchema({ $id: 'doc', components: document.components });

function referred(reference: string): unknown {
  const keys = reference.replace(/^#\//, '').split('/');
  return keys.reduce<unknown>((part, key) => (part as Record<string, unknown>)[key], document);
}

describe('the AsyncAPI document', () => {
  it('is valid for the published schema, which refuses a document without an address or with another action', () => {
    expect([isAsyncApi(JSON.parse(JSON.stringify(document))), isAsyncApi.errors]).toEqual([true, null]);
    expect(isAsyncApi({ ...document, info: {} })).toBe(false);
    const [name, operation] = Object.entries(document.operations)[0]!;
    expect(isAsyncApi({ ...document, operations: { [name]: { ...operation, action: 'shout' } } })).toBe(false);
  });

  it('has only references that lead somewhere', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g)];
    expect(references.length).toBeGreaterThan(messages.length);
    for (const [, reference] of references) {
      expect([reference, typeof referred(reference!)]).toEqual([reference, 'object']);
    }
  });

  it('has the sockets that the daemon serves, and every stream of the OpenAPI document', () => {
    const streams = routes.filter(({ responses }) =>
      [...responses.values()].some(({ type }) => type === 'text/event-stream'),
    );
    const addresses = Object.values(document.channels).map(({ address }) => address);
    expect(addresses.sort()).toEqual(
      [
        ...streams.map((spec) => spec.path),
        '/acp/v1/sessions/{id}/tools',
        '/v1/events/ws',
        '/ws/collab/{room_id}',
        '/ws/voice/duplex',
        '/ws/yjs/{room_id}',
      ].sort(),
    );
  });

  it('has the frames of a conversation as the contract names them', () => {
    const { messages: frames } = document.channels['voice.converse']!;
    const sent = [
      'ready',
      'state',
      'transcript',
      'speaking',
      'flush',
      'carried',
      'latency',
      'reply',
      'error',
      'binary',
    ];
    const received = ['set_voice', 'set_language', 'set_context', 'binary'];
    expect(Object.keys(frames)).toEqual(
      expect.arrayContaining([
        ...sent.map((name) => `to_client_${name}`),
        ...received.map((name) => `from_client_${name}`),
      ]),
    );
  });

  it.each(messages)('$channel $name has a payload, and an example of it unless it may be any text', ({ message }) => {
    const payload = JSON.parse(JSON.stringify(message.payload).replaceAll('"$ref":"#/', '"$ref":"doc#/'));
    const check = payloads.compile(payload);
    const isAnyText =
      Object.keys(payload).every((key) => key === 'type' || key === 'format') && payload.type === 'string';
    const examples = (message.examples ?? []) as readonly { payload: unknown }[];
    expect(examples).toHaveLength(isAnyText ? 0 : 1);
    for (const { payload: example } of examples) {
      expect([check(example), check.errors]).toEqual([true, null]);
    }
  });
});
