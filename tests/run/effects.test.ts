/** The effect that is due in each phase of a run. */
import { describe, expect, it } from 'vitest';
import { nextRunEffect } from '../../src/commands/run/effects.ts';
import { initialRun, type RunPhase, type RunState } from '../../src/commands/run/state.ts';
import { runRequest } from '../../src/testing/commands/run-inputs.ts';

const call = { id: 'c1', name: 'bash', input: {} };
const running: RunState = { ...initialRun, status: 'running', request: runRequest(), call: 3, pending: [call] };
const tool = { kind: 'tool', key: 'tool 3 c1', call, workspace: '/work' };

describe('the effect that is due', () => {
  it.each<[RunPhase, object | undefined]>([
    [{ name: 'idle' }, undefined],
    [
      { name: 'asking', attempt: 0 },
      { kind: 'ask', key: 'ask 4.0', call: 4 },
    ],
    // A repeated call keeps its number.
    [
      { name: 'asking', attempt: 2 },
      { kind: 'ask', key: 'ask 3.2', call: 3 },
    ],
    [
      { name: 'asked', attempt: 2 },
      { kind: 'ask', key: 'ask 3.2', call: 3 },
    ],
    [
      { name: 'backing_off', attempt: 1, ms: 375 },
      { kind: 'wait', key: 'wait 3.1', call: 3, ms: 375 },
    ],
    [
      { name: 'backing_off', attempt: 1, ms: 375, until: 9 },
      { kind: 'pause', key: 'pause 3.1', call: 3, until: 9 },
    ],
    [{ name: 'tool_due' }, tool],
    [{ name: 'tool_started', call }, tool],
    [
      { name: 'awaiting_approval', approval: 'a', call, expires_at: 9 },
      { kind: 'expire', key: 'approval a', approval: 'a', at: 9 },
    ],
  ])('in the phase %j', (phase, effect) => {
    expect(nextRunEffect({ ...running, phase })).toEqual(effect);
  });

  it.each([
    ['none', undefined],
    ['queued', { kind: 'begin', key: 'begin' }],
    ['complete', undefined],
    ['failed', undefined],
    ['cancelled', undefined],
  ] as const)('of a run that is %s', (status, effect) => {
    expect(nextRunEffect({ ...running, status, phase: { name: 'asking', attempt: 0 } })).toEqual(effect);
  });
});
