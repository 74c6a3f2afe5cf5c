/** The output of a run, numbered by its fold. */
import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../src/events/run/events.ts';
import { job } from '../../src/projections/run/job-rows.ts';
import { jobs } from '../../src/projections/run/jobs.ts';
import { isOutputOver, newestOutput, output, runOutput, segmentStart } from '../../src/projections/run/output.ts';
import { runRequest as request } from '../../src/testing/commands/run-inputs.ts';
import { givenProjection, type StreamEvent } from '../../src/testing/given-projection.ts';

const on = (id: string, event: RunEvent) => ({ stream: `run-${id}`, ...event });
const requested = (id: string) => on(id, { type: 'RunRequested', data: request({ task: 'Fix it' }) });
const noted = (id: string, content: string) => on(id, { type: 'SystemNoted', data: { content } });
const completed = (id: string) => on(id, { type: 'RunCompleted', data: { summary: 'Done.' } });
const resumed = (id: string) => on(id, { type: 'RunResumed', data: { request: request({ task: 'And now?' }) } });
const answered = (id: string, ...texts: readonly string[]) =>
  on(id, {
    type: 'ModelFramesReceived',
    data: { call: 1, frames: texts.map((text) => ({ type: 'text', text })) },
  });
const rows = (...events: readonly StreamEvent[]) => givenProjection(jobs, events).views;
const all = { after: 0, limit: 10 };

describe('the output of a run', () => {
  const views = rows(
    requested('a'),
    requested('b'),
    noted('a', 'One'),
    noted('b', 'Else'),
    answered('a', 'x', '', 'y'),
  );
  const shown = [
    { seq: 2, type: 'system', json: '{"type":"system","content":"One"}' },
    { seq: 3, type: 'chunk', json: '{"type":"chunk","content":"x"}' },
    { seq: 4, type: 'chunk', json: '{"type":"chunk","content":"y"}' },
  ];

  it('is numbered from 1 for each run, in log order', () => {
    expect(output(views, 'a', all)).toEqual(shown);
    expect(output(views, 'b', all)).toEqual([{ seq: 2, type: 'system', json: '{"type":"system","content":"Else"}' }]);
    expect([newestOutput(views, 'a'), newestOutput(views, 'b'), newestOutput(views, 'c')]).toEqual([4, 2, 0]);
  });

  it('has what the user asked when that is wanted', () => {
    const user = { seq: 1, type: 'user', json: '{"type":"user","content":"Fix it"}' };
    expect(output(views, 'a', { ...all, withUser: true })).toEqual([user, ...shown]);
  });

  it('says when a model is called again whose provider asks for a long wait', () => {
    const postponed = { call: 1, again_at: Date.UTC(2026, 10, 29, 3) };
    const [row] = output(rows(requested('a'), on('a', { type: 'ModelCallPostponed', data: postponed })), 'a', all);
    const content = 'The provider asks for a longer wait: the model is called again at 2026-11-29T03:00:00.000Z.';
    expect(JSON.parse(row!.json)).toEqual({ type: 'system', content });
  });

  it('is read by pages behind a number', () => {
    expect(output(views, 'a', { after: 2, limit: 1 })).toEqual([shown[1]]);
    expect(output(views, 'a', { after: 0, limit: 2, withUser: true }).map(({ seq }) => seq)).toEqual([1, 2]);
    expect(output(views, 'a', { after: 4, limit: 1 })).toEqual([]);
  });

  it('of a run whose request is erased begins with what is left', () => {
    const left = rows(noted('a', 'One'), noted('a', 'Two'));
    expect(output(left, 'a', all).map(({ seq }) => seq)).toEqual([1, 2]);
    expect(segmentStart(left, 'a')).toBe(0);
    const more = rows(noted('a', 'One'), resumed('a'), noted('a', 'Two'));
    expect(output(more, 'a', all).map(({ seq }) => seq)).toEqual([1, 3]);
    expect([segmentStart(more, 'a'), job(more, 'a')?.task]).toEqual([1, 'And now?']);
  });
});

describe('a resumed run', () => {
  const views = rows(requested('a'), noted('a', 'One'), completed('a'), resumed('a'), noted('a', 'Two'));

  it('goes on with its numbers, and knows where its newest request begins', () => {
    expect(output(views, 'a', { ...all, withUser: true }).map(({ seq, type }) => [seq, type])).toEqual([
      [1, 'user'],
      [2, 'system'],
      [3, 'complete'],
      [4, 'user'],
      [5, 'system'],
    ]);
    expect([segmentStart(views, 'a'), segmentStart(views, 'b')]).toEqual([3, 0]);
  });

  it('began with its first request, and took the time of its requests, without the time between them', () => {
    const begun = on('a', { type: 'RunBegun', data: {} });
    const cancelled = on('a', { type: 'RunCancelled', data: { reason: 'No' } });
    const events = [requested('a'), begun, completed('a'), resumed('a'), begun, noted('a', 'Two'), cancelled];
    const timed = events.map((event, index) => ({ ...event, at: 100 * (index + 1) }));
    const times = (count: number) => {
      const row = job(rows(...timed.slice(0, count)), 'a')!;
      return [row.first_started_at, row.started_at, row.took_ms, row.finished_at];
    };
    expect([1, 2, 3, 4, 5, 7].map(times)).toEqual([
      [100, 100, 0, null],
      [200, 200, 0, null],
      [200, 200, 100, 300],
      [200, 400, 100, null],
      [200, 500, 100, null],
      [200, 500, 300, 700],
    ]);
  });
});

describe('the stream of a run', () => {
  const begun = on('a', { type: 'RunBegun', data: {} });
  const cancelled = on('a', { type: 'RunCancelled', data: { reason: 'No' } });

  it.each([
    ['nobody asked for', [], false],
    ['is queued', [requested('a')], false],
    ['is running', [requested('a'), begun], false],
    ['is complete', [requested('a'), begun, completed('a')], true],
    ['is cancelled', [requested('a'), cancelled], true],
    ['goes on', [requested('a'), completed('a'), resumed('a')], false],
  ])('of a run that %s is complete: %#', (_, events, isComplete) => {
    expect(runOutput.isComplete(rows(...events), 'a')).toBe(isComplete);
  });

  it('is over once its last output is sent', () => {
    const views = rows(requested('a'), completed('a'));
    expect([isOutputOver(views, 'a', 1), isOutputOver(views, 'a', 2)]).toEqual([false, true]);
    expect(isOutputOver(rows(requested('a')), 'a', 2)).toBe(false);
  });

  it('has the output as its rows', () => {
    const views = rows(requested('a'), noted('a', 'One'));
    expect([runOutput.name, runOutput.category, runOutput.newest(views, 'a')]).toEqual(['run', 'run', 2]);
    expect(runOutput.page(views, 'a', all)).toEqual(output(views, 'a', all));
  });
});
