/** `POST /webhook/forge`: the contract's checks in their order, and reviews end to end. */
import { hash } from 'node:crypto';
import { createRequire } from 'node:module';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { REVIEWS_PENDING_MAX } from '../../src/http/webhook/forge.ts';
import { refuses, says } from '../fakes/providers/server.ts';
import { shared } from '../support/shared.ts';
import { until } from '../support/until.ts';
import { DIFF, payload, REVIEW, SECRET, sign, webhookBench } from './support.ts';

const on = shared(webhookBench, ({ close }) => close());
beforeAll(() => on.forge.page('/o/r/pull/7.diff', { body: DIFF }));

const good = () => payload(on.forge.url);
const events = async (type: string) => {
  const response = await on.daemon.request(`/v1/events?type=${type}&limit=5000`);
  return ((await response.json()) as { events: { data: Record<string, unknown> }[] }).events;
};

describe('an Idempotency-Key', () => {
  const keyed = (body: object, headers: Record<string, string> = {}) =>
    on.deliver(JSON.stringify(body), { 'x-forge-event': 'push', 'idempotency-key': 'k', ...headers });
  it('gives the same body the first answer and another one 409', async () => {
    expect(await (await keyed({ n: 1 })).json()).toEqual({ status: 'ignored' });
    // Were it looked at again, it would have no action.
    const again = await keyed({ n: 1 }, { 'x-forge-event': 'pull_request' });
    expect([again.status, await again.json()]).toEqual([200, { status: 'ignored' }]);
    expect((await keyed({ n: 2 })).status).toBe(409);
  });
  it('has a hash in the log that the records of earlier daemons have, too', async () => {
    const body = { title: 'Ärger' };
    await keyed(body, { 'idempotency-key': 'k-hash' });
    const codes = Buffer.from(JSON.stringify(body)).toString('latin1');
    const hashes = (await events('RequestAnswered')).map(({ data }) => data.body_hash);
    expect(hashes).toContain(hash('sha256', JSON.stringify(codes)));
  });
});

describe('the signature', () => {
  const body = JSON.stringify({ action: 'labeled' });
  const hex = sign(body).slice('sha256='.length);
  it.each([
    ['sha256=<hex>', sign(body)],
    ['bare hex', hex],
    ['upper case', `sha256=${hex.toUpperCase()}`],
  ])('%s is accepted', async (_name, header) => {
    const response = await on.deliver(body, { 'x-hub-signature-256': header });
    expect([response.status, await response.json()]).toEqual([200, { status: 'ignored' }]);
  });
  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['of another secret', sign(body, 'other')],
    ['of another body', sign(`${body} `)],
    ['cut', sign(body).slice(0, -2)],
    ['too long', `${sign(body)}00`],
    ['of another algorithm', `sha1=${hex.slice(0, 40)}`],
    ['no hex', `sha256=${'z'.repeat(64)}`],
  ])('%s is 400', async (_name, header) => {
    const response = await on.deliver(body, { 'x-hub-signature-256': header });
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as { error: string };
    expect(error).toContain('X-Hub-Signature-256');
    expect(error).not.toContain(SECRET);
    expect(error).not.toContain(hex);
  });
  it('is over the raw bytes: the same JSON written otherwise has another one', async () => {
    const spaced = '{ "action" :\t"labeled", "ü": "\\u00fc" }';
    expect((await on.deliver(spaced)).status).toBe(200);
    const again = JSON.stringify(JSON.parse(spaced));
    expect((await on.deliver(again, { 'x-hub-signature-256': sign(spaced) })).status).toBe(400);
  });
  it('over bytes that are no text, and over no bytes, still passes for an event that is not handled', async () => {
    const bytes = Buffer.from([0, 255, 128, 10]);
    expect((await on.deliver(bytes, { 'x-forge-event': 'push' })).status).toBe(200);
    expect((await on.deliver('', { 'x-forge-event': 'push' })).status).toBe(200);
  });
  it('is checked before an Idempotency-Key, under which nothing is answered or kept', async () => {
    const headers = { 'x-forge-event': 'push', 'idempotency-key': 'k-forge' };
    const wrong = { ...headers, 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` };
    const head = async () => (await on.daemon.request('/v1/log/head')).text();
    const before = await head();
    expect((await on.deliver('{}', wrong)).status).toBe(400);
    expect(await head()).toBe(before);
    expect((await on.deliver('{}', headers)).status).toBe(200);
    expect((await on.deliver('{}', wrong)).status).toBe(400);
  });
  it('is checked before anything else: an unhandled event with a wrong one is 400', async () => {
    const wrong = { 'x-forge-event': 'push', 'x-hub-signature-256': 'sha256=00' };
    expect((await on.deliver('not json', wrong)).status).toBe(400);
  });
  it('without a secret configured every delivery is 400', async () => {
    const open = await webhookBench({ DAYBOOK_WEBHOOK_SECRET: '' });
    onTestFinished(() => open.close());
    const response = await open.deliver(body, { 'x-hub-signature-256': sign(body, '') });
    expect(response.status).toBe(400);
    expect(((await response.json()) as { error: string }).error).toContain('secret');
  });
});

describe('what is handled', () => {
  it.each([['push'], ['ping'], ['pull_request_review'], ['Pull_Request'], [undefined]])(
    'event %s is ignored, whatever the body',
    async (event) => {
      const response = await on.deliver('not json', { 'x-forge-event': event });
      expect([response.status, await response.json()]).toEqual([200, { status: 'ignored' }]);
    },
  );
  it.each([['closed'], ['edited'], ['labeled'], ['']])('action %j is ignored', async (action) => {
    const response = await on.deliver({ action });
    expect([response.status, await response.json()]).toEqual([200, { status: 'ignored' }]);
  });
  it.each([
    ['no JSON', () => 'not json'],
    ['nothing', () => ''],
    ['a list', () => '[]'],
    ['no action', () => ({})],
    ['an action that is no text', () => ({ action: 1 })],
    ['no pull_request', () => ({ ...good(), pull_request: undefined })],
    ['no repository', () => ({ ...good(), repository: null })],
    ['no number', () => payload('', { pull_request: { number: undefined } })],
    ['no title', () => payload('', { pull_request: { title: null } })],
    ['no head', () => payload('', { pull_request: { head: {} } })],
    ['no base ref', () => payload('', { pull_request: { base: { sha: 'x' } } })],
    ['no diff_url', () => payload('', { pull_request: { diff_url: 5 } })],
    ['half a character in diff_url', () => payload('', { pull_request: { diff_url: 'https://x/\ud800' } })],
    ['half a character in clone_url', () => payload('', { repository: { clone_url: 'https://x/\ud800' } })],
    ['a name without owner', () => payload('', { repository: { full_name: 'r' } })],
    ['a name with more', () => payload('', { repository: { full_name: 'o/r/s' } })],
    ['a name with tricks', () => payload('', { repository: { full_name: 'o/r?x' } })],
  ])('%s is 400', async (_name, make) => {
    const response = await on.deliver(make());
    expect(response.status).toBe(400);
    expect(typeof ((await response.json()) as { error: string }).error).toBe('string');
  });
  it.each([['opened'], ['synchronize'], ['reopened']])('%s is reviewed', async (action) => {
    on.provider.script(says(REVIEW));
    const response = await on.deliver(payload(on.forge.url, { action }));
    expect(response.status).toBe(200);
    const answer = (await response.json()) as Record<string, unknown>;
    expect(Object.keys(answer).sort()).toEqual(['findings', 'status', 'summary']);
    expect(answer).toMatchObject({ status: 'reviewed', findings: 2 });
    expect(answer.summary).toContain('It adds a line.');
    const asked = JSON.stringify(on.provider.requests.at(-1)!.body.messages);
    expect(asked).toContain('+two');
    expect(asked).toContain('Add two');
  });
  it.each([
    ['deep', () => `{"action":"opened","x":${'['.repeat(200_000)}${']'.repeat(200_000)}}`],
    ['with prototype keys', () => '{"action":"opened","__proto__":{"pull_request":{}},"constructor":{"prototype":{}}}'],
    ['with half a character', () => '{"action":"opened","pull_request":{"title":"\\ud800"}}'],
    ['with a huge number', () => '{"action":"opened","pull_request":{"number":1e999}}'],
  ])('a payload %s is 400, and the daemon lives', async (_name, make) => {
    expect((await on.deliver(make())).status).toBe(400);
    expect((await on.deliver('{}', { 'x-forge-event': 'push' })).status).toBe(200);
  });
  it('a title with half a character, and texts without end, are reviewed as they can be written', async () => {
    on.provider.script(says(REVIEW));
    const body = JSON.stringify(payload(on.forge.url, { pull_request: { title: `x${'y'.repeat(100_000)}` } }));
    expect((await on.deliver(body.replace('"xyy', '"\\ud800yy'))).status).toBe(200);
  });
  it('the forge’s own header names do too', async () => {
    on.provider.script(says(REVIEW));
    const headers = { 'x-forge-event': undefined, 'x-github-event': 'pull_request', 'x-github-delivery': 'own-names' };
    expect((await on.deliver(good(), headers)).status).toBe(200);
  });
  it('the payload as a form field is read as well', async () => {
    on.provider.script(says(REVIEW));
    const form = new URLSearchParams({ payload: JSON.stringify(good()) }).toString();
    const response = await on.deliver(form, { 'content-type': 'application/x-www-form-urlencoded' });
    expect(await response.json()).toMatchObject({ status: 'reviewed' });
  });
});

describe('the common forge’s example payloads, unchanged and under its own header names', () => {
  const require = createRequire(import.meta.url);
  type Event = { readonly name: string; readonly examples: readonly { readonly action?: string }[] };
  const all = require('@octokit/webhooks-examples/api.github.com/index.json') as readonly Event[];
  const names = { 'x-forge-event': undefined, 'user-agent': 'GitHub-Hookshot/044aadd' };

  it('every event but pull_request is ignored', async () => {
    const others = all.filter(({ name }) => name !== 'pull_request');
    expect(others.length).toBeGreaterThan(30);
    for (const { name, examples } of others) {
      const response = await on.deliver(examples[0], { ...names, 'x-github-event': name });
      expect([name, response.status, await response.json()]).toEqual([name, 200, { status: 'ignored' }]);
    }
  });
  it('pull_request is ignored or wanted by its action, and nothing is fetched from a host that is not allowed', async () => {
    for (const example of all.find(({ name }) => name === 'pull_request')!.examples) {
      const response = await on.deliver(example, { ...names, 'x-github-event': 'pull_request' });
      if (['opened', 'synchronize', 'reopened'].includes(example.action ?? '')) {
        expect(response.status).toBe(400);
        expect(((await response.json()) as { error: string }).error).toContain('github.com is not in forge_hosts');
      } else expect(await response.json()).toEqual({ status: 'ignored' });
    }
  });
});

describe('a redelivery', () => {
  it('is answered with the first result, without a model call', async () => {
    on.provider.script(says(REVIEW));
    const headers = { 'x-github-delivery': 'd-1' };
    const first = await (await on.deliver(good(), headers)).json();
    const asked = on.provider.requests.length;
    const again = await on.deliver(good(), headers);
    expect([again.status, await again.json()]).toEqual([200, first]);
    expect(on.provider.requests.length).toBe(asked);
    expect((await on.deliver(good(), { 'x-forge-delivery': 'd-1', 'x-hub-signature-256': 'sha256=00' })).status).toBe(
      400,
    );
  });
  it('while the first is under way waits for its result: twenty at once are one review', async () => {
    const before = on.provider.requests.length;
    on.provider.script({ kind: 'answer', text: [REVIEW.slice(0, 20), REVIEW.slice(20)], delayMs: 50 });
    const all = await Promise.all(Array.from({ length: 20 }, () => on.deliver(good(), { 'x-forge-delivery': 'd-2' })));
    const answers = await Promise.all(all.map((response) => response.json()));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toMatchObject({ status: 'reviewed', findings: 2 });
    expect(on.provider.requests.length).toBe(before + 1);
  });
  it('of an ignored one is ignored; of a failed one is tried again', async () => {
    const ignored = { 'x-forge-event': 'push', 'x-forge-delivery': 'd-3' };
    expect(await (await on.deliver(good(), ignored)).json()).toEqual({ status: 'ignored' });
    expect(await (await on.deliver(good(), { 'x-forge-delivery': 'd-3' })).json()).toEqual({ status: 'ignored' });
    on.provider.script(refuses(400, 'no'));
    const failed = await on.deliver(good(), { 'x-forge-delivery': 'd-4' });
    expect(failed.status).toBe(500);
    on.provider.script(says(REVIEW));
    expect((await on.deliver(good(), { 'x-forge-delivery': 'd-4' })).status).toBe(200);
  });
  it('with any bytes in its name is one stream and can be found', async () => {
    on.provider.script(says(REVIEW));
    const name = `../../x ${'y'.repeat(150)}`;
    expect((await on.deliver(good(), { 'x-forge-delivery': name })).status).toBe(200);
    const response = await on.daemon.request(`/webhook/deliveries/${encodeURIComponent(name)}`);
    expect(await response.json()).toMatchObject({ delivery_id: name, status: 'reviewed', findings: 2 });
  });
});

describe('what is recorded', () => {
  it('is a ReviewCompleted with findings, coverage and the hash of the diff, and no body', async () => {
    on.provider.script(says(REVIEW));
    await on.deliver({ ...good(), secret_note: 'hush-hush' }, { 'x-forge-delivery': 'd-5' });
    const [last] = (await events('ReviewCompleted')).slice(-1);
    expect(last!.data).toMatchObject({
      findings: [{ file: 'a.txt', line: 2, severity: 'high', title: 'Off by one' }, { title: 'No test' }],
      coverage: { files_total: 1, files_reviewed: 1, llm_calls: 1, llm_calls_failed: 0 },
      source: 'diff_url',
      diff_bytes: DIFF.length,
    });
    const log = await (await on.daemon.request('/v1/events?limit=5000')).text();
    expect(log).not.toContain('hush-hush');
    expect(log).not.toContain(SECRET);
    const detail = await on.daemon.request('/webhook/deliveries/d-5');
    expect(await detail.json()).toMatchObject({
      status: 'reviewed',
      review: { findings: [{ line: 2 }, {}], provider: 'openai' },
    });
    const list = (await (await on.daemon.request('/webhook/deliveries?limit=1')).json()) as { deliveries: unknown[] };
    expect(list.deliveries).toHaveLength(1);
  });
  it('an unknown delivery is 404', async () => {
    const response = await on.daemon.request('/webhook/deliveries/%3Cnone%3E');
    expect([response.status, await response.json()]).toEqual([404, { error: `Delivery 'none' not found` }]);
  });
});

it('reviews that wait are bounded: one more is 503 and can be sent again; stopping answers them all', async () => {
  const crowded = await webhookBench();
  crowded.forge.page('/o/r/pull/7.diff', { silent: true });
  const one = () =>
    crowded.deliver(payload(crowded.forge.url)).then(
      (response) => response.status,
      () => 'hung up',
    );
  const all = Array.from({ length: REVIEWS_PENDING_MAX }, one);
  await until(async () => {
    const response = await crowded.daemon.request('/webhook/deliveries?limit=500');
    const { deliveries } = (await response.json()) as { deliveries: unknown[] };
    return deliveries.length === REVIEWS_PENDING_MAX ? true : undefined;
  });
  const refused = await crowded.deliver(payload(crowded.forge.url));
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '60']);
  expect(await (await crowded.deliver('{}', { 'x-forge-event': 'push' })).json()).toEqual({ status: 'ignored' });
  await crowded.close();
  expect(new Set(await Promise.all(all))).toEqual(new Set([503]));
});
