/** A caller's wishes as the request of a run: the body of `POST /agent`, and what every other way to start a run uses. */
import { resolve } from 'node:path';
import { z } from 'zod';
import { isBlank } from '../../commands/blank.ts';
import { resolveHarness } from '../../commands/harness/defaults.ts';
import {
  MAX_STEP_EXTENSIONS_DEFAULT,
  MAX_STEP_EXTENSIONS_LIMIT,
  MAX_STEPS,
  parseApproval,
} from '../../commands/run/rules.ts';
import type { Config } from '../../config.ts';
import { type Approval, type RunRequest, zReasoningTier } from '../../events/run/events.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import type { ModelsPort } from '../../ports/models.ts';
import type { PluginFiles } from '../../ports/plugins.ts';
import type { ToolsPort } from '../../ports/tools.ts';
import { harnessOverrides } from '../../projections/harness.ts';
import type { Views } from '../../projections/views.ts';
import { runGuidance } from '../../queries/plugin/guidance.ts';
import { isFolder, requireNoCredentials } from '../../queries/run/workspace.ts';
import { thinkingBudget } from '../../reactors/run/agent-run.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly config: Config;
  readonly version: string;
  readonly ids: IdGenerator;
  readonly views: Views;
  readonly models: ModelsPort;
  readonly tools: ToolsPort;
  readonly plugins: PluginFiles;
}

const zContextKind = z.enum(['Chat', 'CodingAgent', 'ResearchAgent', 'BackgroundJob']);

export const zAgentRequest = z.object({
  task: z.string().refine((task) => !isBlank(task), 'must not be empty'),
  approval: z.string().nullish(),
  /** Ask a person about gated tools instead of rejecting them. */
  interactive: z.boolean().nullish(),
  max_step_extensions: z.int().min(0).max(MAX_STEP_EXTENSIONS_LIMIT).nullish(),
  provider: z.string().nullish(),
  model: z.string().nullish(),
  mode: z.string().nullish(),
  workspace_root: z.string().nullish(),
  project_path: z.string().nullish(),
  cwd: z.string().nullish(),
  reasoning: z.string().nullish(),
  resume_session_id: z.string().nullish(),
  /** The new session's id, chosen by a caller that must know it beforehand; one that exists is 409. */
  session_id: z
    .string()
    .regex(/^[0-9a-f]{32}$/, 'must be 32 lower-case hex digits')
    .nullish(),
  context_request: z
    .object({
      kind: zContextKind.nullish(),
      openmemory_enabled: z.boolean().nullish(),
      openmemory_auto_inject: z.boolean().nullish(),
    })
    .nullish(),
});
export type AgentRequestBody = z.infer<typeof zAgentRequest>;

/** A caller's wishes as the run's request, and what the run's reader should be told about them. */
export async function runRequest(
  deps: Dependencies,
  body: AgentRequestBody,
  tags: readonly string[] = [],
): Promise<{ readonly request: RunRequest; readonly notes: readonly string[] }> {
  const { provider, model } = deps.models.choose(body.provider, body.model);
  const mode = body.mode === 'chat' || body.mode === 'sandbox' ? body.mode : 'agent';
  const reasoning = zReasoningTier.safeParse(body.reasoning).data ?? null;
  const approval: Approval = body.approval == null ? deps.config.approval : parseApproval(body.approval);
  const workspace = workspaceOf(deps, body);
  const { notes: told, ...guidance } = await runGuidance(deps, workspace);
  const request: RunRequest = {
    task: body.task,
    provider,
    model,
    approval,
    mode,
    workspace,
    max_steps: MAX_STEPS,
    max_step_extensions: body.max_step_extensions ?? MAX_STEP_EXTENSIONS_DEFAULT,
    reasoning,
    tags: [...tags],
    tools: deps.tools.specs.map((tool) => ({ name: tool.name, class: tool.class, idempotent: tool.idempotent })),
    program: deps.version,
    ...(body.interactive === true ? { interactive: interactiveOf(deps) } : {}),
    ...guidance,
  };
  const { effective, honored_fields } = resolveHarness({ provider, model, overrides: harnessOverrides(deps.views) });
  // A provider that honours no budget is sent none.
  const budget = honored_fields.includes('thinking_budgets') ? thinkingBudget(effective, reasoning) : null;
  const notes = [
    ...(budget === null ? [] : [`Thinking budget: ${budget} tokens (reasoning ${reasoning}).`]),
    ...(mode === 'sandbox' ? ['There is no sandbox in this build: the run works in the workspace itself.'] : []),
    ...told,
  ];
  return { request, notes };
}

function interactiveOf({ ids, config }: Dependencies): NonNullable<RunRequest['interactive']> {
  const timeout_ms = Math.max(1, Math.round(config.approval_timeout_secs * 1000));
  return { approval_prefix: `apr-${ids.hex(8)}`, timeout_ms };
}

/** The caller's folder when it is an existing directory, else the daemon's workspace; never one of credentials. */
function workspaceOf({ config }: Dependencies, body: AgentRequestBody): string {
  const field = (['workspace_root', 'project_path', 'cwd'] as const).find((name) => body[name] != null);
  const wanted = field === undefined ? '' : (body[field] ?? '');
  if (field === undefined || wanted === '' || wanted.includes('\0')) return config.workspace;
  const path = resolve(config.workspace, wanted);
  requireNoCredentials(config, { path, field });
  return isFolder(path) ? path : config.workspace;
}
