/** Builds the request of a run from a caller's fields, with the daemon's defaults for absent ones. */
import { resolve } from 'node:path';
import { z } from 'zod';
import { isBlank } from '../../commands/blank.ts';
import { resolveHarness } from '../../commands/harness/defaults.ts';
import { refused } from '../../commands/refusal.ts';
import {
  CONTINUATIONS_MAX,
  MAX_STEP_EXTENSIONS_DEFAULT,
  MAX_STEP_EXTENSIONS_LIMIT,
  MAX_STEPS_DEFAULT,
  POSTPONEMENT_MS_MAX,
  parseApproval,
  thinkingBudget,
  WORKING_ATTEMPTS_MAX,
} from '../../commands/run/rules.ts';
import { type Approval, type RunRequest, zReasoningTier } from '../../events/run/events.ts';
import { isFolder } from '../../lib/paths.ts';
import type { ToolDelegates } from '../../ports/delegates.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import type { ModelsPort } from '../../ports/models.ts';
import type { PluginFiles } from '../../ports/plugins.ts';
import type { ToolsPort } from '../../ports/tools.ts';
import { approvalPolicySet } from '../../projections/approval-policy.ts';
import { harnessOverrides } from '../../projections/harness.ts';
import type { Views } from '../../projections/views.ts';
import { runGuidance } from '../plugin/guidance.ts';
import { credentialFault, type DaemonFolders } from './workspace.ts';

export interface RunRequestDependencies {
  readonly config: DaemonFolders & {
    readonly approval: Approval;
    readonly approval_timeout_secs: number;
    readonly required_plugins: readonly string[];
  };
  readonly version: string;
  readonly ids: IdGenerator;
  readonly views: Views;
  readonly models: ModelsPort;
  readonly tools: ToolsPort;
  readonly delegates: Pick<ToolDelegates, 'toolsOf'>;
  readonly plugins: PluginFiles;
}

/** No folder has a longer path. */
const PATH_CHARACTERS_MAX = 4_096;

const zContextKind = z.enum(['Chat', 'CodingAgent', 'ResearchAgent', 'BackgroundJob']);

export const zAgentRequest = z.object({
  task: z.string().refine((task) => !isBlank(task), 'must not be empty'),
  approval: z.string().nullish(),
  interactive: z.boolean().nullish().describe('Ask a person about gated tools instead of rejecting them.'),
  max_step_extensions: z
    .int()
    .min(0)
    .max(MAX_STEP_EXTENSIONS_LIMIT)
    .nullish()
    .describe('How often a run that has used up its steps gets as many again.'),
  provider: z.string().nullish().describe('Absent: the selected one.'),
  model: z.string().nullish().describe('Absent: that of the provider.'),
  mode: z
    .string()
    .nullish()
    .describe('`chat` has no tools, `sandbox` is as `agent` in this build; anything else is `agent`.'),
  workspace_root: z.string().nullish(),
  project_path: z.string().nullish().describe('Another name of `workspace_root`.'),
  cwd: z.string().nullish().describe('Another name of `workspace_root`.'),
  reasoning: z.string().nullish().describe('Effort: minimal, low, medium, high or extra-high; anything else is none.'),
  resume_session_id: z.string().nullish().describe('Continues this run, with its conversation and its folder.'),
  session_id: z
    .string()
    .regex(/^[0-9a-f]{32}$/, 'must be 32 lower-case hex digits')
    .nullish()
    .describe('The id of the new run, for a caller that must know it beforehand; one that exists is 409.'),
  context_request: z
    .object({
      kind: zContextKind.nullish().describe('What the run is for. Without effect.'),
      openmemory_enabled: z.boolean().nullish().describe('Without effect.'),
      openmemory_auto_inject: z.boolean().nullish().describe('Without effect.'),
    })
    .nullish()
    .describe('Accepted for older clients, and without effect.'),
});
z.globalRegistry.add(zAgentRequest, {
  id: 'AgentRequest',
  examples: [{ task: 'Make the parser accept empty lines.', approval: 'auto-edit', workspace_root: '/home/ada/notes' }],
});
export type AgentRequestBody = z.infer<typeof zAgentRequest>;

/** The request of the run, and notes about it for readers of the run. Throws `Refused`. */
export async function runRequest(
  deps: RunRequestDependencies,
  body: AgentRequestBody,
  tags: readonly string[] = [],
): Promise<{ readonly request: RunRequest; readonly notes: readonly string[] }> {
  const { config, models, views } = deps;
  const { provider, model } = models.choose(body.provider, body.model);
  const mode = body.mode === 'chat' || body.mode === 'sandbox' ? body.mode : 'agent';
  const reasoning = zReasoningTier.safeParse(body.reasoning).data ?? null;
  const { workspace, isSubstitute } = workspaceOf(config, body);
  const { notes: pluginNotes, ...guidance } = await runGuidance(deps, workspace);
  const request: RunRequest = {
    task: body.task,
    provider,
    model,
    approval: body.approval == null ? (approvalPolicySet(views) ?? config.approval) : parseApproval(body.approval),
    mode,
    workspace,
    max_steps: MAX_STEPS_DEFAULT,
    max_step_extensions: body.max_step_extensions ?? MAX_STEP_EXTENSIONS_DEFAULT,
    continuations_max: CONTINUATIONS_MAX,
    postponement_ms_max: POSTPONEMENT_MS_MAX,
    working_attempts_max: WORKING_ATTEMPTS_MAX,
    context_policy: 'outputs-and-inputs',
    reasoning,
    tags: [...tags],
    ...toolsOf(deps, body),
    program: deps.version,
    ...(body.interactive === true ? { interactive: interactiveOf(deps) } : {}),
    ...guidance,
  };
  const { effective, honored_fields } = resolveHarness({ provider, model, overrides: harnessOverrides(views) });
  // No budget is sent to a provider that ignores budgets.
  const budget = honored_fields.includes('thinking_budgets') ? thinkingBudget(effective, reasoning) : null;
  const notes = [
    ...(isSubstitute ? [`The folder that was asked for does not exist: the run works in ${workspace}.`] : []),
    ...(budget === null ? [] : [`Thinking budget: ${budget} tokens (reasoning ${reasoning}).`]),
    ...(mode === 'sandbox' ? ['There is no sandbox in this build: the run works in the workspace itself.'] : []),
    ...pluginNotes,
  ];
  return { request, notes };
}

/** The daemon's tools, and those that a client has brought for the session. */
function toolsOf(
  { tools, delegates }: RunRequestDependencies,
  { session_id, resume_session_id }: AgentRequestBody,
): Pick<RunRequest, 'tools' | 'session_tools'> {
  const own = tools.specs.map(({ name, class: kind, idempotent }) => ({ name, class: kind, idempotent }));
  const brought = delegates.toolsOf((session_id ?? resume_session_id ?? '').trim());
  if (brought.length === 0) return { tools: own };
  const facts = brought.map(({ name }) => ({ name, class: 'execute' as const, idempotent: false }));
  const session_tools = brought.map((tool) => ({ ...tool, input_schema: { ...tool.input_schema } }));
  return { tools: [...own, ...facts], session_tools };
}

function interactiveOf({ ids, config }: RunRequestDependencies): NonNullable<RunRequest['interactive']> {
  const timeout_ms = Math.max(1, Math.round(config.approval_timeout_secs * 1000));
  return { approval_prefix: `apr-${ids.hex(8)}`, timeout_ms };
}

/** The field that names a folder to work in, and the folder; undefined when all of them are absent or empty. */
export function namedFolder(body: AgentRequestBody) {
  const field = (['workspace_root', 'project_path', 'cwd'] as const).find((name) => (body[name] ?? '') !== '');
  return field && { field, folder: body[field] ?? '' };
}

interface ChosenFolder {
  readonly workspace: string;
  /** It takes the place of the caller's folder, which does not exist. */
  readonly isSubstitute: boolean;
}

/** The caller's folder if it is an existing directory, else the daemon's workspace. Refuses folders of credentials. */
function workspaceOf(config: DaemonFolders, body: AgentRequestBody): ChosenFolder {
  const named = namedFolder(body);
  const own = { workspace: config.workspace, isSubstitute: named !== undefined };
  if (named === undefined || named.folder.includes('\0')) return own;
  const { field, folder } = named;
  const path = resolve(config.workspace, folder);
  if (path.length > PATH_CHARACTERS_MAX) return own;
  const fault = credentialFault(config, { path, field });
  if (fault !== null) throw refused('forbidden', fault);
  return isFolder(path) ? { workspace: path, isSubstitute: false } : own;
}
