/** The small deciders: tasks, harness overrides, pairing, recorded answers. */
import { describe, expect, it } from 'vitest';
import { harnessOverrides } from '../../src/commands/harness/decide.ts';
import { CODE_ATTEMPTS_MAX, PAIRING_MS, pairing } from '../../src/commands/pairing.ts';
import { request } from '../../src/commands/request.ts';
import { task } from '../../src/commands/task.ts';
import type { HarnessEvent } from '../../src/events/harness.ts';
import type { PairingEvent } from '../../src/events/pairing.ts';
import type { TaskEvent } from '../../src/events/task.ts';
import { harnessOverrides as harnessRows, harness as harnessView } from '../../src/projections/harness.ts';
import { givenProjection } from '../../src/testing/given-projection.ts';
import { decider } from '../support/given.ts';

describe('task', () => {
  const { given } = decider(task);
  const facts = { title: 'Tidy up', provider: 'openai', model: '', project_path: '/work' };
  const created: TaskEvent = { type: 'TaskCreated', data: facts };

  it('is created once, with a title', () => {
    given()
      .when({ type: 'CreateTask', ...facts })
      .thenEvents(created);
    given(created)
      .when({ type: 'CreateTask', ...facts })
      .thenRefused('conflict');
    for (const title of [' ', '\u200b', 'x'.repeat(501)]) {
      given()
        .when({ type: 'CreateTask', ...facts, title })
        .thenRefused('invalid');
    }
  });
  it('changes only what is named and different', () => {
    for (const title of ['  ', '\u200b']) given(created).when({ type: 'ChangeTask', title }).thenNothing();
    given(created).when({ type: 'ChangeTask', title: 'Tidy up', status: 'queued', session_id: '' }).thenNothing();
    given(created)
      .when({ type: 'ChangeTask', title: 'New', status: 'running', session_id: 'abc' })
      .thenTypes('TaskRenamed', 'TaskStatusChanged', 'TaskSessionLinked');
    given().when({ type: 'ChangeTask', title: 'New' }).thenRefused('not_found');
  });
  it.each(['x', '🚀'])('has a title of at most 500 characters such as %s, also after a change', (character) => {
    const longest = character.repeat(500);
    given()
      .when({ type: 'CreateTask', ...facts, title: longest })
      .thenTypes('TaskCreated');
    given(created).when({ type: 'ChangeTask', title: longest }).thenTypes('TaskRenamed');
    given(created)
      .when({ type: 'ChangeTask', title: `${longest}${character}` })
      .thenRefused('invalid');
  });
});

describe('harness overrides', () => {
  const { given } = decider(harnessOverrides);
  const key = 'openai/gpt';
  const set: HarnessEvent = { type: 'HarnessOverrideSet', data: { key, patch: { temperature: 0 } } };

  it('replace what was stored, and say nothing when it is the same', () => {
    given()
      .when({ type: 'SetHarnessOverride', key, patch: { temperature: 0 } })
      .thenEvents(set);
    given(set)
      .when({ type: 'SetHarnessOverride', key, patch: { temperature: 0 } })
      .thenNothing();
    const other = { prompt_cache: true };
    const replaced = given(set).when({ type: 'SetHarnessOverride', key, patch: other });
    expect(replaced.after()).toEqual({ [key]: other });
  });
  it('are removed by an empty patch or by name, once', () => {
    const removed: HarnessEvent = { type: 'HarnessOverrideRemoved', data: { key } };
    given(set).when({ type: 'SetHarnessOverride', key, patch: {} }).thenEvents(removed);
    given(set).when({ type: 'RemoveHarnessOverride', key }).thenEvents(removed);
    given().when({ type: 'SetHarnessOverride', key, patch: {} }).thenNothing();
    given().when({ type: 'RemoveHarnessOverride', key }).thenNothing();
  });
  it('are in the view as they were set, without those that this version cannot read', () => {
    const override = (of: string, patch: object) => ({
      ...{ stream: 'settings-harness', type: 'HarnessOverrideSet' },
      data: { key: of, patch },
    });
    const view = givenProjection(harnessView, [
      override('openai/*', { prompt_cache: true }),
      override(key, { temperature: 2 }),
      override(key, { temperature: 0 }),
      override('gone/x', { temperature: 0 }),
      { stream: 'settings-harness', type: 'HarnessOverrideRemoved', data: { key: 'gone/x' } },
      override('later/x', { field_of_a_later_version: 1 }),
    ]);
    view.thenAnswer(harnessRows, { 'openai/*': { prompt_cache: true }, [key]: { temperature: 0 } });
  });
});

describe('pairing', () => {
  const { given } = decider(pairing);
  const offered: PairingEvent = { type: 'PairingOffered', data: { peer: '127.0.0.1', expires_at: PAIRING_MS } };
  const wrong: PairingEvent = { type: 'PairingRefused', data: { peer: '10.0.0.2', reason: 'wrong code' } };
  const exchange = { type: 'ExchangePairing', peer: '127.0.0.1', local: true, code: null } as const;
  const remote = { ...exchange, peer: '10.0.0.2', local: false } as const;

  it('is exchanged once, in time', () => {
    given().when({ type: 'OfferPairing', peer: '127.0.0.1' }, 0).thenEvents(offered);
    const exchanged: PairingEvent = { type: 'PairingExchanged', data: { peer: '127.0.0.1', confirmed_by_code: false } };
    given(offered)
      .when(exchange, PAIRING_MS - 1)
      .thenEvents(exchanged);
    given(offered).when(exchange, PAIRING_MS).thenRefused('unauthenticated');
    given().when(exchange).thenRefused('unauthenticated');
    given(offered, exchanged).when(exchange).thenRefused('unauthenticated');
    given(offered).when({ type: 'OfferPairing', peer: 'x' }).thenRefused('conflict');
  });
  it('needs the code from elsewhere, and stands five wrong ones', () => {
    given(offered).when(remote).thenNothing();
    given(offered)
      .when({ ...remote, code: 'right' })
      .thenEvents({ type: 'PairingExchanged', data: { peer: '10.0.0.2', confirmed_by_code: true } });
    given(offered)
      .when({ ...remote, code: 'wrong' })
      .thenEvents(wrong);
    const tried = Array.from({ length: CODE_ATTEMPTS_MAX }, () => wrong);
    given(offered, tried)
      .when({ ...remote, code: 'right' })
      .thenRefused('unauthenticated');
  });
});

describe('the answer to a request', () => {
  const { given } = decider(request);
  const answer = (status: number) => {
    const of = { method: 'POST', path: '/v1/goals', body_hash: 'h' };
    return { ...of, status, content_type: 'application/json', body: {} };
  };

  it('is recorded once: the first one stays', () => {
    given()
      .when({ type: 'RecordAnswer', data: answer(201) })
      .thenEvents({ type: 'RequestAnswered', data: answer(201) });
    given({ type: 'RequestAnswered', data: answer(201) })
      .when({ type: 'RecordAnswer', data: answer(400) })
      .thenNothing();
  });
});
