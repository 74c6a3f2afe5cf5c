/** The rules of approvals, without a daemon: given events, when a command, then events; and the rows of projections. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { run } from '../../src/commands/run/decide.ts';
import { nextRunEffect } from '../../src/commands/run/effects.ts';
import { replayRun } from '../../src/commands/run/replay.ts';
import { evolveRun, initialRun } from '../../src/commands/run/state.ts';
import { zRunRequest } from '../../src/events/run/events.ts';
import type { Projection } from '../../src/projections/projection.ts';
import { approvalRows, approvals } from '../../src/projections/run/approvals.ts';
import { jobs } from '../../src/projections/run/jobs.ts';
import { openViews } from '../../src/projections/views.ts';
import { INPUTS, runRequest as request } from '../../src/testing/commands/run-inputs.ts';
import { type DrivenRun, drive } from '../support/run.ts';

const INTERACTIVE = { approval_prefix: 'apr-x', timeout_ms: 1_000 };
const asking = (changes = {}): DrivenRun => {
  const driven = drive({ approval: 'suggest', interactive: INTERACTIVE, ...changes });
  driven.answer('', { name: 'bash', input: { command: 'ls' } });
  return driven;
};
const answer = (decision: 'allow_once' | 'allow_run' | 'deny', approval = 'apr-x-1', reason: string | null = null) =>
  ({ type: 'AnswerApproval', approval, decision, reason }) as const;
const decideAt = (driven: DrivenRun, command: Parameters<typeof run.decide>[0], now: number) =>
  run.decide(command, driven.state, { id: 'an-id', now });

describe('a gated call', () => {
  it('is asked about and wants nothing but its expiry', () => {
    const driven = asking();
    const last = driven.events.at(-1)!;
    expect(last).toMatchObject({
      type: 'ApprovalRequested',
      data: { approval_id: 'apr-x-1', step_num: 1, expires_at: last.at + 1_000, call: { name: 'bash' } },
    });
    expect(nextRunEffect(driven.state)).toEqual({
      kind: 'expire',
      key: 'approval apr-x-1',
      approval: 'apr-x-1',
      at: last.at + 1_000,
    });
    expect(driven.state.status).toBe('running');
  });
  it.each([
    ['allow_once', ['ApprovalAnswered'], 'tool'],
    ['allow_run', ['ApprovalAnswered'], 'tool'],
    ['deny', ['ApprovalAnswered', 'ToolRejected'], 'ask'],
  ] as const)('%s gives %j and then wants %s', (decision, types, effect) => {
    const driven = asking();
    expect(driven.send(answer(decision)).map((event) => event.type)).toEqual(types);
    expect(nextRunEffect(driven.state)?.kind).toBe(effect);
  });
  it('allowed and started, then interrupted, is not asked about again when it may be repeated', () => {
    const tools = request().tools.map((tool) => (tool.name === 'bash' ? { ...tool, idempotent: true } : tool));
    const driven = asking({ tools });
    driven.send(answer('allow_once'));
    driven.send({ type: 'StartTool', call_id: driven.state.pending[0]!.id });
    driven.send({ type: 'RecoverRun', reason: 'the daemon was restarted' });
    expect(nextRunEffect(driven.state)?.kind).toBe('tool');
    driven.tool();
    driven.answer('', { name: 'bash' });
    expect(driven.events.at(-1)).toMatchObject({ type: 'ApprovalRequested', data: { approval_id: 'apr-x-2' } });
  });
  it('allowed for the run covers that tool alone, until the request ends', () => {
    const driven = asking();
    driven.send(answer('allow_run'));
    driven.tool();
    driven.answer('', { name: 'bash' });
    expect(nextRunEffect(driven.state)?.kind).toBe('tool');
    driven.tool();
    driven.answer('', { name: 'write_file' });
    expect(driven.events.at(-1)?.type).toBe('ApprovalRequested');
    driven.send(answer('deny', 'apr-x-2'));
    driven.answer('done');
    driven.send({ type: 'ResumeRun', request: request({ approval: 'suggest', interactive: INTERACTIVE }), notes: [] });
    driven.send({ type: 'BeginRun' });
    driven.answer('', { name: 'bash' });
    expect(driven.events.at(-1)?.type).toBe('ApprovalRequested');
  });
  it('behind the step wall is not asked about', () => {
    expect(asking({ max_steps: 0 }).types()).not.toContain('ApprovalRequested');
  });
  it('of a tool that does not exist is rejected, not asked about', () => {
    const driven = drive({ approval: 'suggest', interactive: INTERACTIVE });
    driven.answer('', { name: 'no_such_tool' });
    expect(driven.types()).not.toContain('ApprovalRequested');
  });
});

describe('a call whose rejection or request for an approval is erased', () => {
  const startWithout = (type: string, { events }: DrivenRun) => {
    const state = events.filter((event) => event.type !== type).reduce(evolveRun, initialRun);
    expect(nextRunEffect(state)?.kind).toBe('tool');
    return run.decide({ type: 'StartTool', call_id: state.pending[0]!.id }, state, { id: 'an-id', now: 9 });
  };

  it('is asked about again, and does not start', () => {
    const request = { type: 'ApprovalRequested', data: { approval_id: 'apr-x-1', expires_at: 1_009 } };
    expect(startWithout('ApprovalRequested', asking())).toMatchObject([request]);
    const denied = asking();
    denied.send(answer('deny'));
    expect(startWithout('ToolRejected', denied)).toMatchObject([{ data: { approval_id: 'apr-x-2' } }]);
  });

  it('is rejected again in a run that does not ask', () => {
    const driven = drive({ approval: 'suggest' });
    driven.answer('', { name: 'bash', input: { command: 'ls' } });
    expect(startWithout('ToolRejected', driven)).toMatchObject([{ type: 'ToolRejected', data: { tool_name: 'bash' } }]);
  });
});

describe('an answer', () => {
  it('is refused without a pending approval, for another approval, twice, and from the moment of expiry on', () => {
    const driven = asking();
    const at = driven.events.at(-1)!.at;
    expect(decideAt(driven, answer('allow_once', 'apr-x-2'), at)).toMatchObject({ kind: 'conflict' });
    expect(decideAt(driven, answer('allow_once'), at + 999)).toHaveLength(1);
    expect(decideAt(driven, answer('allow_once'), at + 1_000)).toMatchObject({ kind: 'conflict' });
    driven.send(answer('deny'));
    expect(decideAt(driven, answer('deny'), at)).toMatchObject({ kind: 'conflict' });
    expect(run.decide(answer('deny'), initialRun, { id: 'an-id', now: 1 })).toMatchObject({ kind: 'conflict' });
  });
  it('late: the expiry is decided once, also under a clock that was set back', () => {
    const driven = asking();
    const at = driven.events.at(-1)!.at;
    const expire = { type: 'ExpireApproval', approval: 'apr-x-1' } as const;
    const events = decideAt(driven, expire, at - 5_000) as readonly { type: string }[];
    expect(events.map((event) => event.type)).toEqual(['ApprovalExpired', 'ToolRejected']);
    driven.send(answer('allow_once'));
    expect(decideAt(driven, expire, at + 5_000)).toEqual([]);
  });
});

describe('the end of a run', () => {
  it.each([
    ['CancelRun', { type: 'CancelRun', reason: 'user requested' }, 'RunCancelled'],
    ['FailRun', { type: 'FailRun', message: 'a bug' }, 'RunFailed'],
  ] as const)('%s withdraws the question and replays', (_name, command, end) => {
    const driven = asking();
    expect(driven.send(command).map((event) => event.type)).toEqual(['ApprovalWithdrawn', end]);
    expect(nextRunEffect(driven.state)).toBeUndefined();
    expect(replayRun(driven.events, INPUTS.tools)).toMatchObject({ identical: true });
  });
  it('a restart changes nothing about a question', () => {
    expect(asking().send({ type: 'RecoverRun', reason: 'restart' })).toEqual([]);
  });
});

describe('recorded runs', () => {
  it('replay exactly, whatever was answered', () => {
    const choice = fc.constantFrom('allow_once', 'allow_run', 'deny' as const);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom('bash', 'write_file', 'read_file'), choice), { maxLength: 12 }),
        (plan) => {
          const driven = drive({ approval: 'suggest', interactive: INTERACTIVE });
          for (const [name, decision] of plan) {
            driven.answer('', { name });
            const { phase } = driven.state;
            if (phase.name === 'awaiting_approval') driven.send(answer(decision, phase.approval, 'because'));
            if (nextRunEffect(driven.state)?.kind === 'tool') driven.tool();
          }
          driven.answer('done');
          expect(replayRun(driven.events, INPUTS.tools)).toMatchObject({ identical: true, divergence: null });
          const ids = driven.events.flatMap((event) =>
            event.type === 'ApprovalRequested' ? [event.data.approval_id] : [],
          );
          expect(new Set(ids).size).toBe(ids.length);
        },
      ),
      { numRuns: process.env.DAYBOOK_LONG === '1' ? 1_000 : 80 },
    );
  });
  it('from before approvals still fold and replay: a request without the field requests no approval', () => {
    expect(zRunRequest.parse(request())).not.toHaveProperty('interactive');
    const driven = drive({ approval: 'suggest' });
    driven.answer('', { name: 'bash' });
    driven.answer('then not');
    expect(driven.types()).not.toContain('ApprovalRequested');
    expect(replayRun(driven.events, INPUTS.tools)).toMatchObject({ identical: true });
  });
});

describe('the view', () => {
  const fold = (driven: DrivenRun) => {
    const views = openViews(null);
    for (const projection of [jobs, approvals] as readonly Projection[]) {
      views.exec(projection.create);
      for (const event of driven.events) {
        projection.on[event.type]?.(views, { ...event, stream: 'run-s1', actor: 'a' });
      }
    }
    return views;
  };
  it.each([
    ['allow_once', 'allowed'],
    ['allow_run', 'allowed'],
    ['deny', 'denied'],
  ] as const)('shows %s as %s', (decision, status) => {
    const driven = asking();
    driven.send(answer(decision, 'apr-x-1', 'so'));
    expect(approvalRows(fold(driven), { limit: 10 })).toMatchObject([
      { id: 'apr-x-1', session_id: 's1', tool_name: 'bash', input: { command: 'ls' }, status, decision, reason: 'so' },
    ]);
  });
  it('lists what waits first, then what was decided, newest first', () => {
    const driven = asking();
    driven.send(answer('deny'));
    driven.answer('', { name: 'bash' });
    driven.send(answer('deny', 'apr-x-2'));
    driven.answer('', { name: 'bash' });
    const views = fold(driven);
    const ids = approvalRows(views, { limit: 10 }).map((row) => row.id);
    expect(ids).toEqual(['apr-x-3', 'apr-x-2', 'apr-x-1']);
    const found = (wanted: object) => approvalRows(views, { limit: 10, ...wanted }).map((row) => row.id);
    expect(found({ limit: 2 })).toEqual(['apr-x-3', 'apr-x-2']);
    expect(found({ limit: 1 })).toEqual(['apr-x-3']);
    expect(found({ status: 'pending' })).toEqual(['apr-x-3']);
    expect(found({ status: 'denied' })).toEqual(['apr-x-2', 'apr-x-1']);
    expect(found({ status: 'denied', session_id: 's1', limit: 1 })).toEqual(['apr-x-2']);
    expect(approvalRows(views, { limit: 1, session_id: 'other' })).toEqual([]);
  });
});
