/**
 * What the model sees of a conversation that outgrows its context window. Pure, so that replay leaves out the same: a
 * change of these rules is a new `context_policy`, which only new runs record.
 */
import type { Json } from '../../events/envelope.ts';
import type { Message, RunRequest } from '../../events/run/events.ts';

/** An estimate that counts too many tokens rather than too few: usually a token is about four characters. */
const CHARACTERS_PER_TOKEN = 3.5;
/** The part of the room beside prompt and tools that the conversation may take; the rest is for the answer. */
const CONVERSATION_SHARE = 0.8;
/** The newest messages that are always kept whole. */
const NEWEST_KEPT = 4;
const OUTPUT_NOTE = '[This output was left out to fit the context window; run the tool again if it is needed.]';
const INPUT_NOTE = '[This text was left out to fit the context window; the tool was called with all of it.]';

export type ContextPolicy = NonNullable<RunRequest['context_policy']> | 'outputs';

interface Window {
  readonly tokens: number;
  /** Characters of the rest of the request; by the policy `outputs`, of the rules and skills of the project only. */
  readonly beside: number;
  readonly policy: ContextPolicy;
}

/**
 * Shortens the oldest calls of tools first until the conversation fits. Words of people and of the model are always
 * kept, and so are the newest messages, which the model has not seen yet.
 */
export function fitContext(messages: readonly Message[], { tokens, beside, policy }: Window): readonly Message[] {
  const budget = (tokens - beside / CHARACTERS_PER_TOKEN) * CHARACTERS_PER_TOKEN * CONVERSATION_SHARE;
  let size = messages.reduce((sum, message) => sum + weight(message), 0);
  if (size <= budget) return messages;
  const { keepFrom, shorten, goal } = RULES[policy](messages, size, budget);
  return messages.map((message, index) => {
    if (size <= goal || index >= keepFrom) return message;
    const shorter = shorten(message);
    size -= weight(message) - weight(shorter);
    return shorter;
  });
}

interface Rule {
  /** Index of the first message that is kept whole. */
  readonly keepFrom: number;
  readonly shorten: (message: Message) => Message;
  /** The size in characters at which nothing more is left out. */
  readonly goal: number;
}

const RULES: Record<ContextPolicy, (messages: readonly Message[], size: number, budget: number) => Rule> = {
  /** The rule of runs that recorded none. With a newest quarter that is too large, a conversation does not fit. */
  outputs: (messages, _, budget) => ({
    keepFrom: messages.length - Math.max(NEWEST_KEPT, Math.floor(messages.length / 4)),
    shorten: withoutOutput,
    goal: budget,
  }),
  /** In steps of a quarter of the room: between them the beginning stays the same, so that providers cache it. */
  'outputs-and-inputs': (messages, size, budget) => {
    const step = Math.max(1, budget / 4);
    const answer = messages.findLastIndex(({ role }) => role === 'assistant');
    return {
      keepFrom: Math.min(answer, messages.length - NEWEST_KEPT),
      shorten: (message) => withoutInputs(withoutOutput(message)),
      goal: size - Math.ceil((size - budget) / step) * step,
    };
  },
};

function weight(message: Message): number {
  if (message.role === 'tool') return message.output.length;
  if (message.role !== 'assistant') return message.content.length;
  return message.tool_calls.reduce((sum, call) => sum + JSON.stringify(call.input).length, message.content.length);
}

function withoutOutput(message: Message): Message {
  if (message.role !== 'tool' || message.output.length <= OUTPUT_NOTE.length) return message;
  return { ...message, output: OUTPUT_NOTE };
}

function withoutInputs(message: Message): Message {
  if (message.role !== 'assistant') return message;
  return { ...message, tool_calls: message.tool_calls.map((call) => ({ ...call, input: withoutTexts(call.input) })) };
}

/** The value with a note in place of each long text. */
function withoutTexts(value: Json): Json {
  if (typeof value === 'string') return value.length <= INPUT_NOTE.length ? value : INPUT_NOTE;
  if (Array.isArray(value)) return value.map(withoutTexts);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutTexts(each)]));
}
