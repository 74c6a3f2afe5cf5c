/** A request of a run, and the inputs of its model calls, for tests. */
import type { RunRequest } from '../../events/run/events.ts';

const TOOLS: RunRequest['tools'] = [
  { name: 'read_file', class: 'read', idempotent: true },
  { name: 'write_file', class: 'edit', idempotent: false },
  { name: 'bash', class: 'execute', idempotent: false },
  { name: 'update_plan', class: 'control', idempotent: true },
  { name: 'finish', class: 'control', idempotent: true },
];

/** A request with some of its fields changed. */
export function runRequest(changes: Partial<RunRequest> = {}): RunRequest {
  return {
    task: 'look around',
    provider: 'rehearsal',
    model: 'rehearsal-1',
    approval: 'full-auto',
    mode: 'agent',
    workspace: '/work',
    max_steps: 50,
    max_step_extensions: 3,
    continuations_max: 3,
    reasoning: null,
    tags: [],
    tools: TOOLS,
    program: '0.0.0',
    ...changes,
  };
}

export const INPUTS = {
  settings: { tool_transport: 'native', prompt_dialect: 'compact', prompt_cache: false },
  thinking_budget: null,
  tools: TOOLS.map(({ name }) => ({ name, description: name, input_schema: { type: 'object' } })),
} as const;
