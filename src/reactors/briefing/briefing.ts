/**
 * The reactor of briefings: gathers the facts, asks a model for the text, and records both.
 *
 * - The computed text is the briefing when there is no model, when it fails, when its language cannot be checked, or
 *   when too little of its text keeps to the facts. The notes of the briefing give the reason.
 * - Asking a model again is safe; an interrupted briefing continues from what is recorded.
 */
import {
  type BriefingCommand,
  type BriefingState,
  briefing,
  type Gathered,
  NO_MODEL,
} from '../../commands/briefing/decide.ts';
import { isCheckable } from '../../commands/briefing/number-words.ts';
import { checkedProse, prosePrompt, proseQuestion } from '../../commands/briefing/prose.ts';
import { requestHash } from '../../commands/run/request.ts';
import type { BriefingEvent, BriefingRequest, BriefingText } from '../../events/briefing/events.ts';
import type { Frame } from '../../events/run/events.ts';
import { within } from '../../lib/timers.ts';
import { type ModelChoice, ModelError, type ModelRequest } from '../../ports/models.ts';
import { briefingReferences } from '../../queries/briefing/references.ts';
import { isScripted } from '../../queries/goal/model-choice.ts';
import { framesWithin, type ModelReactorParts, questionRequest, retried } from '../../queries/run/model-calls.ts';
import type { EffectScope, Reactor } from '../../streams/reactor.ts';

export interface BriefingParts extends ModelReactorParts {
  /** The facts, and the text that is computed from them. */
  readonly gather: (request: BriefingRequest, signal: AbortSignal) => Promise<Gathered>;
}

type Scope = EffectScope<BriefingCommand, BriefingState>;
type Running = Extract<BriefingState, { status: 'running' }>;
type Effect = Pick<Running, 'request' | 'gathered'> & { readonly key: string };

/** Time limit of all model calls of one briefing together. */
const WRITING_MS_MAX = 300_000;
const ANSWER_CHARACTERS_MAX = 50_000;

export function briefingReactor(parts: BriefingParts): Reactor<BriefingCommand, BriefingState, BriefingEvent, Effect> {
  return {
    decider: briefing,
    actor: () => 'system',
    next: (state) => {
      if (state.status !== 'running') return undefined;
      const { request, gathered } = state;
      return { key: gathered === null ? 'gather' : 'write', request, gathered };
    },
    recovery: (reason) => ({ type: 'RecoverBriefing', reason }),
    failure: (message) => ({ type: 'FailBriefing', message }),
    rested: () => undefined,
    async perform({ request, gathered }, scope) {
      await scope.send({ type: 'StartBriefing' });
      if (gathered === null) {
        await scope.send({ type: 'RecordFacts', gathered: await parts.gather(request, scope.signal) });
      } else {
        await scope.send({ type: 'WriteBriefing', text: await briefingTextOf(parts, { request, gathered }, scope) });
      }
    },
  };
}

type Facts = { readonly request: BriefingRequest; readonly gathered: Gathered };

async function briefingTextOf(parts: BriefingParts, { request, gathered }: Facts, scope: Scope): Promise<BriefingText> {
  const { settings } = request;
  const { headline } = gathered;
  const computed = (...notes: readonly string[]): BriefingText => {
    return { headline, markdown: gathered.markdown, writer: NO_MODEL, dropped: [], notes: [...notes] };
  };
  const inEnglish = settings.language.split('-', 1)[0] === 'en' ? [] : ['A text without a model is in English.'];
  if (settings.writer === 'computed') return computed(...inEnglish);
  const choice = parts.models.choose(settings.provider, settings.model);
  // The scripted model repeats its prompt.
  if (isScripted(choice)) {
    return computed('No language model is configured: this is the briefing as the facts alone make it.', ...inEnglish);
  }
  if (!isCheckable(settings.language)) {
    return computed(
      `Numbers cannot be checked in the language ${settings.language}: no model was asked.`,
      ...inEnglish,
    );
  }
  const notes = isConfiguredChoice(choice, settings)
    ? []
    : [`${settings.provider}/${settings.model} cannot be used here.`];
  try {
    const prose = await answer(parts, { choice, request, gathered }, scope);
    const references = briefingReferences(gathered.facts, settings.length);
    const { markdown, dropped } = checkedProse(prose, { headline, references, language: settings.language });
    const droppedCount = `${dropped.length} ${dropped.length === 1 ? 'sentence' : 'sentences'}`;
    if (markdown === null) {
      const reason = `What ${choice.model} wrote does not keep to the facts (${droppedCount} of it); it was not used.`;
      return { ...computed(...notes, reason, ...inEnglish), dropped: [...dropped] };
    }
    if (dropped.length > 0) notes.push(`Left out, because not in the facts: ${droppedCount} of ${choice.model}.`);
    return { headline, markdown, writer: { kind: 'model', ...choice }, dropped: [...dropped], notes };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return computed(...notes, `The model could not write it: ${error.message}`, ...inEnglish);
  }
}

function isConfiguredChoice(choice: ModelChoice, { provider, model }: BriefingRequest['settings']): boolean {
  return provider === null || (choice.provider === provider && choice.model === model);
}

/** The complete answer. Transient failures are retried; every call is recorded. */
async function answer(
  parts: BriefingParts,
  facts: Facts & { readonly choice: ModelChoice },
  scope: Scope,
): Promise<string> {
  const asked = modelRequest(parts, facts);
  const { random, timers } = parts;
  const retrying = { random, timers, signal: scope.signal };
  return within(timers, WRITING_MS_MAX, (late) => retried(retrying, () => attempt(parts, { asked, late }, scope)));
}

async function attempt(
  parts: BriefingParts,
  { asked, late }: { readonly asked: ModelRequest; readonly late: AbortSignal },
  scope: Scope,
): Promise<string> {
  const signal = AbortSignal.any([scope.signal, late]);
  const { provider, model } = asked;
  const command = { type: 'AskBriefingModel', asked: { provider, model, request_hash: requestHash(asked) } } as const;
  const state = await scope.send(command);
  const call = state.status === 'running' ? state.calls : 0;
  try {
    return await ask(parts, { asked, call, signal }, scope);
  } catch (error) {
    if (scope.signal.aborted) throw error;
    const failed = late.aborted
      ? new ModelError('fatal', `It took longer than ${WRITING_MS_MAX / 1000} seconds.`)
      : error;
    if (!(failed instanceof ModelError)) throw error;
    const { kind, message, status } = failed;
    await scope.send({ type: 'RecordBriefingModelFailure', failed: { call, kind, message, status } });
    throw failed;
  }
}

async function ask(
  { models, stallMs, timers }: BriefingParts,
  { asked, call, signal }: { readonly asked: ModelRequest; readonly call: number; readonly signal: AbortSignal },
  scope: Scope,
): Promise<string> {
  const frames: Frame[] = [];
  let text = '';
  for await (const frame of framesWithin({ stallMs, signal, timers }, (live) => models.stream(asked, live))) {
    if (frame.type === 'finish') {
      const { reason: finish_reason, usage } = frame;
      await scope.send({ type: 'RecordBriefingAnswer', answered: { call, frames, finish_reason, usage } });
      break;
    }
    if (frame.type === 'text' && frame.text === '') continue;
    frames.push(frame);
    if (frame.type === 'text') text += frame.text;
    if (text.length > ANSWER_CHARACTERS_MAX) throw new ModelError('fatal', 'The model’s text is too long.');
  }
  if (text.trim() === '') throw new ModelError('transient', 'The model answered with nothing.');
  return text;
}

function modelRequest(
  { settings }: BriefingParts,
  { choice, request, gathered }: Facts & { readonly choice: ModelChoice },
): ModelRequest {
  return questionRequest(choice, settings(choice.provider, choice.model), {
    system: prosePrompt(request.settings),
    question: proseQuestion(briefingReferences(gathered.facts, request.settings.length)),
  });
}
