/**
 * Implements `ToolsPort`.
 *
 * - Outcomes contain only data of the caller and of the workspace: errors of the runtime, which name absolute paths,
 *   are rephrased.
 * - `close` aborts running calls and waits until their processes are dead.
 */
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { zPlanStatus } from '../../events/run/events.ts';
import type { ToolCall, ToolOutcome, ToolsPort } from '../../ports/tools.ts';
import { bashTool } from './bash.ts';
import { DEFAULT_LIMITS, type ToolsConfig, type ToolsSettings } from './config.ts';
import { editFileTool } from './edit-file.ts';
import { gitDiffTool } from './git-diff.ts';
import { listDirectoryTool } from './list-directory.ts';
import { callMarker, carrying, homeMarker, killAll, TOOL_VARIABLE, WATCHDOG_VARIABLE } from './marker.ts';
import { readFileTool } from './read-file.ts';
import { searchFilesTool } from './search-files.ts';
import { defineTool, describeSystemError, failed, succeeded, type Tool, ToolFailure } from './tool.ts';
import { writeFileTool } from './write-file.ts';

/** The tools `update_plan` and `finish`: the run acts on their calls; here they have a schema and a fixed answer. */
const zPlanStep = z.strictObject({
  description: z.string().min(1).max(500),
  status: zPlanStatus,
});

const updatePlanTool = defineTool({
  name: 'update_plan',
  description:
    'Sets the plan of this run: all steps in order with their status. Send it when the plan is made and whenever ' +
    'a status changes; it replaces the plan before it.',
  class: 'control',
  idempotent: true,
  input: z.strictObject({ steps: z.array(zPlanStep).max(100) }),
  run: async () => succeeded('The plan is noted.'),
});

const finishTool = defineTool({
  name: 'finish',
  description: 'Ends the run. Call it once, when the task is done or cannot be done, with a summary for the user.',
  class: 'control',
  idempotent: true,
  input: z.strictObject({ summary: z.string().max(20_000).describe('What was done, what was not, and why.') }),
  run: async () => succeeded('The run is finished.'),
});

const TOOLS: readonly Tool[] = [
  readFileTool,
  writeFileTool,
  editFileTool,
  listDirectoryTool,
  searchFilesTool,
  bashTool,
  gitDiffTool,
  updatePlanTool,
  finishTool,
];

export function createTools(config: ToolsConfig): ToolsPort {
  const settings: ToolsSettings = { ...DEFAULT_LIMITS, ...config, home: realHome(config.home) };
  const byName = new Map(TOOLS.map((tool) => [tool.spec.name, tool]));
  const closing = new AbortController();
  const running = new Map<Promise<ToolOutcome>, string>();

  async function run(call: ToolCall, signal: AbortSignal): Promise<ToolOutcome> {
    signal.throwIfAborted();
    const tool = byName.get(call.name);
    if (tool === undefined) return failed(`There is no such tool. The tools are: ${[...byName.keys()].join(', ')}.`);
    const place = { workspace: call.workspace, home: settings.home };
    const marker = callMarker(settings.home, call.callId);
    const mayChange = (): void => {
      call.mayChange?.();
      signal.throwIfAborted();
    };
    const onAborted = call.onAborted ?? (() => undefined);
    try {
      return await tool.run(call.input, { place, settings, marker, signal, onAborted, mayChange });
    } catch (error) {
      signal.throwIfAborted();
      return failed(describe(error));
    }
  }

  return {
    specs: TOOLS.map((tool) => tool.spec),
    async call(call, signal) {
      const outcome = run(call, AbortSignal.any([signal, closing.signal]));
      running.set(outcome, callMarker(settings.home, call.callId));
      try {
        return await outcome;
      } finally {
        running.delete(outcome);
      }
    },
    sweep() {
      const prefix = homeMarker(settings.home);
      const current = new Set(running.values());
      const passes = (value: string) => value.startsWith(prefix) && !current.has(value);
      return killAll(carrying([TOOL_VARIABLE, WATCHDOG_VARIABLE], passes));
    },
    async close() {
      closing.abort(new Error('the tools were closed'));
      await Promise.allSettled(running.keys());
    },
  };
}

/** The real path of the home; a missing home contains no links. */
function realHome(home: string): string {
  try {
    return realpathSync(home);
  } catch {
    return resolve(home);
  }
}

function describe(error: unknown): string {
  if (error instanceof ToolFailure) return error.message;
  const why = describeSystemError(error);
  return why === undefined
    ? 'The tool failed inside; this is a defect of Daybook.'
    : `Something the tool needs ${why}.`;
}
