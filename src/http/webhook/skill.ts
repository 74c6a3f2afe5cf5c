/**
 * `POST /webhook/skill/{skill_name}`: records the delivery and starts a run, in one commit. The task of the run is the
 * skill's text and the body; the daemon's approval policy applies.
 */
import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import type { UnitOfWork } from '../../commands/decider.ts';
import { Refused, sanitiseEcho } from '../../commands/refusal.ts';
import { delivery } from '../../commands/webhook/decide.ts';
import { skillTask } from '../../commands/webhook/prompts.ts';
import { deliveryStreamId, receivedOf } from '../../commands/webhook/received.ts';
import { zJson } from '../../events/envelope.ts';
import { withoutByteOrderMark } from '../../lib/json-text.ts';
import type { SkillsPort } from '../../ports/skills.ts';
import type { RunRequestDependencies } from '../../queries/run/run-request.ts';
import { startRun } from '../../reactors/run/start-run.ts';
import type { CommandHandler } from '../../streams/command-handler.ts';
import { tooManyRuns } from '../run/schemas.ts';
import { HttpError, zError } from '../server/errors.ts';
import { JSON_TYPE } from '../server/headers.ts';
import { zBytes } from '../server/request-body.ts';
import { type Answer, type Call, type RouteSpec, routesOf, text, value } from '../server/route.ts';
import { senderDeliveryId } from './headers.ts';

const { post } = routesOf({ tag: 'webhooks' });

export interface Dependencies extends RunRequestDependencies {
  readonly commandHandler: CommandHandler;
  readonly skills: SkillsPort;
}

const zHeaders = { 'X-Forge-Delivery': z.string().optional().describe('The sender’s id of the delivery.') };
const zParams = z.object({ skill_name: z.string() });
const SESSION_HEADER = 'x-daybook-session-id';

export function skillRoute(deps: Dependencies): RouteSpec {
  return post('/webhook/skill/{skill_name}', {
    operation: 'triggerSkill',
    summary:
      'Starts a run with the skill that has this webhook_trigger; the body, of any content, is part of the task.',
    params: zParams,
    rawBody: { json: zJson, types: ['text/plain'], isOptional: true },
    headers: zHeaders,
    body: zBytes,
    responses: {
      200: {
        description: 'The run is queued.',
        headers: { 'X-Daybook-Session-Id': 'Id of the run.' },
        schema: z.object({
          triggered: z.boolean().describe('Whether a run was started.'),
          skill: z.string().describe('Name of the skill.'),
          body_length: z.int(),
        }),
      },
      400: 'A body that is not UTF-8, or not JSON although its Content-Type says so.',
      404: {
        description: 'No skill has that webhook_trigger.',
        schema: zError.extend({ triggered: z.literal(false).describe('No run was started.') }),
      },
      ...tooManyRuns,
    },
    handle: (call) => trigger(deps, call),
  });
}

async function trigger(
  deps: Dependencies,
  { params, body: raw, request, answerAfter }: Call<z.infer<typeof zParams>, unknown, Buffer>,
): Promise<Answer> {
  const skill = await deps.skills.triggeredBy(params.skill_name);
  if (skill === null) {
    const error = `No skill has the webhook_trigger '${sanitiseEcho(params.skill_name)}'`;
    return value({ triggered: false, error }, 404);
  }
  const text = textOf(raw, request.headers['content-type']);
  const senderId = senderDeliveryId(request);
  const id = senderId === null ? deps.ids.hex(16) : deliveryStreamId(`skill:${params.skill_name}`, senderId);
  const asked = { triggered: false, skill: skill.name, body_length: raw.length };
  const first = earlierAnswer(deps.commandHandler, id, asked);
  if (first !== null) return first;
  try {
    return await startRun(deps, answerAfter, {
      body: { task: skillTask(skill, text) },
      tags: ['webhook', `skill:${skill.name}`],
      answer: (session_id) => answerOf({ ...asked, triggered: true }, session_id),
      also: (unit: UnitOfWork, session_id: string) => {
        const facts = { skill: skill.name, webhook_trigger: params.skill_name, session_id };
        unit.send(delivery, id, { type: 'TriggerSkill', skill: { ...receivedOf(senderId, raw), ...facts } });
      },
    });
  } catch (error) {
    // A concurrent request with the same delivery was recorded first.
    const earlier = error instanceof Refused ? earlierAnswer(deps.commandHandler, id, asked) : null;
    if (earlier === null) throw error;
    return earlier;
  }
}

interface Outcome {
  readonly triggered: boolean;
  readonly skill: string;
  readonly body_length: number;
}

/** The answer to an earlier delivery with the same id; without its run when that is erased. */
function earlierAnswer(commandHandler: CommandHandler, id: string, asked: Outcome): Answer | null {
  const state = commandHandler.load(delivery, id);
  if (state.status !== 'triggered') return null;
  if (state.skill === null) return answerOf(asked);
  const { skill, body_length, session_id } = state.skill;
  return answerOf({ triggered: true, skill, body_length }, session_id);
}

function answerOf({ triggered, skill, body_length }: Outcome, session_id?: string): Answer {
  const headers = session_id === undefined ? {} : { [SESSION_HEADER]: session_id };
  return text(JSON_TYPE, JSON.stringify({ triggered, skill, body_length }), headers);
}

/** Any UTF-8 text; a body with a JSON content type must be valid JSON. */
function textOf(raw: Buffer, contentType: string | undefined): string {
  if (!isUtf8(raw)) throw new HttpError(400, 'The body is not valid UTF-8.');
  const text = withoutByteOrderMark(raw.toString('utf8'));
  if (raw.length === 0 || !/^[^;]*[/+]json\s*(?:;|$)/i.test(contentType ?? '')) return text;
  try {
    JSON.parse(text);
  } catch {
    throw new HttpError(400, 'The body is not valid JSON.');
  }
  return text;
}
