/**
 * Builds the request to the model that is due in a run's state, and its hash. Pure, so that replay can rebuild it:
 * the same state, settings and tools give the same bytes.
 */
import { hash } from 'node:crypto';
import type { Json } from '../../events/envelope.ts';
import type { HarnessSettings } from '../../events/harness.ts';
import type { Guidance, Message } from '../../events/run/events.ts';
import { canonicalJson } from '../../storage/canonical-json.ts';
import { fitContext } from './context-window.ts';
import { visibleTools } from './rules.ts';
import type { RunState } from './state.ts';

export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  readonly input_schema: { readonly [key: string]: Json };
}

/** The part of each tool that models see. */
export function describeTools(tools: readonly ToolDescription[]): readonly ToolDescription[] {
  return tools.map(({ name, description, input_schema }) => ({ name, description, input_schema }));
}

export interface AgentRequest {
  readonly provider: string;
  readonly model: string;
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDescription[];
  readonly settings: HarnessSettings;
  readonly thinking_budget: number | null;
}

export interface RequestInputs {
  readonly settings: HarnessSettings;
  readonly thinking_budget: number | null;
  readonly tools: readonly ToolDescription[];
}

/** The context window in tokens when the profile has none. */
const CONTEXT_TOKENS_DEFAULT = 120_000;

export function buildRequest(state: RunState, inputs: RequestInputs): AgentRequest {
  const request = state.request;
  if (request === null) throw new Error('A run without a request asks nothing.');
  const visible = new Set(visibleTools(state).map((tool) => tool.name));
  const guidance = guidanceParts(request.guidance, visible.has('read_file'));
  const system = systemPrompt(state, inputs.settings, guidance);
  const tools = [...inputs.tools, ...(request.session_tools ?? [])].filter((tool) => visible.has(tool.name));
  const tokens = inputs.settings.context_window_fallback ?? CONTEXT_TOKENS_DEFAULT;
  const policy = request.context_policy ?? 'outputs';
  const beside = policy === 'outputs' ? guidance.join().length : system.length + JSON.stringify(tools).length;
  return {
    provider: request.provider,
    model: request.model,
    system,
    messages: fitContext(state.messages, { tokens, beside, policy }),
    tools,
    settings: inputs.settings,
    thinking_budget: inputs.thinking_budget,
  };
}

/** SHA-256 over the RFC 8785 bytes, 64 hex digits. */
export function requestHash(request: object): string {
  return hash('sha256', canonicalJson(request));
}

function systemPrompt(state: RunState, settings: HarnessSettings, guidance: readonly string[]): string {
  const parts = [visibleTools(state).length === 0 ? CHAT_PROMPT : workPrompt(state, settings), ...guidance];
  if (settings.system_prompt_suffix !== undefined) parts.push(settings.system_prompt_suffix);
  return parts.join('\n\n');
}

const CHAT_PROMPT =
  'You are Daybook, an assistant on the user’s own machine. Answer from what you know; you have no tools here.';

const COMPACT_PROMPT = `You are Daybook, an agent working unattended in the user's workspace with tools.
Look before you change. Keep a plan with update_plan when the task has several steps.
Paths are relative to the workspace.
When the work is done, reply with a short summary and no tool call.`;

const FULL_DETAILS = `How to work:
1. Read the files that matter before you edit them; never guess what a file holds.
2. For a task of several steps call update_plan first, and again whenever a step starts, ends or is not needed.
3. Make the smallest change that does the whole job, then check it: read it back, run the tests if you may.
4. A tool that fails tells you why: read the message, change something, do not repeat the same call.
5. A tool that the approval policy rejects stays rejected: go on without it and say what was left undone.
6. A tool reported as interrupted may or may not have had its effect: look before you do it again.
7. Nobody can answer questions during the run: decide, and say in the summary what you assumed.
8. Finish by replying without a tool call: what you did, which files changed, what is left.`;

const ASKED_PROMPT =
  'Tools that the policy gates are not rejected: a person is asked about each call. Call them when they are needed.';

function workPrompt(state: RunState, settings: HarnessSettings): string {
  const request = state.request;
  const policy = `Workspace: ${request?.workspace ?? ''}\nApproval policy: ${request?.approval ?? 'suggest'}`;
  const facts = request?.interactive === undefined ? policy : `${policy}\n${ASKED_PROMPT}`;
  const parts = settings.prompt_dialect === 'full' ? [COMPACT_PROMPT, FULL_DETAILS, facts] : [COMPACT_PROMPT, facts];
  return parts.join('\n\n');
}

const RULES = `# Rules of this project

They come from plugins installed for it and hold for the whole run.`;
const SKILLS = `# Skills of this project

Read one with read_file before you do the work it is for; leave the others alone.`;

/**
 * The parts of the system prompt that come from the plugins of the project: rules in full, skills as a list. Skills
 * that are files are listed only for a run that can read files.
 */
function guidanceParts(guidance: Guidance | undefined, canRead: boolean): readonly string[] {
  if (guidance === undefined) return [];
  const { rules, skills } = guidance;
  const listed = skills.flatMap(({ name, description, file }) =>
    file === undefined || !canRead ? [] : [`- ${name}: ${description} (${file})`],
  );
  const included = skills.flatMap(({ name, text }) => (text === undefined ? [] : [`## Skill ${name}\n\n${text}`]));
  return [
    ...(rules.length === 0 ? [] : [RULES, ...rules.map(({ name, text }) => `## Rule ${name}\n\n${text}`)]),
    ...(listed.length === 0 ? [] : [SKILLS, listed.join('\n')]),
    ...included,
  ];
}
