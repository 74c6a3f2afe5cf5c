/**
 * `POST /v1/goals/{id}/recap`: what has come of a goal so far, from the runs that are linked to it. It changes nothing.
 *
 * - A run that has ended has one recap, and its session id is the recap's id; it counts once, however often it is linked.
 * - A model writes it only when a usable pair is named and there is something to write about; when it fails, the
 *   heuristic answers and the failure is named.
 */
import { z } from 'zod';
import type { Config } from '../../config.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ModelsPort } from '../../ports/models.ts';
import { ModelError } from '../../ports/models.ts';
import { type GoalLinkRow, type GoalRow, goalLinks, timeOf } from '../../projections/goal.ts';
import { jobJson } from '../../projections/run/jobs.ts';
import { newestOutput, output } from '../../projections/run/output.ts';
import type { Views } from '../../projections/views.ts';
import { askForObject } from '../../queries/goal/ask-model.ts';
import {
  ACTIONS_MAX,
  artifactsOf,
  BULLETS_MAX,
  onlyOnce,
  type RecapText,
  type RunEnd,
  recapText,
} from '../../queries/goal/recap.ts';
import { type Answer, value } from '../server/answer.ts';
import { untilHangUp } from '../server/hang-up.ts';
import { type Call, type RouteSpec, route } from '../server/route.ts';
import { isRehearsal, type Override, overrideOf, type Pair, zPair } from './model-override.ts';
import { knownGoal, notThere, zGoalId } from './schemas.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly config: Config;
  readonly clock: Clock;
  random(): number;
  readonly views: Views;
  readonly models: ModelsPort;
}

/** Recaps that one recap is made of; the newest ones. */
const SOURCES_MAX = 200;
/** Characters of one run's summary that a model is shown. */
const SUMMARY_CHARACTERS_MAX = 4_000;

const zRecap = z.object({
  goal_id: z.string(),
  title: z.string(),
  headline: z.string(),
  bullets: z.array(z.string()),
  next_actions: z.array(z.string()),
  artifacts: z.array(
    z.object({ kind: z.enum(['file', 'diff', 'job', 'url']), label: z.string(), locator: z.string() }),
  ),
  sources: z.array(
    z.object({ recap_id: z.string(), kind: z.enum(['session', 'job', 'recap']), target_id: z.string() }),
  ),
  generated_at: z.string(),
  recap_synthesizer: z.enum(['llm', 'heuristic']),
  recap_provider_override_applied: z.boolean(),
  recap_provider_requested: z.string().optional(),
  recap_model_requested: z.string().optional(),
  recap_llm_error: z.string().optional(),
});

export function goalRecapRoute(deps: Dependencies): RouteSpec {
  return route({
    method: 'POST',
    path: '/v1/goals/{id}/recap',
    summary: 'What has come of a goal, by a model when `provider` and `model` name a usable one, else heuristically.',
    tag: 'goals',
    auth: 'bearer',
    params: zGoalId,
    body: zPair,
    responses: { 200: { description: 'The recap, and who wrote it.', schema: zRecap }, ...notThere },
    handle: (call) => recap(deps, call),
  });
}

async function recap(
  deps: Dependencies,
  { params: { id }, body, request }: Call<z.infer<typeof zGoalId>, unknown, Pair>,
): Promise<Answer> {
  const goal = knownGoal(deps, id);
  const sources = sourcesOf(deps.views, goalLinks(deps.views, id));
  const ends = sources.map((source) => source.end);
  const override = overrideOf(deps, body);
  const asks = override.isApplied && ends.length > 0 && !isRehearsal(override.choice);
  const written = asks ? await write(deps, goal, { ends, override, request }) : null;
  const text = written?.text ?? recapText(goal.title, ends);
  return value({
    goal_id: id,
    title: goal.title,
    ...text,
    artifacts: artifactsOf(ends),
    sources: sources.map(({ end, kind, target_id }) => ({ recap_id: end.session_id, kind, target_id })),
    generated_at: timeOf(deps.clock.now()),
    recap_synthesizer: written?.text == null ? 'heuristic' : 'llm',
    recap_provider_override_applied: asks,
    ...(body?.provider == null ? {} : { recap_provider_requested: body.provider }),
    ...(body?.model == null ? {} : { recap_model_requested: body.model }),
    ...(written?.error == null ? {} : { recap_llm_error: written.error }),
  });
}

interface Source extends Pick<GoalLinkRow, 'kind' | 'target_id'> {
  readonly end: RunEnd;
}

/** The recaps behind the links, in the order of the links; notes have none. */
function sourcesOf(views: Views, links: readonly GoalLinkRow[]): readonly Source[] {
  const sources = new Map<string, Source>();
  for (const { kind, target_id } of links) {
    if (kind === 'note' || sources.has(target_id)) continue;
    const end = endOf(views, target_id);
    if (end !== null) sources.set(target_id, { kind, target_id, end });
    if (sources.size === SOURCES_MAX) break;
  }
  return [...sources.values()];
}

const zJob = z.object({
  task: z.string(),
  status: z.string(),
  summary: z.string().nullable(),
  files_modified: z.array(z.string()),
});

/** How a run ended; null for one that is unknown or still going. */
function endOf(views: Views, session_id: string): RunEnd | null {
  const text = jobJson(views, session_id);
  if (text === undefined) return null;
  const { task, status, summary, files_modified } = zJob.parse(JSON.parse(text));
  switch (status) {
    case 'complete':
    case 'partial':
    case 'failed':
    case 'cancelled':
      return {
        session_id,
        task,
        status,
        summary: summary ?? '',
        files_modified,
        remaining: remaining(views, session_id),
      };
    default:
      return null;
  }
}

function remaining(views: Views, session_id: string): readonly string[] {
  const [last] = output(views, session_id, { after: newestOutput(views, session_id) - 1, limit: 1 });
  if (last?.type !== 'partial') return [];
  return (JSON.parse(last.json) as { remaining_plan?: readonly string[] }).remaining_plan ?? [];
}

const SYSTEM = `You sum up what has come of a goal, for the person who set it. Answer with one JSON object and nothing else:
{"headline": string, "bullets": [string], "next_actions": [string]}
The headline is one sentence. At most ${BULLETS_MAX} bullets, each a fact from the runs, most important first.
At most ${ACTIONS_MAX} next actions, each one something to do. Say nothing that the runs do not show.`;

const zWritten = z.object({
  headline: z.string().refine((text) => text.trim() !== ''),
  bullets: z.array(z.string()),
  next_actions: z.array(z.string()).default([]),
});

async function write(
  deps: Dependencies,
  goal: GoalRow,
  { ends, override, request }: { ends: readonly RunEnd[]; override: Override; request: Call['request'] },
): Promise<{ readonly text: RecapText | null; readonly error: string | null }> {
  const prompt = promptOf(goal, ends);
  try {
    const answered = await untilHangUp(request.raw, (signal) =>
      askForObject(deps, { choice: override.choice, system: SYSTEM, prompt, signal }),
    );
    const { headline, bullets, next_actions } = zWritten.parse(answered);
    const text = {
      headline: headline.trim(),
      bullets: onlyOnce(bullets, BULLETS_MAX),
      next_actions: onlyOnce(next_actions, ACTIONS_MAX),
    };
    return { text, error: null };
  } catch (error) {
    if (error instanceof ModelError) return { text: null, error: error.message };
    if (error instanceof z.ZodError) return { text: null, error: 'The model’s answer is no recap.' };
    throw error;
  }
}

function promptOf({ title, statement, success_criteria }: GoalRow, ends: readonly RunEnd[]): string {
  const runs = ends.map(({ task, status, summary, files_modified }) => {
    const files = files_modified.length === 0 ? '' : `\nFiles: ${files_modified.slice(0, 50).join(', ')}`;
    return `Run (${status}): ${task.slice(0, 500)}\n${summary.slice(0, SUMMARY_CHARACTERS_MAX)}${files}`;
  });
  const criteria = success_criteria.length === 0 ? '' : `Reached when:\n${success_criteria.join('\n')}`;
  return [`Goal: ${title}`, statement, criteria, ...runs].filter((part) => part.trim() !== '').join('\n\n');
}
