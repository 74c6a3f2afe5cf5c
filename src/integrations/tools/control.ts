/** The tools `update_plan` and `finish`: the run acts on their calls; here they have a schema and a fixed answer. */
import { z } from 'zod';
import { zPlanStatus } from '../../events/run/events.ts';
import { defineTool, succeeded } from './tool.ts';

export const zPlanStep = z.strictObject({
  description: z.string().min(1).max(500),
  status: zPlanStatus,
});

export const updatePlanTool = defineTool({
  name: 'update_plan',
  description:
    'Sets the plan of this run: all steps in order with their status. Send it when the plan is made and whenever ' +
    'a status changes; it replaces the plan before it.',
  class: 'control',
  idempotent: true,
  input: z.strictObject({ steps: z.array(zPlanStep).max(100) }),
  async run() {
    return succeeded('The plan is noted.');
  },
});

export const finishTool = defineTool({
  name: 'finish',
  description: 'Ends the run. Call it once, when the task is done or cannot be done, with a summary for the user.',
  class: 'control',
  idempotent: true,
  input: z.strictObject({ summary: z.string().max(20_000).describe('What was done, what was not, and why.') }),
  async run() {
    return succeeded('The run is finished.');
  },
});
