/** The text frames of a conversation's socket: one JSON object each, with its `type`. */
import { z } from 'zod';

/** From the client. */
export const zClientFrame = z.discriminatedUnion('type', [
  z.object({ type: z.literal('set_voice'), id: z.string().describe('Id of the voice.') }),
  z.object({
    type: z.literal('set_language'),
    lang: z.string().nullish().describe('Language code, or `auto`; absent: `en`.'),
  }),
  z.object({
    type: z.literal('set_context'),
    context: z.string().describe('Text about the situation of the user, for the model.'),
  }),
]);

const zDuplexState = z.enum(['listening', 'hearing', 'thinking', 'speaking']);
export type DuplexState = z.infer<typeof zDuplexState>;

const zMs = z.int().nonnegative();

const zTurnFrame = z.discriminatedUnion('type', [
  z.object({ type: z.literal('state'), state: zDuplexState.describe('The activity of the daemon.') }),
  z.object({
    type: z.literal('transcript'),
    text: z.string().describe('The transcript.'),
    asr_ms: zMs,
    lang: z.string().nullable().describe('Language code of the speech; null when it is not known.'),
  }),
  z.object({ type: z.literal('speaking'), text: z.string().describe('The sentence whose sound follows.') }),
  z.object({ type: z.literal('flush') }),
  z.object({
    type: z.literal('carried'),
    text: z.string().describe('Speech that was interrupted, and that the next turn begins with.'),
  }),
  z.object({ type: z.literal('latency'), first_audio_ms: zMs }),
  z.object({
    type: z.literal('reply'),
    text: z.string().describe('The whole answer.'),
    asr_ms: zMs,
    first_audio_ms: zMs.nullable(),
    llm_ttft_ms: zMs,
    total_ms: zMs,
  }),
  z.object({ type: z.literal('error'), message: z.string() }),
]);
export type TurnFrame = Readonly<z.infer<typeof zTurnFrame>>;

const zNotice = z.object({ type: z.literal('notice'), message: z.string() });

const zReady = z.object({
  type: z.literal('ready'),
  asr: z
    .enum(['asr-cli', 'asr-server'])
    .nullable()
    .describe('null: nothing here can write speech down, and a `notice` says what to install.'),
  tts: z.enum(['batch', 'streaming']).describe('Whether sound comes by the sentence, or as it is made.'),
  engine: z.string().describe('The engine: `system` or `neural`.'),
  language: z.string().describe('Language code in force, or `auto`.'),
  provider: z.string(),
  model: z.string(),
});

/** To the client; `ready` comes first. */
export const zServerFrame = z.discriminatedUnion('type', [zReady, zNotice, ...zTurnFrame.options]);
export type ServerFrame = Readonly<z.infer<typeof zServerFrame>>;
