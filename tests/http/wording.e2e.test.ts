/** Every route has its own error messages: no message of the validation library reaches a caller. */
import { describe, expect, it } from 'vitest';
import { sharedDaemon } from '../support/daemon.ts';
import { inject } from './wire.ts';

const daemon = sharedDaemon();

const LIBRARY =
  /Too (?:big|small)|Invalid (?:input|option|string|number|key|value|discriminator)|received |Unrecognized/;

interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}
interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: { properties?: object } }>> };
}

/** Values that hardly any field takes. */
const WRONG: readonly unknown[] = [7.5, true, 'x'.repeat(40_000), [7], { a: { b: 7 } }];

async function operations() {
  const { paths } = JSON.parse((await inject(daemon, '/openapi.json')).text) as Described;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
}

/** What the daemon refuses with; an answer that is no refusal is not read, because streams do not end. */
async function refusals(target: string, method: string, body?: string): Promise<readonly string[]> {
  const headers = { authorization: `Bearer ${daemon.token}`, 'content-type': 'application/json' };
  const reply = await fetch(daemon.url + target, { method, headers, ...(body === undefined ? {} : { body }) });
  if (reply.status >= 400) return [`${method} ${target}: ${await reply.text()}`];
  await reply.body?.cancel();
  return [];
}

describe('a refusal', () => {
  it('of a body is in our own words, on every route', async () => {
    const said: string[] = [];
    for (const { path, method, operation } of await operations()) {
      const schema = operation.requestBody?.content['application/json']?.schema;
      if (schema === undefined) continue;
      const names = Object.keys(schema.properties ?? {});
      const bodies = [
        7.5,
        { none: 7 },
        ...WRONG.map((wrong) => Object.fromEntries(names.map((name) => [name, wrong]))),
      ];
      const target = path.replace(/\{\w+\}/g, 'none');
      for (const body of bodies) said.push(...(await refusals(target, method, JSON.stringify(body))));
    }
    expect(said.length).toBeGreaterThan(200);
    expect(said.filter((text) => LIBRARY.test(text))).toEqual([]);
  });

  it('of a query is in our own words, on every route', async () => {
    const said: string[] = [];
    for (const { path, method, operation } of await operations()) {
      for (const parameter of operation.parameters ?? []) {
        if (parameter.in !== 'query' || method !== 'GET') continue;
        const target = path.replace(/\{\w+\}/g, 'none');
        for (const wrong of ['x', '7.5', '99999999999999999999', 'x'.repeat(5_000)]) {
          said.push(...(await refusals(`${target}?${parameter.name}=${wrong}`, method)));
        }
        said.push(...(await refusals(`${target}?${parameter.name}=a&${parameter.name}=b`, method)));
      }
    }
    expect(said.length).toBeGreaterThan(100);
    expect(said.filter((text) => LIBRARY.test(text))).toEqual([]);
  });
});
