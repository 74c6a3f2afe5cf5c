/**
 * Runs of which any events are erased while the daemon is stopped: the rows that are folded from what is left agree
 * with the states from which the daemon goes on.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { run } from '../../src/commands/run/decide.ts';
import { approvalRows, approvals } from '../../src/projections/run/approvals.ts';
import { job } from '../../src/projections/run/job-rows.ts';
import { jobs } from '../../src/projections/run/jobs.ts';
import { openViews, type Views } from '../../src/projections/views.ts';
import { eventTable } from '../../src/resources.ts';
import { openStorage } from '../../src/storage/open.ts';
import { createCommandHandler } from '../../src/streams/command-handler.ts';
import { Projector } from '../../src/streams/projector.ts';
import { runRequest } from '../../src/testing/commands/run-inputs.ts';
import { moves } from '../../src/testing/moves.ts';
import { givenProjection, type StreamEvent } from '../../src/testing/testing.ts';
import { play } from '../support/play.ts';
import { steadySystem } from '../support/steady-system.ts';

const SYSTEM = steadySystem();
const RUNS = ['run-of-1', 'run-of-2'];
const someMoves = moves(25, ['run']);

it('a run whose request is erased does not go on, so its approval waits for nobody', () => {
  const of = (type: string, data: object): StreamEvent => ({ stream: 'run-a', type, data });
  const call = { id: 'c', name: 'bash', input: {} };
  const asked = of('ApprovalRequested', { approval_id: 'p', step_num: 1, call, expires_at: 9 });
  const begun = [of('RunRequested', runRequest()), of('RunBegun', {}), asked];
  const statuses = (views: Views) => approvalRows(views, { limit: 9 }).map(({ status }) => status);
  givenProjection(approvals, begun).thenAnswer(statuses, ['pending']);
  givenProjection(approvals, begun.slice(1)).thenAnswer(statuses, ['cancelled']);
  const resumed = [of('RunCompleted', { summary: '' }), of('RunResumed', { task: '', request: runRequest() }), asked];
  givenProjection(approvals, [...begun, ...resumed]).thenAnswer(statuses, ['pending']);
});

it('a run goes on without the answer to its approval, which is erased, so the approval waits for nobody', () => {
  const of = (type: string, data: object): StreamEvent => ({ stream: 'run-a', type, data });
  const call = { id: 'c', name: 'bash', input: {} };
  const asked = of('ApprovalRequested', { approval_id: 'p', step_num: 1, call, expires_at: 9 });
  const begun = [of('RunRequested', runRequest()), of('RunBegun', {}), asked];
  const statuses = (views: Views) => approvalRows(views, { limit: 9 }).map(({ status }) => status);
  const rejected = of('ToolRejected', { call_id: 'c', step_num: 1, tool_name: 'bash', content: 'nobody answered' });
  for (const next of [of('ToolStarted', { step_num: 1, call }), rejected]) {
    givenProjection(approvals, [...begun, next]).thenAnswer(statuses, ['cancelled']);
  }
});

it('a run that is under way has its row, with its status and the approval that it waits for', async () => {
  await fc.assert(
    fc.asyncProperty(someMoves, fc.uniqueArray(fc.nat(60)), someMoves, async (before, chosen, after) => {
      const { log } = await openStorage({ directory: '', ephemeral: true });
      await play(createCommandHandler({ log, ...SYSTEM }), before);
      await log.erase(chosen.filter((position) => log.at(position) !== undefined));
      const commandHandler = createCommandHandler({ log, ...SYSTEM });
      await play(commandHandler, after);
      const views = openViews(null);
      const parts = { log, store: views, projections: [jobs, approvals], events: eventTable, report: expect.fail };
      await new Projector(parts).catchUp();
      for (const id of RUNS) {
        const { status, phase } = commandHandler.load(run, id);
        const isUnderWay = status === 'queued' || status === 'running';
        if (isUnderWay || job(views, id) !== undefined) expect(job(views, id)?.status).toBe(status);
        const waiting = approvalRows(views, { session_id: id, status: 'pending', limit: 9 }).map((row) => row.id);
        const isWaiting = isUnderWay && phase.name === 'awaiting_approval';
        expect(waiting).toEqual(isWaiting ? [phase.approval] : []);
      }
      views.close();
    }),
  );
});
