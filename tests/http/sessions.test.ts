/** The sessions pages from given events: content, order, limits, and the escaping of texts. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Json } from '../../src/events/envelope.ts';
import { agentEvents } from '../../src/events/run/agent-event.ts';
import type { RunEvent } from '../../src/events/run/events.ts';
import { sessionRoutes } from '../../src/http/run/sessions.ts';
import { CHUNK_CHARACTERS } from '../../src/http/server/json-array.ts';
import type { Answer, Call } from '../../src/http/server/route.ts';
import { jobs } from '../../src/projections/run/jobs.ts';
import { openViews } from '../../src/projections/views.ts';
import { PastViews } from '../../src/queries/as-of/past-views.ts';
import { eventTable } from '../../src/resources.ts';
import { openStorage } from '../../src/storage/open.ts';

const NOW = Date.UTC(2026, 0, 2, 12);
const HOSTILE = `</pre><script>alert("1")</script><img src=x onerror='alert(2)'>&amp;`;
const HARMLESS =
  '&lt;/pre&gt;&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&lt;img src=x onerror=&#39;alert(2)&#39;&gt;&amp;amp;';

const { log } = await openStorage({ directory: '', ephemeral: true });
const past = new PastViews({ log, events: eventTable });

type Given = RunEvent & { readonly at?: number };

/** Pages over runs that are given as events, in order; each event comes a second after the one before. */
function given(runs: Readonly<Record<string, readonly Given[]>>) {
  const views = openViews(null);
  views.exec(jobs.create);
  let position = 0;
  for (const [id, events] of Object.entries(runs)) {
    for (const [index, { type, data, at }] of events.entries()) {
      position += 1;
      const seen = {
        position,
        stream: `run-${id}`,
        version: index + 1,
        type,
        at: at ?? NOW - 60_000 + position,
        actor: 'owner',
        data,
      };
      jobs.on[type]?.(views, seen);
    }
  }
  const routes = sessionRoutes({ views, log, past, clock: { now: () => NOW } });
  const answer = (path: string, { id = '', query = {} } = {}): Answer | Promise<Answer> =>
    routes.find((each) => each.path === path)!.handle({ params: { id }, query } as Call<never, never, never>);
  const show = (path: string, id?: string): { status: number; text: string } => {
    const page = answer(path, { ...(id !== undefined && { id }) }) as Answer;
    if (page.kind === 'text') return page;
    throw new Error(`A page answers no ${page.kind}.`);
  };
  /** The items of `/sessions.json`, and the largest chunk in which they came. */
  const list = async (query: { readonly limit?: number; readonly after?: string } = {}) => {
    const sent = await answer('/sessions.json', { query });
    const chunks: string[] = [];
    if (sent.kind === 'text') chunks.push(sent.text);
    if (sent.kind === 'stream') for await (const chunk of sent.chunks) chunks.push(chunk);
    const items = z.array(z.looseObject({ id: z.string() })).parse(JSON.parse(chunks.join('')));
    return { items, largest: Math.max(...chunks.map(({ length }) => length)) };
  };
  return Object.assign(show, { list });
}

function requested(task: string, more: { readonly at?: number; readonly workspace?: string } = {}): Given {
  const data = {
    task,
    provider: 'openai',
    model: 'gpt-x',
    approval: 'suggest',
    mode: 'agent',
    workspace: more.workspace ?? '/work',
    max_steps: 50,
    max_step_extensions: 3,
    continuations_max: 3,
    reasoning: null,
    tags: [],
    tools: [],
    program: '1',
  } as const;
  return {
    type: 'RunRequested',
    data: { ...data, tags: [], tools: [] },
    ...(more.at === undefined ? {} : { at: more.at }),
  };
}

const says = (...texts: readonly string[]): Given => ({
  type: 'ModelFramesReceived',
  data: { call: 1, frames: texts.map((text) => ({ type: 'text', text })) },
});

function tool(step_num: number, input: Json, outcome: { output: string; success?: boolean }): Given[] {
  const call = { id: `c${step_num}`, name: 'read_file', input };
  const { output, success = true } = outcome;
  const end = { step_num, call_id: call.id, tool_name: call.name, success, output, files_modified: [], duration_ms: 1 };
  return [
    { type: 'ToolStarted', data: { step_num, call } },
    { type: 'ToolFinished', data: end },
  ];
}

const begun: Given = { type: 'RunBegun', data: {} };
const completed = (summary: string): Given => ({ type: 'RunCompleted', data: { summary } });

const articles = (text: string): string[] =>
  [...text.matchAll(/<article class="message (\w+)"><h3>\w+<\/h3><pre class="text">([\s\S]*?)<\/pre>/g)].map(
    ([, role, said]) => `${role}: ${said}`,
  );

describe('/view/{id}', () => {
  it('merges consecutive chunks into one message and keeps the order around tool calls', () => {
    const show = given({
      a: [
        requested('Read it.'),
        begun,
        says('One ', 'two '),
        says('three'),
        ...tool(1, { path: 'x' }, { output: 'y' }),
        says('Four'),
        completed('Done.'),
      ],
    });
    const { status, text } = show('/view/{id}', 'a');
    expect(status).toBe(200);
    expect(articles(text)).toEqual([
      'user: Read it.',
      'assistant: One two three',
      'assistant: Four',
      'system: The run ended: complete.',
    ]);
    expect(text.indexOf('One two three')).toBeLessThan(text.indexOf('href="#step-1"'));
    expect(text.indexOf('href="#step-1"')).toBeLessThan(text.indexOf('Four'));
  });

  // A denied command is shown with its input, so that a reader can tell which one it is.
  it('says what a call wanted that was never run', () => {
    const call = { id: 'c1', name: 'bash', input: { command: 'rm -rf build' } };
    const rejected = { step_num: 1, call_id: 'c1', tool_name: 'bash', content: 'Denied.' };
    const show = given({
      a: [
        requested('x'),
        begun,
        { type: 'ModelFramesReceived', data: { call: 1, frames: [{ type: 'tool_call', call }] } },
        { type: 'ToolRejected', data: rejected },
        completed('Done.'),
      ],
      // The same id of a call in another run, whose frames were erased.
      b: [requested('y'), begun, { type: 'ToolRejected', data: rejected }],
    });
    expect(show('/view/{id}', 'a').text).toMatch(
      /#1<\/span> <strong>bash<[\s\S]*command: rm -rf build<[\s\S]*Denied\./,
    );
    expect(show('/view/{id}', 'b').text).not.toContain('rm -rf');
  });

  it('has status, provider and model, times, duration, steps, id, task, summary and a way back', () => {
    const at = NOW - 100_000;
    const end = { ...completed('All is well.'), at: at + 12_345 };
    const show = given({ abc: [requested('Tidy up.', { at }), { ...begun, at }, ...tool(1, {}, { output: '' }), end] });
    const { text } = show('/view/{id}', 'abc');
    for (const part of [
      'complete',
      'openai / gpt-x',
      '12.3 s',
      '<code>abc</code>',
      'Tidy up.',
      'All is well.',
      'href="/sessions"',
    ]) {
      expect(text).toContain(part);
    }
    expect(text).toContain(`datetime="${new Date(at).toISOString()}"`);
    expect(text).toContain(`datetime="${new Date(at + 12_345).toISOString()}"`);
    // A shared page is read in other time zones, beside a PDF with times in UTC.
    expect(text).toMatch(/>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [A-Z]{3,}\S*<\/time>/);
    expect(text).toMatch(/<dt>Steps<\/dt><dd>1<\/dd>/);
  });

  it('says of a run that is going that it is in progress', () => {
    const show = given({ a: [requested('x', { at: NOW - 5_000 }), { ...begun, at: NOW - 5_000 }] });
    const { text } = show('/view/{id}', 'a');
    expect(text).toContain('in progress');
    expect(text).toContain('5.0 s');
    expect(text).not.toContain('<h2>Summary</h2>');
  });

  it('shows tool calls with number, name, outcome, a short input and the output', () => {
    const long = 'z'.repeat(500);
    const show = given({
      a: [
        requested('x'),
        begun,
        ...tool(1, { path: 'a.md', lines: [1, 2] }, { output: 'first' }),
        ...tool(2, { path: long }, { output: 'no', success: false }),
      ],
    });
    const calls = [...show('/view/{id}', 'a').text.matchAll(/<details[\s\S]*?<\/details>/g)].map(([call]) => call);
    expect(calls).toHaveLength(2);
    expect(calls[0]).toContain('path: a.md, lines: [1,2]');
    expect(calls[0]).toMatch(/#1[\s\S]*read_file[\s\S]*>ok<[\s\S]*first/);
    expect(calls[1]).toMatch(/#2[\s\S]*>fail<[\s\S]*no/);
    expect(calls[1]).toContain(`path: ${'z'.repeat(154)}…`);
    expect(calls[1]).not.toContain('z'.repeat(155));
  });

  it('shows a rejected call, an unfinished one, notes and retries', () => {
    const show = given({
      a: [
        requested('x'),
        begun,
        { type: 'ToolRejected', data: { step_num: 1, call_id: 'c', tool_name: 'bash', content: 'Not under suggest.' } },
        {
          type: 'RetryScheduled',
          data: { call: 1, attempt: 0, max_attempts: 5, backoff_ms: 1_500, content: 'Overloaded.' },
        },
        { type: 'HealthChanged', data: { state: 'degraded', reason: 'many failures' } },
        { type: 'ToolStarted', data: { step_num: 2, call: { id: 'd', name: 'bash', input: { command: 'sleep 9' } } } },
      ],
    });
    const { text } = show('/view/{id}', 'a');
    expect(articles(text).slice(1)).toEqual([
      'system: Not under suggest.',
      'system: Retry 1 of 5 in 1500 ms: Overloaded.',
      'system: degraded — many failures',
    ]);
    expect(text).toMatch(/#1[\s\S]*bash[\s\S]*>fail<[\s\S]*Not under suggest\./);
    expect(text).toMatch(/#2[\s\S]*bash[\s\S]*>unfinished<[\s\S]*command: sleep 9/);
  });

  it.each([
    [4_000, ''],
    [4_001, '[truncated: 1 more characters]'],
    [10_000, '[truncated: 6000 more characters]'],
  ])('cuts content of %i characters with a note', (length, note) => {
    const words = 'm'.repeat(length);
    const halves = [words.slice(0, length / 2), words.slice(length / 2)];
    const show = given({ a: [requested('x'), begun, says(...halves), ...tool(1, {}, { output: 'o'.repeat(length) })] });
    const { text } = show('/view/{id}', 'a');
    for (const letter of ['m', 'o']) {
      expect(text).toContain(letter.repeat(Math.min(length, 4_000)));
      expect(text).not.toContain(letter.repeat(4_001));
    }
    expect(text.split('[truncated: ').length - 1).toBe(note === '' ? 0 : 2);
    expect(text).toContain(note);
  });

  it('counts characters, not their UTF-16 units', () => {
    const output = `o${'🚀'.repeat(4_002)}`;
    const show = given({
      a: [requested('x'), begun, says(...Array<string>(41).fill('🚀'.repeat(100))), ...tool(1, {}, { output })],
    });
    const { text } = show('/view/{id}', 'a');
    expect(text.isWellFormed()).toBe(true);
    expect(text).toContain(`>${'🚀'.repeat(4_000)}<span class="cut">\n[truncated: 100 more characters]`);
    expect(text).toContain(`>o${'🚀'.repeat(3_999)}<span class="cut">\n[truncated: 3 more characters]`);
  });

  it('escapes every text of a run', () => {
    const show = given({
      a: [
        requested(HOSTILE),
        begun,
        { type: 'SystemNoted', data: { content: HOSTILE } },
        says(HOSTILE),
        ...tool(1, { [HOSTILE]: HOSTILE }, { output: HOSTILE }),
        { type: 'ToolRejected', data: { step_num: 2, call_id: 'c', tool_name: HOSTILE, content: HOSTILE } },
        completed(HOSTILE),
      ],
    });
    for (const path of ['/view/{id}', '/share/{id}', '/sessions']) {
      const { text } = show(path, 'a');
      expect(text).not.toMatch(/<script|<img/);
    }
    const { text } = show('/view/{id}', 'a');
    expect(text.split(HARMLESS).length - 1).toBeGreaterThanOrEqual(7);
  });

  it('is self-contained: no script, nothing loaded from elsewhere', () => {
    const { text } = given({ a: [requested('x')] })('/view/{id}', 'a');
    expect(text).not.toMatch(/<script|<iframe|javascript:|\son\w+="|https?:\/\/|@import|url\(/i);
    expect(text).toContain('name="viewport"');
    expect(text).toMatch(/color-scheme: light dark;[\s\S]*light-dark\(/);
  });

  it('bounds a run without end', () => {
    const many = Array.from(
      { length: 1_200 },
      (_, index) => ({ type: 'SystemNoted', data: { content: `note ${index}` } }) as Given,
    );
    const { text } = given({ a: [requested('x'), ...many] })('/view/{id}', 'a');
    expect(articles(text)).toHaveLength(1_000);
    expect(text).toContain('201 more entries are not shown here');
  });

  // The first line end after `<pre>` is no text, and a heading of the first line was empty.
  it('shows line ends at the beginning of a text', () => {
    const { text } = given({ a: [requested('\n\nShip\nit'), ...tool(1, {}, { output: '\n5 passed' })] })(
      '/view/{id}',
      'a',
    );
    expect(text).toContain('<h1>Ship</h1>');
    expect(text).toContain('<pre class="text prose">\n\n\nShip\nit</pre>');
    expect(text).toContain('<pre class="text">\n\n5 passed</pre>');
  });

  it.each(['/view/{id}', '/share/{id}'])('%s of an unknown id is a page with 404 that echoes nothing', (path) => {
    const { status, text } = given({})(path, '<b>nope</b>');
    expect(status).toBe(404);
    expect(text).toMatch(/^<!doctype html>/);
    expect(text).not.toContain('nope');
  });
});

it('/share/{id} is the same document with the banner right after body', () => {
  const show = given({ a: [requested('x'), begun, says('y'), completed('z')] });
  const [view, share] = [show('/view/{id}', 'a').text, show('/share/{id}', 'a').text];
  const [, banner] = /<body>([\s\S]*?)\n<main>/.exec(share)!;
  expect(banner).toMatch(/^<meta name="robots" content="noindex, nofollow">/);
  expect(banner).toContain('<strong>Shared</strong>');
  expect(banner).toMatch(/read-only/);
  expect(share.replace(banner!, '')).toBe(view);
  expect(view).not.toContain('noindex');
});

describe('/sessions', () => {
  it('says so when there is none', () => {
    const { status, text } = given({})('/sessions');
    expect(status).toBe(200);
    expect(text).toContain('No session yet');
  });

  it('cuts a task at 80 characters, not UTF-16 units', () => {
    const { text } = given({ a: [requested('🚀'.repeat(81))], b: [requested(`b${'🚀'.repeat(79)}`)] })('/sessions');
    expect(text).toContain(`>${'🚀'.repeat(80)}…<`);
    expect(text).toContain(`>b${'🚀'.repeat(79)}<`);
  });

  it('has a link a session with status, task cut at 80, age, steps and provider', () => {
    const task = `${'t'.repeat(80)}rest`;
    const show = given({
      a: [requested(task, { at: NOW - 3 * 3_600_000 }), ...tool(1, {}, { output: '' })],
      b: [requested('short', { at: NOW - 600_000 }), { ...begun, at: NOW - 600_000 }, completed('')],
    });
    const { text } = show('/sessions');
    const rows = [...text.matchAll(/<a class="row" href="([^"]+)">([\s\S]*?)<\/a>/g)];
    expect(rows.map(([, href]) => href)).toEqual(['/view/b', '/view/a']);
    expect(rows[0]![2]).toMatch(/complete[\s\S]*short<[\s\S]*10 min ago · 0 steps · openai/);
    expect(rows[1]![2]).toMatch(/queued[\s\S]*t{80}…<[\s\S]*3 h ago · 1 step · openai/);
    expect(text).not.toContain('rest');
  });
});

// With 1500 sessions the page said that there were 200.
it.each([
  [0, 'None yet'],
  [2, '2, newest first'],
  [203, 'The newest 200 of 203'],
])('/sessions of %i says how many there are', (total, sentence) => {
  const runs = Object.fromEntries(Array.from({ length: total }, (_, n) => [`r${n}`, [requested('x')]]));
  expect(given(runs)('/sessions').text).toContain(`<p class="quiet">${sentence}</p>`);
});

describe('/sessions.json', () => {
  // A call that a cancelling cut off is a step in the stream and a tool call on the page; the record said 0 steps.
  it('counts every step that the stream shows, the interrupted ones too', async () => {
    const cut = { call_id: 'c2', reason: 'Cut off.', step_num: 2, tool_name: 'bash' };
    const bash: Given = {
      type: 'ToolStarted',
      data: { step_num: 2, call: { id: 'c2', name: 'bash', input: { command: 'sleep 9' } } },
    };
    const events: Given[] = [
      requested('x'),
      begun,
      ...tool(1, {}, { output: '', success: false }),
      bash,
      { type: 'ToolInterrupted', data: { ...cut, repeat: true } },
      bash,
      { type: 'ToolInterrupted', data: { ...cut, repeat: false } },
      { type: 'RunCancelled', data: { reason: 'user requested' } },
    ];
    const streamed = events.flatMap((event) => agentEvents(event)).filter(({ type }) => type === 'step');
    const show = given({ a: events });
    expect((await show.list()).items).toMatchObject([{ step_count: streamed.length }]);
    expect(show('/view/{id}', 'a').text.match(/class="call"/g)).toHaveLength(streamed.length);
    expect(streamed).toHaveLength(2);
  });

  const many = Object.fromEntries(
    Array.from({ length: 203 }, (_, n) => [
      `r${n}`,
      [requested('x'.repeat(5_000), { at: NOW - 1_000_000 + n * 1_000 })],
    ]),
  );
  const newest = Array.from({ length: 203 }, (_, n) => `r${202 - n}`);

  it('has the newest 200 sessions', async () => {
    const { items } = await given(many).list();
    expect(items.map(({ id }) => id)).toEqual(newest.slice(0, 200));
  });

  it('has as many as are asked for, in chunks that are bounded', async () => {
    const { items, largest } = await given(many).list({ limit: 203 });
    expect(items.map(({ id }) => id)).toEqual(newest);
    expect(largest).toBeLessThan(CHUNK_CHARACTERS + 6_000);
  });

  it('is paged by limit and after', async () => {
    const { list } = given(many);
    const page = async (query: { readonly limit?: number; readonly after?: string }) =>
      (await list(query)).items.map(({ id }) => id);
    expect(await page({ limit: 2 })).toEqual(['r202', 'r201']);
    expect(await page({ limit: 3, after: 'r201' })).toEqual(['r200', 'r199', 'r198']);
    expect(await page({ after: 'r2' })).toEqual(['r1', 'r0']);
    expect(await page({ after: 'r0' })).toEqual([]);
    await expect(page({ limit: 2, after: 'r203' })).rejects.toThrow(
      'after: must be the session id of a run in the list',
    );
  });

  it('has exactly the fields of the contract, with the job’s own status words', async () => {
    const partial: Given = {
      type: 'RunStopped',
      data: { reason: 'steps', summary: 'Half.', steps_completed: 1, steps_planned: 2, remaining_plan: ['b'] },
    };
    const fork: Given = {
      type: 'RunForked',
      data: { from_session_id: 'a', from_version: 3, messages: [], plan: [], steps: 0 },
    };
    const show = given({
      a: [
        requested('first', { at: 1_000 }),
        { ...begun, at: 1_000 },
        ...tool(1, {}, { output: '' }),
        { ...partial, at: 2_000 },
      ],
      b: [
        requested('second', { at: 3_000, workspace: '' }),
        fork,
        { type: 'RunCancelled', data: { reason: 'user requested' }, at: 4_000 },
      ],
      c: [requested('third', { at: 5_000 })],
    });
    const common = {
      provider: 'openai',
      model: 'gpt-x',
      summary: null,
      parent_session_id: null,
      depth: 0,
      project_path: '/work',
      step_count: 0,
    };
    expect((await show.list()).items).toEqual([
      { ...common, id: 'c', task: 'third', status: 'queued', started_at: 5_000, finished_at: null },
      {
        ...common,
        id: 'b',
        task: 'second',
        status: 'cancelled',
        started_at: 3_000,
        finished_at: 4_000,
        parent_session_id: 'a',
        depth: 1,
        project_path: null,
      },
      {
        ...common,
        id: 'a',
        task: 'first',
        status: 'partial',
        started_at: 1_000,
        finished_at: 2_000,
        summary: 'Half.',
        step_count: 1,
      },
    ]);
  });
});
