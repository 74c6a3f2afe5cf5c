/** Exact replay: the same effects in the same order, or the first difference by position and field. */
import { expect, it } from 'vitest';
import { type RecordedRunEvent, replayRun } from '../../src/commands/run/replay.ts';
import { drive, INPUTS } from '../support/run.ts';

function eventful() {
  const driven = drive({ approval: 'auto-edit' });
  driven.fail();
  driven.send({ type: 'EndBackoff', call: 1 });
  driven.answer('Looking.', { name: 'read_file' }, { name: 'bash' });
  driven.tool(false, 'no such file');
  driven.answer('', { name: 'update_plan', input: { steps: [{ description: 'a', status: 'pending' }] } });
  driven.answer('', { name: 'write_file', id: 'w' });
  driven.send({ type: 'StartTool', call_id: 'w' });
  driven.send({ type: 'RecoverRun', reason: 'the daemon was restarted' });
  driven.answer('Enough.');
  return driven;
}

it('finds a recorded run identical', () => {
  const { events } = eventful();
  expect(replayRun(events, INPUTS.tools)).toMatchObject({ identical: true, divergence: null, events: events.length });
});

it('finds a cancelled run identical', () => {
  const driven = drive();
  driven.answer('', { name: 'bash', id: 'b' });
  driven.send({ type: 'StartTool', call_id: 'b' });
  driven.send({ type: 'CancelRun', reason: 'user requested' });
  expect(replayRun(driven.events, INPUTS.tools).identical).toBe(true);
});

it('names the position and field where another tool description changes the request', () => {
  const { events } = eventful();
  const tools = INPUTS.tools.map((tool) => (tool.name === 'read_file' ? { ...tool, description: 'reads' } : tool));
  const asked = events.find((event) => event.type === 'ModelAsked')!;
  expect(replayRun(events, tools).divergence).toMatchObject({ position: asked.position, field: 'data.request_hash' });
});

it('notices every event that is changed', () => {
  const { events } = eventful();
  const changed = (index: number): RecordedRunEvent[] =>
    events.map((event, at) => (at === index ? ({ ...event, data: tamper(event.data) } as RecordedRunEvent) : event));
  for (const [index, event] of events.entries()) {
    if (Object.keys(event.data).length === 0) continue;
    const report = replayRun(changed(index), INPUTS.tools);
    // A changed outcome is an input: the difference shows at the latest in the next request's hash, and a run's last
    // words are inputs nobody answers to.
    if (index < events.length - 1) expect(report.identical, `${index} ${event.type}`).toBe(false);
  }
});

it('notices a missing event', () => {
  const { events } = eventful();
  const without = events.filter((event) => event.type !== 'RetryScheduled');
  expect(replayRun(without, INPUTS.tools).divergence).toMatchObject({ field: 'type', recorded: 'nothing more' });
});

function tamper(data: object): object {
  const [key, value] = Object.entries(data)[0]!;
  const other =
    typeof value === 'number' ? value + 1 : typeof value === 'string' ? `${value}!` : value === true ? false : null;
  return { ...data, [key]: other ?? [] };
}
