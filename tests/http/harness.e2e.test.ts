/** Harness overrides over HTTP: which requests count as changes, and keys that must not collide. */
import { describe, expect, it } from 'vitest';
import { sharedDaemon } from '../support/daemon.ts';
import { errorOf, inject, type Reply } from './wire.ts';

const daemon = sharedDaemon();

const ask = (target: string, method = 'GET', patch?: unknown): Promise<Reply> =>
  inject(daemon, target, {
    method,
    headers: { authorization: `Bearer ${daemon.token}` },
    ...(patch === undefined ? {} : { body: JSON.stringify(patch) }),
  });

async function overrides(): Promise<unknown> {
  return (JSON.parse((await ask('/harness/profiles')).text) as { overrides: unknown }).overrides;
}

describe('PUT /harness/profile', () => {
  const pair = '/harness/profile?provider=anthropic&model=m1';

  // It was stored as an override of nothing, and shown as one.
  it('thinking budgets for no tier are no change', async () => {
    await ask(pair, 'PUT', { temperature: 0, thinking_budgets: {} });
    expect(await overrides()).toEqual({ 'anthropic/m1': { temperature: 0 } });
    const reply = await ask(pair, 'PUT', { thinking_budgets: {} });
    expect(JSON.parse(reply.text)).not.toHaveProperty('model_override');
    expect(await overrides()).toEqual({});
  });

  it('budgets for a tier are kept', async () => {
    await ask(pair, 'PUT', { thinking_budgets: { low: 7 } });
    expect(await overrides()).toEqual({ 'anthropic/m1': { thinking_budgets: { low: 7 } } });
    await ask(pair, 'DELETE');
  });

  // `a/b` with model `c` had the key of `a` with model `b/c`.
  it.each(['GET', 'PUT', 'DELETE'])('%s: a provider with a slash is 400', async (method) => {
    const reply = await ask('/harness/profile?provider=open%2Frouter&model=x', method);
    expect(reply.status).toBe(400);
    expect(errorOf(reply)).toMatch(/provider: .*slash/);
  });

  it('a model with slashes is a model', async () => {
    const reply = await ask('/harness/profile?provider=openrouter&model=org/some-model', 'PUT', { temperature: 1 });
    expect(JSON.parse(reply.text)).toMatchObject({ model: 'org/some-model', model_override: { temperature: 1 } });
  });
});
